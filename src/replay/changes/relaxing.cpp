#include "replay/changes/change.hpp"

namespace leadline::replay {

Refusal relax_sends(const Selection& at, Tree* tree, Made* made) {
  std::vector<std::vector<uint8_t>> wanted;
  bool found = false;
  for (TreeClass& of : tree->classes) {
    wanted.push_back(selected_leaves(of, at));
    for (size_t l = 0; l < of.leaves.size(); ++l) {
      bool synchronous = false;
      for (trace::SendMode& mode : of.leaves[l].leaf.modes) {
        if (!wanted.back()[l] || mode != trace::SendMode::synchronous) continue;
        mode = trace::SendMode::standard;
        synchronous = true;
      }
      wanted.back()[l] = synchronous;
      of.leaves[l].relaxed = of.leaves[l].relaxed || synchronous;
      found = found || synchronous;
    }
  }
  if (!found) return "no synchronous send is there";
  for (const TreeMember& member : tree->members) {
    for (size_t l = 0; l < member.before_ns.size(); ++l) {
      if (!wanted[member.of_class][l]) continue;
      made->calls_before += member.before_ns[l].size();
      made->calls_after += member.before_ns[l].size();
    }
  }
  return {};
}

}  // namespace leadline::replay
