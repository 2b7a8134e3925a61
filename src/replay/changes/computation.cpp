#include "replay/changes/change.hpp"

namespace leadline::replay {

Refusal computation(const Selection& at, double factor, Tree* tree, Made*) {
  std::vector<std::vector<uint8_t>> wanted;
  bool found = false;
  for (const TreeClass& of : tree->classes) {
    wanted.push_back(selected_leaves(of, at));
    for (const uint8_t each : wanted.back()) found = found || each;
  }
  if (!found) return "the program makes no call there";
  for (TreeMember& member : tree->members) {
    for (size_t l = 0; l < member.before_ns.size(); ++l) {
      if (!wanted[member.of_class][l]) continue;
      tree->fill(&member, l);
      for (float& ns : member.before_ns[l]) ns = static_cast<float>(ns * factor);
    }
  }
  return {};
}

}  // namespace leadline::replay
