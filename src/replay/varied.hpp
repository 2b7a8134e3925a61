// Leaves whose calls differ: what each of their calls does.
//
// A leaf of the tree stands for calls that do the same. Where a program's messages change from one iteration to the
// next (particles that move, meshes that adapt), it keeps only that its calls are of one site. But the trace has each
// call, and if one end of a message were replayed without the other, ranks would wait for what never comes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "calls/class_trees.hpp"

namespace leadline::replay {

struct Varied {
  std::vector<calls::Leaf> kinds;  // of this rank alone
  std::vector<uint32_t> of;        // by call: its kind
};
// By leaf of the rank's class. Trees share them.
using VariedLeaves = std::map<uint32_t, std::shared_ptr<const Varied>>;

// Gathers the calls of a rank.
class Varying {
 public:
  // Whether calls of the leaf are to be replayed one by one.
  static bool wanted(const calls::Leaf& leaf);

  // The next call of the leaf.   ns: its duration; NaN: unknown.
  void add(uint32_t leaf, const calls::Leaf& call, float ns);
  VariedLeaves take();
  size_t kinds() const { return kinds_; }
  // The durations of calls of a kind of several leaves, or of one.
  template <class Each>
  void for_each_kind(const Each& each) const {
    for (const auto& [leaf, own] : leaves_)
      for (size_t k = 0; k < own.varied->kinds.size(); ++k) each(own.varied->kinds[k], own.ns[k]);
  }

 private:
  struct One {
    std::shared_ptr<Varied> varied = std::make_shared<Varied>();
    std::map<std::vector<int64_t>, uint32_t> numbers;  // by all that is replayed of a call
    std::vector<std::vector<float>> ns;                // by kind
  };
  std::map<uint32_t, One> leaves_;
  size_t kinds_ = 0;
};

}  // namespace leadline::replay
