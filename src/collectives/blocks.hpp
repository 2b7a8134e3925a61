// Blocks of the ranks, and cuts of a message: into blocks, one for each process, and into segments that follow one
// another.
#pragma once

#include <algorithm>
#include <vector>

#include "collectives/schedule.hpp"

namespace leadline::collectives {

// The same range of another space.
inline Range in_space(Space space, Range range) { return {space, range.first, range.count}; }

// Where a rank's block for `rank` is, and where that from it is to be, in operations with a block for each rank.
inline Range contributed_to(const Problem& problem, int rank) {
  if (problem.counts_contributed)
    return {Space::input, problem.places_contributed[rank], problem.counts_contributed[rank]};
  return {Space::input, rank * problem.count, problem.count};
}
inline Range received_from(const Problem& problem, int rank) {
  if (problem.counts_received) return {Space::data, problem.places_received[rank], problem.counts_received[rank]};
  return {Space::data, rank * problem.count, problem.count};
}

// What a rank contributes, in operations in which that is one block.
inline Range contribution(const Problem& problem) {
  return {Space::input, 0, problem.counts_received ? problem.counts_received[problem.rank] : problem.count};
}

// What a rank receives, where that is one block: where blocks have their own counts, that of its number.
inline Range result(const Problem& problem) {
  return {Space::data, 0, problem.counts_contributed ? problem.counts_contributed[problem.rank] : problem.count};
}

// All that a rank contributes, wherever it lies.
inline Range whole(const Problem& problem) {
  int64_t count = contribution(problem).count * facts_of(problem.operation).blocks_contributed(problem.processes);
  if (problem.counts_contributed) {
    count = 0;
    for (int rank = 0; rank < problem.processes; ++rank) count += problem.counts_contributed[rank];
  }
  return {Space::data, 0, count};
}

// `range` cut into `parts` that differ by one element at most; the longer ones are first. Or into parts of these
// counts. Parts may be empty.
class Blocks {
 public:
  Blocks(Range whole, int parts) : whole_(whole), parts_(parts) {}
  Blocks(Range whole, const int64_t* counts, int parts) : whole_(whole), parts_(parts), begins_{0} {
    for (int i = 0; i < parts; ++i) begins_.push_back(begins_.back() + counts[i]);
  }

  Range operator[](int index) const { return between(index, index + 1); }
  // Blocks first .. last - 1, which lie side by side.
  Range between(int first, int last) const {
    return {whole_.space, whole_.first + begin(first), begin(last) - begin(first)};
  }
  int parts() const { return parts_; }
  int64_t longest() const {
    int64_t most = 0;
    for (int i = 0; i < parts_; ++i) most = std::max(most, begin(i + 1) - begin(i));
    return most;
  }

 private:
  int64_t begin(int index) const {
    if (!begins_.empty()) return begins_[static_cast<size_t>(index)];
    return whole_.count / parts_ * index + std::min<int64_t>(index, whole_.count % parts_);
  }

  Range whole_;
  int parts_;
  std::vector<int64_t> begins_;  // of parts with their own counts; empty: they are even
};

// A block for each rank, of what a rank contributes.
inline Blocks blocks_of(const Problem& problem, Space space) {
  const Range all = in_space(space, whole(problem));
  return problem.counts_contributed ? Blocks(all, problem.counts_contributed, problem.processes)
                                    : Blocks(all, problem.processes);
}

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
