// The next library's functions, and the form of its handles and constants.
#pragma once

#include <cstdint>

#include "host/family.hpp"
#include "leadline/functions.hpp"

namespace leadline::host {

using Word = uintptr_t;
enum class Name : uint8_t { mpi, pmpi, mpi_c, pmpi_c };

// The next MPI_x or PMPI_x after ours: another tool's or the library's. nullptr: there is none.
extern void* real_functions[function_count][4];

template <class R = int, class... A>
R call_real(Fn fn, A... a) {
  return reinterpret_cast<R (*)(A...)>(real_functions[static_cast<int>(fn)][static_cast<int>(Name::pmpi)])(a...);
}
inline bool has_real(Fn fn) { return real_functions[static_cast<int>(fn)][static_cast<int>(Name::pmpi)] != nullptr; }

// The library's constants, as values.
struct Abi {
  const Family* family = nullptr;
  uint64_t comm_null = 0, comm_world = 0, comm_self = 0, request_null = 0, datatype_null = 0, message_null = 0,
           message_no_proc = 0, win_null = 0, file_null = 0, group_null = 0, info_null = 0, op_null = 0;
  uint64_t status_ignore = 0, statuses_ignore = 0, bottom = 0, in_place = 0;
  uint64_t byte = 0;
  uint64_t ops[Family::op_count] = {}, no_op = 0;
  // The request handles, consecutive, that finished requests share; ~0: none is known.
  uint64_t shared_first = ~uint64_t{0}, shared_span = 0;
  StatusLayout status{};
  int32_t proc_null = 0, any_source = 0, any_tag = 0, root = 0, undefined = 0, thread_multiple = 0;

  static uint64_t handle(Word w, uint8_t bytes) { return bytes == 4 ? static_cast<uint32_t>(w) : w; }
  // The handle that an argument points to. The library reports a null pointer itself.
  static uint64_t stored(Word at, uint8_t bytes) {
    if (__builtin_expect(!at, 0)) return 0;
    return bytes == 4 ? *reinterpret_cast<const uint32_t*>(at) : *reinterpret_cast<const uint64_t*>(at);
  }
  // The name of a predefined operation, "user-defined" for others.
  const char* op_name(uint64_t op) const;
  uint64_t comm(Word w) const { return handle(w, family->handle_bytes.comm); }
  uint64_t datatype(Word w) const { return handle(w, family->handle_bytes.datatype); }
  bool shared_request(uint64_t h) const { return h - shared_first <= shared_span; }
};
extern constinit Abi abi;

// The bytes received, from a status of this layout (not `ask`).
inline int64_t bytes_in(const StatusLayout& layout, const char* status) {
  uint64_t word = 0;
  __builtin_memcpy(&word, status + layout.count, sizeof(word));
  if (layout.count_code == CountCode::one_word) return static_cast<int64_t>(word);
  return static_cast<int64_t>((word & 0xffffffff) | (word >> 33) << 32);
}

// Finds the MPI library of this process and fills the above. False: there is none we know; `why` says so.
bool find_real_functions(const char** why);
// Whether the process has begun with an MPI library, whoever called it.
bool mpi_was_initialized();

// Path of the MPI library's file; nullptr before find_real_functions.
const char* mpi_library_path();

}  // namespace leadline::host
