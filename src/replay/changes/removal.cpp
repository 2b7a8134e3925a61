#include "replay/changes/change.hpp"

namespace leadline::replay {

namespace {

bool is_message(const calls::Leaf& leaf) {
  const trace::EventForm event = leaf.call.facts().event;
  return event == trace::EventForm::message || event == trace::EventForm::exchange;
}

// Empty: the call does nothing that another call of the program counts on, but that a message has two ends.
std::string why_not(const calls::Leaf& leaf) {
  const trace::CallFacts& facts = leaf.call.facts();
  if (facts.event == trace::EventForm::probe || facts.requests != trace::RequestUse::none)
    return leaf.function + " is neither a blocking collective nor a blocking message";
  if (is_message(leaf) && leaf.varies) return "the messages of " + leaf.function + " differ from call to call";
  if (leaf.call.cls == trace::CallClass::init || leaf.call.cls == trace::CallClass::finalize)
    return "every program needs " + leaf.function;
  return {};
}

}  // namespace

Refusal remove_calls(const Selection& at, Tree* tree, Made* made) {
  std::vector<std::vector<uint8_t>> wanted;
  bool found = false;
  for (TreeClass& of : tree->classes) {
    wanted.push_back(selected_leaves(of, at));
    for (size_t l = 0; l < of.leaves.size(); ++l) {
      TreeLeaf& leaf = of.leaves[l];
      if (!wanted.back()[l]) continue;
      if (std::string why = why_not(leaf.leaf); !why.empty()) return why;
      found = leaf.removed = true;
      if (is_message(leaf.leaf)) leaf.stands_for = 0;  // both ends are
    }
  }
  if (!found) return "the program makes no call there";
  if (std::string why = check_channels(*tree); !why.empty()) return why;
  for (const TreeMember& member : tree->members) {
    for (size_t l = 0; l < member.before_ns.size(); ++l) {
      if (wanted[member.of_class][l]) made->calls_before += member.before_ns[l].size();
    }
  }
  return {};
}

}  // namespace leadline::replay
