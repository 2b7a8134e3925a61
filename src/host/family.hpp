// The differences between the binary interfaces of MPI libraries. The data are generated from api/abi/*.toml.
#pragma once

#include <cstdint>

namespace leadline::host {

// A constant: a plain value, or something the library exports: the address of an object (Open MPI's handles) or the
// content of a pointer variable (MPICH's MPI_UNWEIGHTED). Look the symbol up in the global scope first and in the
// library only if it is not there: an executable may hold the one true copy of it (copy relocation).
struct Constant {
  enum class Kind : uint8_t { none, value, address_of, content_of };
  Kind kind;
  uint64_t value;      // of Kind::value; compare handles in their own width only
  const char* symbol;  // of the other kinds
};

// Bytes of a handle.
struct HandleBytes {
  uint8_t comm, request, datatype, message, win, file, group, op, info, errhandler, session;
};

// How MPI_Status holds the number of bytes received: MPICH's two words (lower 32 bits; then bit 0 = cancelled and above
// it the upper bits), one 64-bit word, or unknown. Then it is found out (recorder/library/facts.hpp), or MPI_Get_count
// is asked.
enum class CountCode : uint8_t { two_words, one_word, ask };

// Sizes and offsets in bytes; source, tag and error are 32-bit.
struct StatusLayout {
  uint8_t size, source, tag, error, count;
  CountCode count_code;
};

struct Combiners {
  int32_t named, dup, contiguous, vector, hvector, indexed, hindexed, indexed_block, hindexed_block, structure,
      subarray, darray, f90_real, f90_complex, f90_integer, resized;
};

struct Family {
  static constexpr int max_libraries = 8;
  static constexpr int op_count = 14;

  const char* name;
  const char* libraries[max_libraries];  // beginnings of file names, nullptr after the last
  HandleBytes handle_bytes;
  StatusLayout status;
  Constant comm_null, comm_world, comm_self, request_null, datatype_null, byte, message_null, message_no_proc, win_null,
      file_null, group_null, group_empty, info_null, op_null;
  Constant status_ignore, statuses_ignore, bottom, in_place, unweighted, weights_empty;
  Constant ops[op_count];  // predefined ones, as op_names (leadline/families.hpp)
  // Requests that finished operations share: (handle & finished_mask) == finished_request; the mask's zeros are its
  // lowest bits. Kind::none: unknown; others than these are found out (recorder/library/facts.hpp).
  Constant finished_request;
  uint64_t finished_mask;
  int32_t proc_null, any_source, any_tag, root, undefined, success, err_truncate, err_other, err_pending, err_in_status,
      thread_single, thread_multiple, tag_ub, universe_size, appnum, wtime_is_global, topo_cart, topo_graph,
      topo_dist_graph, order_fortran;
  Combiners combiners;
};

}  // namespace leadline::host
