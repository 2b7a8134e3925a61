// The forms of collectives, by what they do with the data: each carries a call out by the rule's algorithm. False: the
// library is to do it, for `why`; else *error.
#pragma once

#include "shim/call.hpp"
#include "shim/communicator.hpp"

namespace leadline::shim {

constexpr int error_without_memory = 1;  // MPI_ERR_BUFFER in all families

// Blocks are reduced.
bool reduce_blocks(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error);
// Blocks of one length are moved as they are.
bool move_blocks(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error);
// Every rank's block, of a length of its own that all know, is moved to all.
bool move_all_blocks(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error);
// Every rank has a block for every other, of lengths that only the two know.
bool exchange_blocks(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error);

}  // namespace leadline::shim
