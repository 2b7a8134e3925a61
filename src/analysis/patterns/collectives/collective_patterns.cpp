#include "analysis/patterns/collectives/collective_patterns.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/patterns/exchanges/order.hpp"

namespace leadline::analysis {

namespace {

// What happens between the start of a collective and the call that completes it, all ranks together.
struct Progress {
  std::set<uint32_t> completed_at;           // call sites
  std::map<uint32_t, double> overlapped_ns;  // by process
  double completing_ns = 0;
};

// By the call site that starts them. Calls that complete several collectives count once for each site.
std::map<uint32_t, Progress> progress_in(const Step& step) {
  std::map<uint32_t, Progress> sites;
  if (!step.timed) return sites;
  std::map<uint32_t, std::set<uint32_t>> completing;  // calls, by site
  for (const StepCollective& c : step.collectives) {
    for (const StepCollective::Member& m : c.members) {
      if (m.done == StepMessage::none || m.done <= m.call) continue;
      const uint32_t site = step.calls[m.call].site;
      Progress& p = sites[site];
      p.completed_at.insert(step.calls[m.done].site);
      double& overlapped = p.overlapped_ns[step.calls[m.call].process];
      for (uint32_t call = m.call + 1; call <= m.done; ++call) overlapped += step.calls[call].gap_ns;
      if (completing[site].insert(m.done).second)
        p.completing_ns += step.calls[m.done].end_ns - step.calls[m.done].begin_ns;
    }
  }
  return sites;
}

}  // namespace

void patterns_of_collectives(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                             std::vector<Pattern>* found) {
  const RunLoops& loops = profile.loops();
  const uint32_t main = loops.main();
  for (const auto& [site, progress] : progress_in(steps.iteration)) {
    std::vector<double> overlapped;
    double all = 0;
    for (const auto& [process, ns] : progress.overlapped_ns) overlapped.push_back(ns), all += ns;
    if (!overlaps_nothing(overlapped, progress.completing_ns)) continue;
    Pattern p;
    p.name = "no_overlap";
    p.sites.push_back(site);
    for (const uint32_t s : progress.completed_at) {
      if (s != site) p.sites.push_back(s);
    }
    const uint32_t loop = traffic.sites()[site].loop;
    p.in_main_loop = main && loop && loops.within(loop, main);
    for (const Cell& c : profile.sites()[site].cells) {
      p.ranks += c.counts.calls > 0;
      p.bytes += c.counts.contributed;
    }
    p.evidence = {{"overlapped_s_in_step", all * 1e-9}, {"completing_s_in_step", progress.completing_ns * 1e-9}};
    found->push_back(std::move(p));
  }
}

}  // namespace leadline::analysis
