// A tree for a number of ranks that nobody has recorded, put together from leaves of recorded trees. What belongs where
// is decided in python/leadline/predict/ranks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "replay/tree.hpp"

namespace leadline::replay {

// What a call's message or collective is on one rank.
struct GrownPart {
  uint64_t identity = 0;
  int32_t peer = 0, rank = 0, world = 0, tag = 0;
  int64_t posted_bytes = 0, out_bytes = 0, in_bytes = 0;
};

// A part of a recorded leaf.   age: how many requests ago what it completes was made; 0: it completes nothing.
struct PartSource {
  uint32_t of_class = 0, leaf = 0, part = 0;
  uint32_t age = 0;
};

// Times of a recorded rank's calls.
struct TimesSource {
  uint32_t rank = 0, leaf = 0;
  double before = 1, during = 1;  // factors
  uint64_t calls = 0;
};

class Growing {
 public:
  // `from`: all leaves and times are its.   names of its sites and loops are those of its run.
  explicit Growing(const Tree& from);

  void add_communicator(uint64_t identity, std::vector<int32_t> members);
  // Its leaves follow. Returns its number.
  uint32_t add_class(RecordedShape shape);
  // `number`: the same in all classes for what is one call of the program.
  void add_leaf(uint32_t of_class, uint32_t from_class, uint32_t leaf, uint32_t number,
                const std::vector<PartSource>& parts);
  // Returns its number, which is a rank.
  uint32_t add_rank(uint32_t of_class, uint32_t node, double begin_ns);
  // Of the rank that was added last, each leaf in its order.
  void add_call(uint64_t identity, int32_t root, int32_t root_world, int64_t posted_bytes,
                const std::vector<GrownPart>& parts, const TimesSource& times);

  const Tree& tree() const { return made_; }

 private:
  const Tree& from_;
  Tree made_;
  std::vector<size_t> members_;  // by class
};

}  // namespace leadline::replay
