// A schedule, ready to be executed. Its communicator keeps it for the next call of the same kind.
#pragma once

#include <stdlib.h>

#include <cstdint>
#include <vector>

#include "collectives/schedule.hpp"
#include "shim/table.hpp"

namespace leadline::shim {

// The program's counts by rank: ints, or MPI_Counts.
struct CountsByRank {
  const void* array = nullptr;  // nullptr: there is one count for all
  bool large = false;

  int64_t operator[](int32_t rank) const {
    return large ? static_cast<const int64_t*>(array)[rank] : static_cast<const int32_t*>(array)[rank];
  }
};

// Counts and places by rank, or by neighbour, in elements of the schedule: those of the Problem. nullptr: it has none.
struct ByRank {
  const int64_t *contributed = nullptr, *contributed_places = nullptr;
  const int64_t *received = nullptr, *received_places = nullptr;
};

struct Plan {
  const Rule* rule;
  int64_t count;                 // elements
  std::vector<int64_t> by_rank;  // the arrays that ByRank has, one after the other
  int64_t element_bytes;
  int32_t root;
  bool possible;   // the algorithm can do it
  bool uses_data;  // steps read or write the space of the result
  bool whole;      // every message that comes is of all elements, and the rank's own
  collectives::Schedule schedule;
  char* requests;

  Plan() = default;
  ~Plan() { free(requests); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
};

}  // namespace leadline::shim
