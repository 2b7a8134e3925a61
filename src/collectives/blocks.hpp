// Blocks of the ranks, and cuts of a message: into blocks, one for each process, and into segments that follow one
// another.
#pragma once

#include <algorithm>

#include "collectives/schedule.hpp"

namespace leadline::collectives {

// The same range of another space.
inline Range in_space(Space space, Range range) { return {space, range.first, range.count}; }

// Where a rank's block for `rank` is, and where that from it is to be, in operations with a block for each rank.
inline Range contributed_to(const Problem& problem, int rank) {
  return {Space::input, rank * problem.count, problem.count};
}
inline Range received_from(const Problem& problem, int rank) {
  return {Space::data, rank * problem.count, problem.count};
}

// What a rank contributes, in operations in which that is one block.
inline Range contribution(const Problem& problem) { return {Space::input, 0, problem.count}; }

// What a rank receives, where that is one block.
inline Range result(const Problem& problem) { return {Space::data, 0, problem.count}; }

// `range` cut into `parts` that differ by one element at most; the longer ones are first. Parts may be empty.
class Blocks {
 public:
  Blocks(Range whole, int parts) : whole_(whole), parts_(parts) {}

  Range operator[](int index) const { return between(index, index + 1); }
  // Blocks first .. last - 1, which lie side by side.
  Range between(int first, int last) const {
    return {whole_.space, whole_.first + begin(first), begin(last) - begin(first)};
  }
  int parts() const { return parts_; }
  int64_t longest() const { return whole_.count / parts_ + (whole_.count % parts_ != 0); }

 private:
  int64_t begin(int index) const {
    return whole_.count / parts_ * index + std::min<int64_t>(index, whole_.count % parts_);
  }

  Range whole_;
  int parts_;
};

// `whole` cut into pieces of `segment_bytes` (at least an element), the last with the rest; 0: one piece.
class Segments {
 public:
  Segments(Range whole, int64_t segment_bytes, int64_t element_bytes) : whole_(whole), length_(whole.count) {
    if (segment_bytes > 0)
      length_ = std::min(whole.count, std::max<int64_t>(1, segment_bytes / std::max<int64_t>(1, element_bytes)));
  }

  int64_t number() const { return length_ ? (whole_.count + length_ - 1) / length_ : 0; }
  Range operator[](int64_t index) const {
    const int64_t first = std::min(index * length_, whole_.count);
    return {whole_.space, whole_.first + first, std::min(length_, whole_.count - first)};
  }
  int64_t length() const { return length_; }

 private:
  Range whole_;
  int64_t length_;
};

}  // namespace leadline::collectives
