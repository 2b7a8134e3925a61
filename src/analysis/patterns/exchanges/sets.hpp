// Sets of numbers that grow together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace leadline::analysis {

// At first each number is a set of its own.
class Sets {
 public:
  explicit Sets(size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  uint32_t find(uint32_t a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }
  void join(uint32_t a, uint32_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<uint32_t> parent_;
};

}  // namespace leadline::analysis
