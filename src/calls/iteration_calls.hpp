// How many calls some iterations of a loop make, counted in the thread's tree: no loop is expanded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/process.hpp"

namespace leadline::calls {

// The loop's calls in its iterations from `first` up to and without `end`, failed polls aside. The thread timed the
// loop.   `stream`: an index into the process's streams.
uint64_t calls_in_iterations(const trace::Process& process, size_t stream, const trace::LoopTimes& loop, uint64_t first,
                             uint64_t end);

}  // namespace leadline::calls
