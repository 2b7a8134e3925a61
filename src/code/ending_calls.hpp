// Calls that never return: the instruction after such a call belongs to other code.
#pragma once

#include "code/code_map.hpp"
#include "code/x86_64.hpp"

namespace leadline::code {

// Of the call, or the jump to another routine, at the address, which is given decoded. Calls of the C, C++ and Fortran
// libraries are known by name, as are routines of the program that end with one.
bool never_returns(const CodeMap& code, uint64_t address, uint64_t end, const Instruction& call);

}  // namespace leadline::code
