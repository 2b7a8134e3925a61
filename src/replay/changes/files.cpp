#include "replay/changes/change.hpp"

namespace leadline::replay {

Refusal scale_files(const Selection& at, double factor, Tree* tree, Made*) {
  bool found = false, other = false;
  for (TreeClass& of : tree->classes) {
    const std::vector<uint8_t> wanted = selected_leaves(of, at);
    for (size_t l = 0; l < of.leaves.size(); ++l) {
      if (!wanted[l]) continue;
      const trace::CallFacts& facts = of.leaves[l].leaf.call.facts();
      // The time of a nonblocking or collective one depends on when other ranks come.
      if (facts.category != trace::Category::io || facts.requests != trace::RequestUse::none) {
        other = true;
        continue;
      }
      of.leaves[l].takes *= factor;
      found = true;
    }
  }
  if (!found) return other ? "no blocking file call is there" : "the program makes no call there";
  return {};
}

}  // namespace leadline::replay
