// Pages of the live file that are gone: somebody who may (root, a server) shortened the file while it is mapped.
// Touching such a page is a SIGBUS, which would end the program. It gets plain memory in its place, and the recording
// ends.
//
// The program does not notice the handler: sigaction() and signal() for SIGBUS answer as if only the program's were
// there, and what is none of ours goes to that. Only a program that asks the kernel itself (Go's run time) replaces it.
#pragma once

#include <cstdint>

namespace leadline::recorder {

// From now on `replace` is asked about addresses that cannot be reached. It returns true if there is memory now; it is
// called in a signal handler. Nothing is done in a program that ignores SIGBUS: those it executes inherit that.
void watch_for_lost_pages(bool (*replace)(uint64_t address));

// Before main: nothing may be looked up in signal handlers, which call sigaction().
void find_signal_functions();

}  // namespace leadline::recorder
