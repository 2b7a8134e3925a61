// The loops of a class of ranks as the replay takes them.
#pragma once

#include <cstdint>
#include <vector>

#include "calls/class_trees.hpp"
#include "replay/program.hpp"

namespace leadline::replay {

struct RecordedShape {
  Shape shape;           // its calls: the leaves of the class in their order, then the two marks around the main loop
  uint64_t lost = 0;     // stretches of calls whose order is unknown
  uint64_t entered = 0;  // how often the main loop was entered
  uint64_t iterations = 0;               // of the main loop, as recorded, if it was entered once
  uint64_t first_call = 0, calls = 0;    // of the main loop: how many come before, and how many it has
  std::vector<uint64_t> before, inside;  // by leaf: calls before the main loop, and in it
};

// `steps`: how many iterations the main loop gets: its own over and over; 0: as many as recorded. Only a loop that is
// entered once gets another number.
RecordedShape recorded_shape(const calls::ClassTrees& trees, const calls::ClassTrees::Class& of, uint32_t main_loop,
                             uint64_t steps);

}  // namespace leadline::replay
