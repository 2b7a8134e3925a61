// Messages on their way to a port, which serves them in the order in which their first bytes arrive.
//
// Ranks run until they wait, so that messages come here in runs that are sorted already, one or a few for each sender.
// Merging these costs a few comparisons for each message, where a heap would cost as many as its depth.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace leadline::replay {

struct Coming {
  int64_t head_ps;
  uint64_t order;  // sender and number
  uint32_t message;
  bool operator<(const Coming& other) const {
    return head_ps != other.head_ps ? head_ps < other.head_ps : order < other.order;
  }
};

class Arrivals {
 public:
  void push(const Coming& coming) {
    if (runs_.empty() || coming < fresh_.back()) runs_.push_back(fresh_.size());
    fresh_.push_back(coming);
  }

  // Calls `serve` with each that arrives up to that time.
  template <class Serve>
  void serve(int64_t until_ps, const Serve& serve) {
    sort();
    while (next_ < sorted_.size() && sorted_[next_].head_ps <= until_ps) serve(sorted_[next_++].message);
    if (next_ == sorted_.size()) {
      sorted_.clear();
      next_ = 0;
    } else if (next_ > 64 && next_ * 2 > sorted_.size()) {
      sorted_.erase(sorted_.begin(), at(next_));
      next_ = 0;
    }
  }

  // All of them, in their order.
  void sort() {
    if (fresh_.empty()) return;
    merge_runs();
    const auto middle = static_cast<std::ptrdiff_t>(sorted_.size());
    if (next_ == sorted_.size()) {
      sorted_.swap(fresh_);
      next_ = 0;
    } else {
      sorted_.insert(sorted_.end(), fresh_.begin(), fresh_.end());
      const auto from = std::upper_bound(at(next_), sorted_.begin() + middle, fresh_.front());
      std::inplace_merge(from, sorted_.begin() + middle, sorted_.end());
    }
    fresh_.clear();
    runs_.clear();
  }
  // After sort().
  const Coming* begin() const { return sorted_.data() + next_; }
  const Coming* end() const { return sorted_.data() + sorted_.size(); }
  size_t size() const { return sorted_.size() - next_; }
  void delay(int64_t ps) {
    for (std::vector<Coming>* all : {&sorted_, &fresh_}) {
      for (Coming& c : *all) c.head_ps += ps;
    }
  }

 private:
  std::vector<Coming>::iterator at(size_t i) { return sorted_.begin() + static_cast<std::ptrdiff_t>(i); }

  // Neighbouring runs, until there is one.
  void merge_runs() {
    while (runs_.size() > 1) {
      runs_.push_back(fresh_.size());
      merged_.resize(fresh_.size());
      size_t kept = 0;
      const auto place = [&](size_t run) { return fresh_.begin() + static_cast<std::ptrdiff_t>(runs_[run]); };
      for (size_t run = 0; run + 1 < runs_.size(); run += 2) {
        const size_t end = std::min(run + 2, runs_.size() - 1);
        std::merge(place(run), place(run + 1), place(run + 1), place(end),
                   merged_.begin() + static_cast<std::ptrdiff_t>(runs_[run]));
        runs_[kept++] = runs_[run];
      }
      runs_.resize(kept);
      fresh_.swap(merged_);
    }
  }

  std::vector<Coming> sorted_, fresh_, merged_;
  std::vector<size_t> runs_;  // where each begins in fresh_
  size_t next_ = 0;           // in sorted_
};

}  // namespace leadline::replay
