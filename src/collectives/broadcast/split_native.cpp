// The library's own broadcast, of one part of the data after the other.
#include "collectives/blocks.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::broadcast {

bool split_native(const Problem& problem, Schedule* schedule) {
  if (problem.radix < 1) return false;
  const Blocks parts({Space::data, 0, problem.count}, problem.radix);
  for (int i = 0; i < problem.radix; ++i) schedule->native(parts[i], parts[i]);
  return true;
}

}  // namespace leadline::collectives::broadcast
