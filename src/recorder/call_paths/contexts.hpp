// The contexts of a thread's calls: its call paths as a tree, each path by the number of its innermost frame.
#pragma once

#include <cstdint>

#include "recording/live.hpp"
#include "recording/position_map.hpp"

namespace leadline::recorder {

class Contexts {
 public:
  bool attach(recording::Table<recording::LiveContext> table);

  // Number of the path `frames`, the innermost first. `whole`: nothing lies further out. False: it does not fit.
  bool intern(const uint64_t* frames, unsigned count, bool whole, uint32_t* context);

 private:
  uint32_t child(uint32_t parent, uint64_t frame);

  recording::Table<recording::LiveContext> table_;
  recording::PositionMap map_{1u << 18};
};

}  // namespace leadline::recorder
