#include <algorithm>

#include "replay/changes/change.hpp"

namespace leadline::replay {

Refusal poll_once(const Selection& at, bool if_any, Tree* tree, Made* made) {
  std::vector<std::vector<uint8_t>> in_loops;
  for (const TreeClass& of : tree->classes) in_loops.push_back(selected_leaves(of, {at.loops, {}}));
  for (TreeMember& member : tree->members) {
    for (VainPolls& run : member.polls) {
      const bool wanted = std::find(at.sites.begin(), at.sites.end(), run.site) != at.sites.end();
      if (!wanted && !in_loops[member.of_class][run.leaf]) continue;
      float& ns = member.before_ns[run.leaf][run.call];
      ns = std::max(ns - (run.ns - run.one_ns), 0.0F);
      made->calls_before += run.polls;
      ++made->calls_after;
      run = {run.leaf, run.call, run.site, 1, run.one_ns, run.one_ns};
    }
  }
  return made->calls_before || if_any ? "" : "no polls that find nothing are there, or their times were not kept";
}

}  // namespace leadline::replay
