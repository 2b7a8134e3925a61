// Carries out a schedule whose elements are blocks of the program's, each of them a message.
#pragma once

#include "shim/messages.hpp"
#include "shim/program_blocks.hpp"

namespace leadline::shim {

struct MovingBlocks : Moving {
  ProgramBlocks contributed, received;
};

// in_place: a rank's own block is where it is to be. Returns an error code of MPI; whatever it is, no request is left.
int carry_out_blocks(const Plan& plan, MovingBlocks& moving, bool in_place);

}  // namespace leadline::shim
