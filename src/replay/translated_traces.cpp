// Which iteration of the main loop is traced, and where its calls begin and end.
#include <algorithm>
#include <map>

#include "replay/translation.hpp"

namespace leadline::replay {

void Translation::note(size_t leaf, bool begins) {
  Action note;
  note.kind = Action::Kind::note;
  note.at = RecordedShape::call_of(leaf);
  note.first = begins;
  own_->actions.push_back(note);
}

// How many calls are noted in each of the last iterations of a class, the last one first.
std::vector<uint64_t> Translation::noted_calls(const RecordedShape& shape, const TreeMember& member) const {
  constexpr size_t most = 32;
  const std::vector<TreeLeaf>& leaves = tree_.classes[member.of_class].leaves;
  std::vector<uint64_t> found;
  for (const std::vector<uint64_t>& iteration : shape.last_iterations(most)) {
    uint64_t& calls = found.emplace_back(0);
    for (size_t l = 0; l < iteration.size(); ++l) {
      calls += leaves[l].removed || member.before_ns[l].empty() ? 0 : iteration[l];
    }
  }
  return found;
}

// Of the last iterations, the last one that has as many calls on the first rank as half of them have; on each rank with
// the call before it.
void Translation::choose_traced(const std::vector<RecordedShape>& shapes) {
  if (settings_.trace_all) {
    constexpr uint64_t all = UINT64_MAX / 4;
    program_.traced.assign(tree_.members.size(), {all, 0});
    program_.all_traced = true;
    return;
  }
  constexpr uint64_t most = 100'000;  // more could not be drawn
  std::map<size_t, std::vector<uint64_t>> of_classes;
  size_t chosen = 0;
  for (const TreeMember& member : tree_.members) {
    const auto [at, fresh] = of_classes.try_emplace(member.of_class);
    if (fresh) at->second = noted_calls(shapes[member.of_class], member);
    const std::vector<uint64_t>& calls = at->second;
    if (program_.traced.empty() && !calls.empty()) {
      std::vector<uint64_t> sorted = calls;
      std::ranges::sort(sorted);
      chosen = static_cast<size_t>(std::ranges::find(calls, sorted[sorted.size() / 2]) - calls.begin());
    }
    Program::Traced& traced = program_.traced.emplace_back();
    if (chosen >= calls.size() || !calls[chosen]) continue;
    traced.wanted = calls[chosen] + 1;
    for (size_t i = 0; i < chosen; ++i) traced.after += calls[i];
    if (traced.wanted + traced.after > most) traced = {};
  }
}

}  // namespace leadline::replay
