// Executes a schedule over any MPI library. The caller provides the functions: the benchmark those of mpi.h, the shim
// those behind its own names.
#pragma once

#include <cstddef>

#include "collectives/schedule.hpp"

namespace leadline::collectives {

// Each function returns an MPI error code, 0 for success. Counts are in elements of the call's datatype: those of a
// message are step.from.count (sent) or step.to.count (received). `request` points to storage of `request_bytes` bytes.
// `state` is the caller's: communicator, datatype, operation, tag.
struct Transport {
  void* state;
  uint8_t request_bytes;  // 4 or 8
  int (*send)(void* state, const void* from, const Step& step, void* request);
  int (*receive)(void* state, void* to, const Step& step, void* request);
  int (*wait)(void* state, const Step& step, void* request);
  int (*reduce)(void* state, const void* from, void* to, int64_t count);  // to = from op to, as MPI_Reduce_local
  int (*copy)(void* state, const void* from, void* to, int64_t count);
  int (*native)(void* state, const void* from, void* to, int64_t count);
  // Of operations with blocks for each rank, the counts of the step are those of one block.
  int (*together)(void* state, const void* from, void* to, const Step& step) = nullptr;
};

// Where the elements are; element i of a space is at base + i * extent.
struct Buffers {
  char* data;
  const char* input;
  char* scratch;   // schedule.scratch_elements long
  int64_t extent;  // bytes from one element to the next

  // `input` belongs to the program: no step writes there.
  char* at(const Range& range) const {
    char* const base = range.space == Space::input  ? const_cast<char*>(input)
                       : range.space == Space::data ? data
                                                    : scratch;
    return base + range.first * extent;
  }
};

// The first error ends it, possibly with messages under way: *failed is the number of the step then, and the caller may
// settle them. `requests`: storage for schedule.requests.
int execute(const Schedule& schedule, const Transport& transport, const Buffers& buffers, void* requests,
            size_t* failed = nullptr);

}  // namespace leadline::collectives
