// Bruck's algorithm: a block travels the distance to its rank in one hop for each digit of that distance, written in
// base `radix` from its lowest digit on. Blocks with the same digit share a message. A block stays where it arrived
// until it is sent on, so it is copied once for each hop, and to its place at the end.
#include <vector>

#include "collectives/blocks.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::alltoall {

namespace {

class Travel {
 public:
  Travel(const Problem& problem, Schedule* schedule)
      : problem_(problem), p_(problem.processes), schedule_(schedule), blocks_(static_cast<size_t>(p_)) {
    for (int distance = 0; distance < p_; ++distance)
      blocks_[static_cast<size_t>(distance)] = contributed_to(problem, (problem.rank + distance) % p_);
  }

  // All hops of one digit, whose weight is `weight`.
  void round(int64_t weight, int radix) {
    const uint32_t first = schedule_->requests;
    std::vector<Range> arrived = blocks_;
    for (int digit = 1; digit < radix && digit * weight < p_; ++digit) {
      std::vector<int> hopping;
      for (int distance = 0; distance < p_; ++distance)
        if (distance / weight % radix == digit) hopping.push_back(distance);
      const auto hop = static_cast<int>(digit * weight);
      const auto count = static_cast<int64_t>(hopping.size()) * problem_.count;
      Range into = schedule_->reserve(count);
      schedule_->receive(into, (problem_.rank + p_ - hop) % p_);
      schedule_->send(packed(hopping, count), (problem_.rank + hop) % p_);
      for (const int distance : hopping) {
        arrived[static_cast<size_t>(distance)] = {into.space, into.first, problem_.count};
        into.first += problem_.count;
      }
    }
    schedule_->wait_from(first);
    blocks_ = arrived;
  }

  // A block that travelled this far was for this rank, from the one so far before it.
  void arrive() const {
    for (int distance = p_ - 1; distance >= 0; --distance)
      schedule_->copy(blocks_[static_cast<size_t>(distance)],
                      received_from(problem_, (problem_.rank + p_ - distance) % p_));
  }

 private:
  // One block is sent from where it is.
  Range packed(const std::vector<int>& hopping, int64_t count) const {
    if (hopping.size() == 1) return blocks_[static_cast<size_t>(hopping.front())];
    const Range all = schedule_->reserve(count);
    Range next{all.space, all.first, problem_.count};
    for (const int distance : hopping) {
      schedule_->copy(blocks_[static_cast<size_t>(distance)], next);
      next.first += problem_.count;
    }
    return all;
  }

  const Problem& problem_;
  int p_;
  Schedule* schedule_;
  std::vector<Range> blocks_;  // by the distance that they travel in all
};

}  // namespace

bool bruck(const Problem& problem, Schedule* schedule) {
  if (problem.radix < 2) return false;
  Travel travel(problem, schedule);
  for (int64_t weight = 1; weight < problem.processes; weight *= problem.radix) travel.round(weight, problem.radix);
  travel.arrive();
  return true;
}

}  // namespace leadline::collectives::alltoall
