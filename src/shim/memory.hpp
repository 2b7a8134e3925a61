// What an operation through memory that ranks share (collectives/node) needs of the library.
#pragma once

#include "collectives/execute.hpp"
#include "collectives/node/team.hpp"
#include "shim/moving.hpp"

namespace leadline::shim {

// Whether the communicator has what the rule's algorithm needs: one of our own, and shared memory. Collective the first
// time; the same on all ranks.
bool equipped(Communicator& c, const Rule& rule, Reason* why);

// The loop that does the same as the library's operation, bit for bit: they are compared. nullptr: none does.
collectives::node::Combine combine_of(uint64_t op, uint64_t datatype, int64_t size);

// Whether elements of this layout fit into the segment.
bool fits_into_memory(const Layout& layout);

// state: a Moving, whose team carries out the step by the transport's functions.
int carry_out_together(const collectives::Transport& transport, const void* from, void* to,
                       const collectives::Step& step);

}  // namespace leadline::shim
