// The wait states of a run: seconds per kind, call site and rank, with their causes; the critical path of a step; and
// the ranks' imbalance. From a run whose calls' times were all kept they are exact. Else they are estimated from
// regularly chosen iterations of the main loop.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/profile.hpp"
#include "analysis/waits/call_waits.hpp"
#include "analysis/waits/causes.hpp"
#include "analysis/waits/imbalance.hpp"
#include "analysis/waits/wait_states.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

struct WaitCause {
  uint32_t process = 0, site = 0;
  Doing doing = Doing::unknown;
  double share = 0;  // of the wait
};

struct WaitRow {
  WaitKind kind = WaitKind::none;
  uint32_t site = 0, process = 0;
  double ns = 0;                  // in the whole run
  double error_ns = 0;            // half of the interval that holds it with a probability of 95 %; 0 if it is exact
  std::vector<WaitCause> causes;  // the largest first
};

// A share of the longest chain of computation, calls and messages through a step: without it the step would be shorter.
struct PathRow {
  uint32_t process = 0, site = 0;
  Doing doing = Doing::unknown;  // computation before the call, or the call
  double share = 0;
};

struct RunWaits {
  bool found = false;
  bool estimated = false;
  uint64_t iterations = 0;    // used for the estimate
  std::vector<WaitRow> rows;  // the longest first
  // Sites none of whose calls on some rank were among those looked at, and their time there: waits in it are unknown.
  std::vector<std::pair<uint32_t, double>> unseen;
  std::vector<PathRow> path;  // the largest first
  uint64_t path_steps = 0;    // over which it is a mean
  Imbalance imbalance;
  SeenToReturn seen;                       // by which the waits were found
  std::shared_ptr<const CallWaits> calls;  // of all calls of the run; nullptr: not all of their times were kept
};

class WaitFinder {
 public:
  // The profile has all processes of the run and outlives this.
  explicit WaitFinder(const Profile& profile);
  ~WaitFinder();
  // All processes again, in the profile's order.
  void add(const trace::Process& process, uint32_t index);
  RunWaits find();  // once, after the last process

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leadline::analysis
