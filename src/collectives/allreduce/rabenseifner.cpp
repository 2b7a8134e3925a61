// Halves are exchanged and reduced (halving.hpp), and go back the same way, to all.
#include "collectives/halving.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allreduce {

bool rabenseifner(const Problem& problem, Schedule* schedule) {
  const Folding folding(problem);
  Partial partial(problem, schedule);
  const std::vector<HalvingLevel> levels = halve(problem, folding, &partial);
  for (size_t i = levels.size(); i-- > 0;) {
    const uint32_t first = schedule->requests;
    schedule->receive(levels[i].sent, levels[i].peer);
    schedule->send(levels[i].kept, levels[i].peer);
    schedule->wait_from(first);
  }
  folding.unfold(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::allreduce
