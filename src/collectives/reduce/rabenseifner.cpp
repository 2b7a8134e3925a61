// Halves are exchanged and reduced (halving.hpp), and go back towards the root.
#include "collectives/halving.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::reduce {

bool rabenseifner(const Problem& problem, Schedule* schedule) {
  const Folding folding(problem);
  Partial partial(problem, schedule);
  const std::vector<HalvingLevel> levels = halve(problem, folding, &partial);
  for (size_t i = levels.size(); i-- > 0;) {
    const auto& [peer, peer_is_towards_root, kept, sent] = levels[i];
    if (peer_is_towards_root) {
      schedule->wait(schedule->send(partial.at_home(kept), peer));
      return true;
    }
    schedule->wait(schedule->receive(partial.at_home(sent), peer));
  }
  return true;
}

}  // namespace leadline::collectives::reduce
