#include "analysis/waits/critical_path.hpp"

#include <algorithm>

namespace leadline::analysis {

double add_critical_path(const TimedStep& timed, const Profile& profile, Causes* path) {
  const std::vector<StepCall>& calls = timed.step->calls;
  uint32_t at = UINT32_MAX;
  for (uint32_t c = 0; c < calls.size(); ++c) {
    if (!calls[c].margin && (at == UINT32_MAX || timed.end_ns[c] > timed.end_ns[at])) at = c;
  }
  if (at == UINT32_MAX) return 0;
  const double end = timed.end_ns[at];
  double now = end;
  const auto add = [&](Doing doing, double since) {
    if (now > since) (*path)[{calls[at].process, doing, calls[at].site}] += now - since;
    now = std::min(now, since);
  };
  for (;;) {
    const CallWait& wait = timed.waits[at];
    const uint32_t site = calls[at].site;
    const bool io = site < profile.sites().size() &&
                    category_of(profile.functions()[profile.sites()[site].function].cls) == trace::Category::io;
    if (wait.kind != WaitKind::none && wait.end_ns < now) {
      add(Doing::mpi, wait.end_ns);  // the transfer
      if (calls[wait.culprit].margin) break;
      at = wait.culprit;
    } else {
      add(io ? Doing::io : Doing::mpi, timed.begin_ns[at]);
    }
    const bool first =
        at == 0 || calls[at - 1].process != calls[at].process || calls[at - 1].stream != calls[at].stream;
    if (first) {
      add(Doing::computation, timed.begin_ns[at] - calls[at].gap_ns);
      break;
    }
    add(calls[at].polled ? Doing::mpi : Doing::computation,
        std::max(timed.end_ns[at - 1], timed.begin_ns[at] - calls[at].gap_ns));
    add(Doing::mpi, timed.end_ns[at - 1]);  // failed polls
    if (calls[at - 1].margin) break;
    --at;
  }
  return end - now;
}

}  // namespace leadline::analysis
