#include "analysis/waits/critical_path.hpp"

#include <algorithm>

namespace leadline::analysis {

void walk_critical_path(const TimedStep& timed, const Profile& profile,
                        const std::function<void(const PathStretch&)>& visit) {
  const std::vector<StepCall>& calls = timed.step->calls;
  uint32_t at = UINT32_MAX;
  for (uint32_t c = 0; c < calls.size(); ++c) {
    if (!calls[c].margin && (at == UINT32_MAX || timed.end_ns[c] > timed.end_ns[at])) at = c;
  }
  if (at == UINT32_MAX) return;
  double now = timed.end_ns[at];
  const auto add = [&](Doing doing, double since) {
    if (now > since) visit({calls[at].process, calls[at].site, doing, since, now});
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
}

double add_critical_path(const TimedStep& timed, const Profile& profile, Causes* path) {
  double length = 0;
  walk_critical_path(timed, profile, [&](const PathStretch& s) {
    (*path)[{s.process, s.doing, s.site}] += s.end_ns - s.begin_ns;
    length += s.end_ns - s.begin_ns;
  });
  return length;
}

}  // namespace leadline::analysis
