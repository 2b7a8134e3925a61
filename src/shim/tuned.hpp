// Collectives of the program's that are carried out by a rule's algorithm.
#pragma once

#include "shim/call.hpp"
#include "shim/communicator.hpp"

namespace leadline::shim {

// A collective of the program's, by the rule's algorithm. False: the library is to do it, for `why`; else *error.
// bytes: as rules go by them.
bool carry_out_call(Communicator& c, const Rule& rule, const Call& call, int64_t bytes, Reason* why, int* error);

}  // namespace leadline::shim
