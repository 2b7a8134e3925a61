// Notes which functions of a loaded library are entered. The first instruction of each is replaced by a trap, which
// restores it, notes the function and lets it run. A function is therefore noted once after each `arm`, and nothing
// else changes. Only the probe does this, never a program of the user's.
#pragma once

#include <string>
#include <vector>

#include "probe/plan.hpp"

namespace leadline::probe {

// Where the library at `path` was loaded; 0 if it wasn't.
unsigned long base_of(const std::string& path);

// False where traps can't be set here (another processor, pages that may not be written).
bool prepare_traps(unsigned long base, const std::vector<Function>& functions);
void arm_traps();
void disarm_traps();
// Indices into `functions`, in the order in which they were entered since arm_traps.
std::vector<int> entered();

}  // namespace leadline::probe
