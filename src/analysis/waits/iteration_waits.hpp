// The waits of the calls of single iterations, found as those of the run are, and their critical paths.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/waits/critical_path.hpp"
#include "analysis/waits/waits.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

struct IterationWaits {
  std::shared_ptr<const CallWaits> calls;       // of the iterations or more
  std::vector<std::vector<PathStretch>> paths;  // by iteration, in order; none if its calls' times were not kept
};

class IterationWaitFinder {
 public:
  // loop: number in Profile::loops(); 0: the main one.   run: what was found for all of it.
  // The profile has all processes of the run and outlives this.
  IterationWaitFinder(const Profile& profile, const std::vector<uint64_t>& iterations, uint32_t loop,
                      const RunWaits& run);
  ~IterationWaitFinder();
  // All processes again, in the profile's order.
  void add(const trace::Process& process, uint32_t index);
  IterationWaits find();  // once, after the last process

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leadline::analysis
