// The names of functions in other objects, which are called through the dynamic linker.
#pragma once

#include "code/code_map.hpp"

namespace leadline::code {

// The place of the pointer that the call or the jump at the address goes through; 0: it uses none.
uint64_t slot_of(uint64_t address, uint64_t end);

// The function that the instruction at the address calls or jumps to through a slot; nullptr: none with a name.
const char* imported_by(const CodeMap& code, uint64_t address, uint64_t end);

// The same, or through a stub that does nothing else.
const char* imported_through(const CodeMap& code, uint64_t address, uint64_t end);

// Whether the call that returns to the address is one of the Fortran or C++ run-time library, which may make several
// calls of its own.
bool calls_run_time_library(const CodeMap& code, uint64_t return_address);

// The routine that the call or jump leads to, also by way of a stub or a slot that the dynamic linker has filled;
// 0: a register or other memory says it.
uint64_t leads_to(const CodeMap& code, uint64_t address, uint64_t end);

// The same of the call that returns there.
uint64_t called_routine(const CodeMap& code, uint64_t return_address);

}  // namespace leadline::code
