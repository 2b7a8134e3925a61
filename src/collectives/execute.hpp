// Executes a schedule over any MPI library. The caller brings the functions: the benchmark those of mpi.h, the shim
// those behind its own names.
#pragma once

#include <cstddef>

#include "collectives/schedule.hpp"

namespace leadline::collectives {

// Each function returns an MPI error code, 0 for success. Counts are in elements of the call's datatype. `request`
// points to storage of `request_bytes` bytes. `state` is the caller's: communicator, datatype, operation, tag.
struct Transport {
  void* state;
  uint8_t request_bytes;  // 4 or 8
  int (*send)(void* state, const void* from, int64_t count, int peer, void* request);
  int (*receive)(void* state, void* to, int64_t count, int peer, void* request);
  int (*wait)(void* state, void* request);
  int (*reduce)(void* state, const void* from, void* to, int64_t count);  // to = from op to, as MPI_Reduce_local
  int (*copy)(void* state, const void* from, void* to, int64_t count);
  int (*native)(void* state, const void* from, void* to, int64_t count);
};

// Where the elements are; element i of a space is at base + i * extent.
struct Buffers {
  char* data;
  const char* input;
  char* scratch;   // schedule.scratch_elements long
  int64_t extent;  // bytes from one element to the next
};

// The first error ends it; what is under way then is lost, as in MPI. `requests`: storage for schedule.requests.
int execute(const Schedule& schedule, const Transport& transport, const Buffers& buffers, void* requests);

}  // namespace leadline::collectives
