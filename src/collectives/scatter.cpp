#include "collectives/scatter.hpp"

namespace leadline::collectives {

void Scatter::binomial(int rank, Schedule* schedule) const {
  const int mine = from_root(rank);
  int distance = reach(mine);
  if (mine) schedule->wait(schedule->receive(blocks_.between(mine, last_held(mine)), rank_of(mine - distance)));
  const uint32_t first = schedule->requests;
  for (distance /= 2; distance > 0; distance /= 2)
    if (mine + distance < p_)
      schedule->send(blocks_.between(mine + distance, std::min(p_, mine + 2 * distance)), rank_of(mine + distance));
  schedule->wait_from(first);
}

}  // namespace leadline::collectives
