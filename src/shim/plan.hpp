// A schedule, ready to be executed. Its communicator keeps it for the next call of the same kind.
#pragma once

#include "collectives/schedule.hpp"
#include "shim/communicator.hpp"

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
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
};

// nullptr: the algorithm cannot do it; the same on all ranks. (Without memory the process ends.)
Plan* plan_for(Communicator& c, const Rule& rule, int64_t count, int64_t element_bytes, int32_t root);

// One side of a call. Where blocks have their own counts or datatypes, `counts`, `places` and `datatypes` are the
// program's arrays, by rank.
struct CallSide {
  Word buffer, datatype;
  int64_t count;
  int64_t size;  // bytes of an element; of the side that decides, until the call is carried out
  Word counts, places, datatypes;
};

struct Call {
  CallSide from, to;  // of a function with one buffer both are that
  Word op, root, comm;
};

// A collective of the program's, by the rule's algorithm. False: the library is to do it, for `why`; else *error.
bool carry_out_call(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error);

}  // namespace leadline::shim
