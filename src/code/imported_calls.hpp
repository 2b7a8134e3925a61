// Calls of what the dynamic linker finds in another object, by the name of what is called.
#pragma once

#include "code/routine.hpp"

namespace leadline::code {

// What the instruction at the address calls or jumps to by way of a slot; nullptr: nothing that has a name.
const char* imported_by(const CodeMap& code, uint64_t address, uint64_t end);

// The same, or by way of a stub that does nothing else.
const char* imported_through(const CodeMap& code, uint64_t address, uint64_t end);

// Whether the call that returns to the address is one of the Fortran or C++ run-time library, which may make several
// calls of its own.
bool calls_run_time_library(const CodeMap& code, uint64_t return_address);

}  // namespace leadline::code
