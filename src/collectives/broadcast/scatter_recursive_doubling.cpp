// The blocks are scattered along a binomial tree. Then groups of 1, 2, 4, ... processes exchange their blocks with the
// group beside them, each process with its counterpart. The last group may be smaller. Processes of the other group
// whose counterpart is missing get these blocks from within their own group, by halving distances.
#include "collectives/scatter.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::broadcast {

namespace {

class Gathering {
 public:
  Gathering(const Problem& problem, Schedule* schedule)
      : scatter_(problem), p_(problem.processes), mine_(scatter_.from_root(problem.rank)), schedule_(schedule) {
    scatter_.binomial(problem.rank, schedule);
  }

  void exchange(int distance) {
    const int first = mine_ & ~(distance - 1), like = mine_ ^ distance;
    const int other = first ^ distance;
    const uint32_t request = schedule_->requests;
    if (like < p_) {
      if (!has(mine_, other, distance)) schedule_->receive(group(other, distance), scatter_.rank_of(like));
      if (!has(like, first, distance)) schedule_->send(group(first, distance), scatter_.rank_of(like));
    }
    schedule_->wait_from(request);
    if (other > first && other < p_ && other + distance > p_) share(other, distance);
  }

 private:
  // The first p - other processes of the group have the other group's blocks; the rest gets them.
  void share(int other, int distance) {
    const Range blocks = group(other, distance);
    for (int step = distance / 2; step > 0; step /= 2) {
      const int like = mine_ ^ step, served = (mine_ & ~(2 * step - 1)) + (p_ - other);
      if (mine_ < like && mine_ < served && like >= served)
        schedule_->wait(schedule_->send(blocks, scatter_.rank_of(like)));
      if (like < mine_ && like < served && mine_ >= served)
        schedule_->wait(schedule_->receive(blocks, scatter_.rank_of(like)));
    }
  }

  Range group(int first, int distance) const {
    return scatter_.blocks().between(first, std::min(p_, first + distance));
  }
  // From the scatter.
  bool has(int process, int first, int distance) const {
    return process <= first && std::min(p_, first + distance) <= scatter_.last_held(process);
  }

  Scatter scatter_;
  int p_, mine_;
  Schedule* schedule_;
};

}  // namespace

bool scatter_recursive_doubling(const Problem& problem, Schedule* schedule) {
  Gathering gathering(problem, schedule);
  for (int distance = 1; distance < problem.processes; distance *= 2) gathering.exchange(distance);
  return true;
}

}  // namespace leadline::collectives::broadcast
