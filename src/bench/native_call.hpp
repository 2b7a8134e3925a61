// The MPI library's own function of an operation. The calls themselves are generated from api/operations.toml.
#pragma once

#include <mpi.h>

#include "leadline/operations.hpp"

namespace leadline::bench {

// Arguments by their roles. A function with one buffer takes that of the result, `to`. Blocks with their own counts
// take counts and places by rank instead of one count.
struct NativeCall {
  const void* from = nullptr;
  int from_count = 0;
  MPI_Datatype from_type = MPI_DATATYPE_NULL;
  void* to = nullptr;
  int to_count = 0;
  MPI_Datatype to_type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  const int *from_counts = nullptr, *from_places = nullptr, *to_counts = nullptr, *to_places = nullptr;
  const MPI_Datatype *from_types = nullptr, *to_types = nullptr;
  const MPI_Aint *from_places_in_memory = nullptr, *to_places_in_memory = nullptr;  // of MPI_Neighbor_alltoallw
};

// Returns MPI's error code.
inline int call_native(collectives::Operation operation, const NativeCall& c) {
  using collectives::Operation;
#include "leadline/native_calls.inc"
  return MPI_ERR_OTHER;
}

}  // namespace leadline::bench
