// A call of the program's, by the roles of its arguments.
#pragma once

#include "shim/state.hpp"

namespace leadline::shim {

// One side of a call. Where blocks have their own counts or datatypes, `counts`, `places` and `datatypes` are the
// program's arrays, by rank.
struct CallSide {
  Word buffer, datatype;
  int64_t count;
  int64_t size;  // bytes of an element; of the side that decides, until the call is carried out
  Word counts, places, datatypes;
  bool places_are_addresses = false;  // MPI_Aints, even of a function without large counts
};

struct Call {
  CallSide from, to;  // of a function with one buffer both are that
  Word op, root, comm;
  bool large;  // counts by rank are MPI_Counts
};

}  // namespace leadline::shim
