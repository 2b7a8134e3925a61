#include "interchange/predicted/predicted_run.hpp"

#include <cstring>

#include "interchange/predicted/written_rank.hpp"
#include "replay/translation.hpp"

namespace leadline::interchange::predicted {

uint64_t calls_of(const replay::Tree& tree, const replay::Settings& settings) {
  const bool last_stays = tree.last_stays(settings.steps, settings.last_repeats);
  std::vector<uint64_t> of_class;
  for (const replay::TreeClass& of : tree.classes) {
    replay::RecordedShape shape = of.shape;
    shape.resize(settings.steps, last_stays);
    uint64_t& calls = of_class.emplace_back();
    for (size_t l = 0; l < of.leaves.size(); ++l) calls += of.leaves[l].removed ? 0 : shape.calls_of(l);
  }
  uint64_t calls = 0;
  for (const replay::TreeMember& member : tree.members) calls += of_class[member.of_class];
  return calls;
}

PredictedRun::PredictedRun(const replay::Recorded& recorded, const replay::Tree& tree, replay::Settings settings)
    : recorded_(recorded),
      before_(recorded.tree()),
      now_(tree),
      steps_(settings.steps),
      last_stays_(tree.last_stays(settings.steps, settings.last_repeats)) {
  settings.trace = settings.trace_all = true;
  replay::Differences differences;
  outcome_ = replay::replay(replay::program_of(recorded, now_, settings, &differences), {});
}

Written PredictedRun::write(const Rank& rank, const trace::Process& process, const calls::RunNumbers& numbers) {
  std::vector<replay::TracedCall> calls = std::move(outcome_.traces.at(rank.rank));
  WrittenRank written({recorded_, before_, now_, process, numbers}, rank);
  return written.write(calls, steps_, last_stays_);
}

}  // namespace leadline::interchange::predicted
