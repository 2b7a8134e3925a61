// Iterations that contradict their loop: control comes to one call twice in an iteration of the innermost loop around
// it.
//
// A call site is an instruction, and the calls that lead there. In one iteration of the innermost loop around any of
// these, control comes there once at most. If it comes again, a loop was not seen: within, or this one's next
// iteration.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "structure/loop_tree.hpp"

namespace leadline::structure {

class Revisits {
 public:
  // `ignored`: by site, those whose calls do not count: one statement may make several calls of libc on files.
  Revisits(const LoopTree& tree, const std::vector<bool>& ignored) : tree_(tree), ignored_(ignored) {}
  // Of these iterations of a loop, by their bodies with how often each comes, those with such a call.
  uint64_t among(const std::map<Sequence, uint64_t>& variants);

 private:
  // Not all calls of a long iteration are looked at.
  static constexpr uint64_t most_calls = 4096;
  bool revisits(Sequence body);

  const LoopTree& tree_;
  const std::vector<bool>& ignored_;
  std::vector<uint32_t> visited_;  // by site, the number of the body that was looked at last
  uint32_t bodies_ = 0;
};

}  // namespace leadline::structure
