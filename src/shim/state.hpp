// The shim's state in a process: its table, whether that is used, and the objects of MPI that it made.
//
// All ranks of a communicator must decide alike; otherwise they wait for one another forever. The decision depends on
// facts that are the same on all of them in any legal call: the operation, the number of processes, the bytes (count
// times size of the datatype, though the datatypes themselves may differ), whether the reduction's operation is
// commutative, and the table, whose hash the ranks compare in MPI_Init.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "host/real.hpp"
#include "host/tell.hpp"
#include "leadline/families.hpp"
#include "shim/table.hpp"

namespace leadline::shim {

using host::abi;
using host::Abi;
using host::Fn;
using host::Name;
using host::Word;

constexpr int op_index(std::string_view name) {
  for (int i = 0; i < host::Family::op_count; ++i)
    if (name == host::op_names[i]) return i;
  return -1;
}

using host::tell;

struct Shim {
  Table table;
  char problem[512] = {};  // why the table is not used; "" if it is
  const char* report_directory = nullptr;
  bool devices = false;              // some rank may have buffers in the memory of a device
  int32_t rank = -1, processes = 0;  // in MPI_COMM_WORLD
  uint64_t quiet_handler = 0;        // an error handler that only notes the error
  uint64_t alone = 0;                // a communicator of this process, with that handler
  int32_t keyval = 0;                // of the attribute that holds what we know of a communicator

  bool reports() const { return report_directory != nullptr; }
};
extern constinit Shim& shim;

// Whether collectives are looked at: from MPI_Init to MPI_Finalize, if there are rules or a report is wanted.
extern std::atomic<bool> watching;
extern std::atomic<bool> begun, finalizing;

// The error that the quiet handler last received in this thread. MPI_ERRORS_RETURN will not do: its number differs
// between MPICH's library of the standard ABI and Intel's, and MPICH 5 returns success if a handler was called.
extern thread_local constinit int32_t noted_error;

// Errors on this communicator are only noted while it lives.
class Quiet {
 public:
  explicit Quiet(uint64_t comm);
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  uint64_t comm_, before_ = 0;
  bool changed_ = false;
};

}  // namespace leadline::shim
