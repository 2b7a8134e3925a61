// Generations that could be decoded when their trace was read, and later could not: somebody has changed the file in
// the meantime, or no memory is left. Whoever asks for one finds no calls in it.
#pragma once

#include <cstdint>

namespace leadline::trace {

// How often that happened in this process.
uint64_t lost_generations();

}  // namespace leadline::trace
