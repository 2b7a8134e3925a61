// Blocks that go directly between the root and each rank, all at once; the ranks after the root come first. Of
// operations whose blocks have their own counts, the root alone needs the arrays; the others' count is that of their
// own block.
#pragma once

#include "collectives/schedule.hpp"

namespace leadline::collectives {

void gather_at_once(const Problem& problem, Schedule* schedule);
void scatter_at_once(const Problem& problem, Schedule* schedule);

}  // namespace leadline::collectives
