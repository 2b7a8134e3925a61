// A schedule, ready to be executed. Its communicator keeps it for the next call of the same kind.
#pragma once

#include <stdlib.h>

#include <cstdint>

#include "collectives/schedule.hpp"
#include "shim/table.hpp"

namespace leadline::shim {

struct Plan {
  const Rule* rule;
  int64_t count;  // elements
  int64_t element_bytes;
  int32_t root;
  bool possible;   // the algorithm can do it
  bool uses_data;  // steps read or write the space of the result
  bool whole;      // every message that comes is of all elements
  collectives::Schedule schedule;
  char* requests;

  Plan() = default;
  ~Plan() { free(requests); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
};

}  // namespace leadline::shim
