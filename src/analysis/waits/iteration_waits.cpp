#include "analysis/waits/iteration_waits.hpp"

#include <algorithm>

#include "analysis/matching/step_reader.hpp"

namespace leadline::analysis {

struct IterationWaitFinder::State {
  const Profile& profile;
  std::vector<uint64_t> iterations;
  StepReader reader;
  SeenToReturn seen;
  std::shared_ptr<const CallWaits> calls;
};

IterationWaitFinder::IterationWaitFinder(const Profile& profile, const std::vector<uint64_t>& iterations, uint32_t loop,
                                         const RunWaits& run)
    : state_(new State{profile, iterations, {profile, iterations, loop}, run.seen, run.calls}) {}
IterationWaitFinder::~IterationWaitFinder() = default;

void IterationWaitFinder::add(const trace::Process& process, uint32_t index) { state_->reader.add(process, index); }

IterationWaits IterationWaitFinder::find() {
  const RunTime time = state_->profile.time();
  IterationWaits found;
  found.calls = state_->calls;
  found.paths.resize(state_->iterations.size());
  const auto calls = std::make_shared<CallWaits>();
  for (const Step& step : state_->reader.finish()) {
    const auto at = std::find(state_->iterations.begin(), state_->iterations.end(), step.iteration);
    if (at == state_->iterations.end()) continue;
    std::vector<PathStretch>& path = found.paths[static_cast<size_t>(at - state_->iterations.begin())];
    const TimedStep timed = wait_states(step, state_->profile, time, state_->seen);
    if (!found.calls) calls->add(timed);
    walk_critical_path(timed, state_->profile, [&](const PathStretch& s) { path.push_back(s); });
    std::reverse(path.begin(), path.end());
  }
  if (!found.calls) found.calls = calls;
  return found;
}

}  // namespace leadline::analysis
