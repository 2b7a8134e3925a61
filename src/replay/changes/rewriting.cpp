#include "replay/changes/rewriting.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "replay/recorded.hpp"

namespace leadline::replay {

using structure::CallPart;
using trace::CallFacts;
using trace::EventForm;
using trace::RequestUse;

namespace {

constexpr uint64_t gone = UINT64_MAX;          // a request that is not made any more
constexpr uint64_t most_calls_in_loop = 4096;  // of a loop that becomes part of a row

uint64_t calls_in(const Shape& shape, uint32_t body) {
  uint64_t sum = 0;
  for (const Element& e : shape.bodies[body]) sum += e.times * (e.is_body ? calls_in(shape, e.index) : 1);
  return sum;
}

// The median, so that a core that was lost once says nothing.
double usual_before_ns(const TreeClass& of, const TreeMember& member, size_t leaf) {
  std::vector<float> kept;
  for (const float ns : member.before_ns[leaf])
    if (std::isfinite(ns)) kept.push_back(ns);
  if (kept.empty()) return member.times(of, leaf).before_ns;
  const auto middle = kept.begin() + static_cast<std::ptrdiff_t>((kept.size() - 1) / 2);
  std::nth_element(kept.begin(), middle, kept.end());
  return *middle;
}

}  // namespace

bool is_local(const TreeLeaf& leaf) {
  const CallFacts& facts = leaf.leaf.call.facts();
  return leaf.removed ||
         (!facts.moves && facts.requests == RequestUse::none && facts.category == trace::Category::local);
}

bool is_completion(const TreeLeaf& leaf) {
  return !leaf.removed && leaf.leaf.call.facts().requests == RequestUse::completes && !leaf.leaf.call.nothing;
}

bool is_message(const TreeLeaf& leaf) {
  const CallFacts& facts = leaf.leaf.call.facts();
  if (leaf.removed || facts.requests == RequestUse::creates) return false;
  return facts.event == EventForm::message || facts.event == EventForm::exchange ||
         facts.requests == RequestUse::starts;
}

bool sends(const TreeLeaf& leaf, size_t member) {
  if (!is_message(leaf)) return false;
  for (size_t p = 0; p < leaf.leaf.call.parts.size(); ++p) {
    if (leaf.leaf.call.parts[p].sends() && leaf.leaf.parts[p].of(member).partner.real()) return true;
  }
  return false;
}

Rewriting::Rewriting(TreeClass* of) : class_(*of), old_(of->shape), recorded_(of->leaves.size()) {
  for (size_t l = 0; l < recorded_; ++l) {
    from_.push_back(static_cast<uint32_t>(l));
    told_.push_back(SIZE_MAX);
  }
}

uint32_t Rewriting::copy(uint32_t leaf) {
  TreeLeaf made = class_.leaves[leaf];
  made.number = structure::no_index;
  const uint32_t added = insert(std::move(made));
  from_[added] = from_[leaf];
  return added;
}

uint32_t Rewriting::insert(TreeLeaf leaf) {
  class_.leaves.push_back(std::move(leaf));
  ++class_.shape.shape.calls;
  from_.push_back(structure::no_index);
  told_.push_back(SIZE_MAX);
  return static_cast<uint32_t>(class_.leaves.size() - 1);
}

void Rewriting::for_each_row(const std::vector<Role>& roles, const std::vector<uint8_t>& computes,
                             const Rewrite& rewrite) {
  roles_ = &roles;
  computes_ = &computes;
  rewrite_ = &rewrite;
  seen_.assign(old_.shape.bodies.size(), false);
  rows_of(old_.shape.root, false);
}

bool Rewriting::computes_before(const Element& e) const {
  if (!e.is_body) return e.index >= RecordedShape::marks && (*computes_)[e.index - RecordedShape::marks];
  const std::vector<Element>& inner = old_.shape.bodies[e.index];
  return !inner.empty() && computes_before(inner.front());
}

// Whether the element may be a part of a row, whose first call it may be.
bool Rewriting::in_row(const Element& e) const {
  if (!e.is_body) return e.index >= RecordedShape::marks && (*roles_)[e.index - RecordedShape::marks] != Role::ends;
  if (old_.entered && e.index == old_.main_body) return false;
  const std::vector<Element>& inner = old_.shape.bodies[e.index];
  for (size_t i = 0; i < inner.size(); ++i) {
    const bool again = i || e.times > 1;
    if (!in_row(inner[i]) || (again && computes_before(inner[i]))) return false;
  }
  return true;
}

// Of an execution of a loop; 0: the element is none. Calls that several bodies have in common may be a body, too.
uint32_t Rewriting::loop_number(const Element& e) const {
  return e.is_body && (e.times > 1 || old_.loop_of[e.index]) ? ++loops_ : 0;
}

void Rewriting::flatten(uint32_t body, uint32_t loop, Row* row) const {
  for (const Element& e : old_.shape.bodies[body]) {
    for (uint64_t t = 0; t < e.times; ++t) {
      if (e.is_body) {
        flatten(e.index, loop ? loop : loop_number(e), row);
      } else {
        row->leaves.push_back(e.index - RecordedShape::marks);
        row->loops.push_back(loop);
      }
    }
  }
}

// A sequence of calls that bodies have in common, of which only a part belongs to a row.
bool Rewriting::opens(const Element& e) const {
  if (!e.is_body || e.times != 1 || old_.loop_of[e.index] || old_.is_iteration[e.index] || in_row(e)) return false;
  if (old_.entered && e.index == old_.main_body) return false;
  return calls_in(old_.shape, e.index) <= most_calls_in_loop;
}

// The body's elements, with those of such sequences in their place.
std::vector<Element> Rewriting::opened(uint32_t body) const {
  std::vector<Element> found;
  for (const Element& e : old_.shape.bodies[body]) {
    if (!opens(e)) {
      found.push_back(e);
      continue;
    }
    const std::vector<Element> inner = opened(e.index);
    found.insert(found.end(), inner.begin(), inner.end());
  }
  return found;
}

void Rewriting::rows_of(uint32_t body, bool in_loop) {
  if (seen_[body]) return;
  seen_[body] = true;
  const std::vector<Element> old = opened(body);
  std::vector<Element> made;
  bool different = false;
  for (size_t i = 0; i < old.size();) {
    const auto joins = [&](const Element& e) {
      return !in_loop && in_row(e) && (!e.is_body || calls_in(old_.shape, e.index) * e.times <= most_calls_in_loop);
    };
    Row row;
    size_t end = i;
    while (end < old.size() && joins(old[end]) && (end == i || !computes_before(old[end]))) {
      const uint32_t loop = loop_number(old[end]);
      for (uint64_t t = 0; t < old[end].times; ++t) {
        if (old[end].is_body) {
          flatten(old[end].index, loop, &row);
        } else {
          row.leaves.push_back(old[end].index - RecordedShape::marks);
          row.loops.push_back(0);
        }
      }
      ++end;
    }
    if (end == i) {
      if (old[i].is_body) {
        const bool iterates = old_.loop_of[old[i].index] != 0;
        rows_of(old[i].index, iterates || (in_loop && !old_.is_iteration[old[i].index]));
      }
      made.push_back(old[i++]);
      continue;
    }
    std::vector<uint32_t> leaves;
    const bool any = std::any_of(row.leaves.begin(), row.leaves.end(),
                                 [&](uint32_t leaf) { return (*roles_)[leaf] == Role::wanted; });
    if (any && (*rewrite_)(row, &leaves)) {
      different = true;
      for (const uint32_t leaf : leaves) made.push_back({RecordedShape::call_of(leaf), false, 1});
    } else {
      made.insert(made.end(), old.begin() + static_cast<std::ptrdiff_t>(i),
                  old.begin() + static_cast<std::ptrdiff_t>(end));
    }
    i = end;
  }
  if (!different) return;
  class_.shape.shape.bodies[body] = std::move(made);
  changed_ = true;
}

Refusal Rewriting::finish(const std::vector<TreeMember*>& members, Made* made) {
  if (!changes()) return {};
  if (const Refusal why = renumber(); !why.empty()) return why;
  for (TreeMember* member : members) regroup(member, made);
  class_.shape.recount();
  return {};
}

// Waits say how many requests ago the thread made what they wait for.
Refusal Rewriting::renumber() {
  std::vector<std::vector<uint64_t>> before(recorded_);  // by recorded leaf: requests made before each call
  uint64_t made = 0;
  const auto uses = [&](const TreeLeaf& l) { return requests_of(l) || is_completion(l); };
  std::vector<uint8_t> counts;
  for (size_t l = 0; l < recorded_; ++l) counts.push_back(uses(class_.leaves[l]));
  old_.for_each_call_of(counts, [&](uint32_t leaf) {
    before[leaf].push_back(made);
    made += requests_of(class_.leaves[leaf]);
  });
  std::vector<uint64_t> now(made, gone);  // by old number
  std::vector<size_t> used(recorded_);
  std::map<uint32_t, std::vector<uint32_t>> ages;  // by leaf
  Refusal refusal;
  made = 0;
  for (size_t l = recorded_; l < from_.size(); ++l)
    counts.push_back(requests_of(class_.leaves[l]) || (from_[l] != structure::no_index && counts[from_[l]]));
  class_.shape.for_each_call_of(counts, [&](uint32_t leaf) {
    const TreeLeaf& l = class_.leaves[leaf];
    const uint32_t from = from_[leaf];
    const uint32_t makes = requests_of(l);
    if (from == structure::no_index || !uses(class_.leaves[from])) {
      made += makes;
      return;
    }
    const uint64_t then = before[from].at(used[from]++);
    const uint32_t had = requests_of(class_.leaves[from]);
    for (uint32_t i = 0; i < std::min(makes, had); ++i) now[then + i] = made + i;
    made += makes;
    if (!is_completion(l)) return;
    if (l.leaf.varies) {  // which requests it waits for differs from call to call
      for (uint64_t age = 1; age <= std::min(then, most_ages_that_vary); ++age)
        if (l.one_by_one && now[then - age] + age != made) refusal = l.leaf.function + varies_in_waits;
      return;
    }
    std::vector<uint32_t> own;
    for (size_t p = 0; p < l.leaf.call.parts.size() && p < told_[leaf]; ++p) {
      const structure::Maker& maker = l.leaf.call.parts[p].maker;
      const uint64_t age = maker.thread < 0 ? maker.age : 0;
      const uint64_t number = age && age <= then ? now[then - age] : gone;
      own.push_back(!age || age > then ? 0 : number == gone ? UINT32_MAX : static_cast<uint32_t>(made - number));
    }
    const auto [at, fresh] = ages.try_emplace(leaf, own);
    if (!fresh && at->second != own) refusal = l.leaf.function + " waits for these requests in changing order";
  });
  if (!refusal.empty()) return refusal;
  for (const auto& [leaf, own] : ages) renew(leaf, own);
  return {};
}

// Requests that are not made are not waited for; 0: as it was.
void Rewriting::renew(uint32_t leaf, const std::vector<uint32_t>& ages) {
  calls::Leaf& l = class_.leaves[leaf].leaf;
  size_t kept = 0;
  for (size_t p = 0; p < l.call.parts.size(); ++p) {
    if (p < ages.size() && ages[p] == UINT32_MAX) continue;
    if (p < ages.size() && ages[p]) l.call.parts[p].maker.age = ages[p];
    if (kept != p) {
      l.call.parts[kept] = l.call.parts[p];
      l.parts[kept] = l.parts[p];
      l.makers[kept] = l.makers[p];
      l.modes[kept] = l.modes[p];
    }
    ++kept;
  }
  if (!kept && !l.call.parts.empty()) class_.leaves[leaf].removed = true;
  // A call that completes fewer requests takes less time itself.
  if (kept && kept < l.call.parts.size())
    class_.leaves[leaf].takes *= static_cast<double>(kept) / static_cast<double>(l.call.parts.size());
  l.call.parts.resize(kept);
  l.parts.resize(kept);
  l.makers.resize(kept);
  l.modes.resize(kept);
}

// Of recorded leaves: whether some of their calls are those of copies now. Of the others, all are as they were.
std::vector<uint8_t> Rewriting::divided() const {
  std::vector<uint8_t> found(recorded_);
  for (size_t l = recorded_; l < from_.size(); ++l)
    if (from_[l] != structure::no_index) found[from_[l]] = true;
  return found;
}

// Calls of one leaf that become several leaves: what is computed before those whose time was not kept is known of all
// of them together only.
void Rewriting::fill(TreeMember* member, const std::vector<uint8_t>& divided) const {
  for (size_t l = 0; l < recorded_ && l < member->before_ns.size(); ++l) {
    if (!divided[l]) continue;
    std::vector<float>& all = member->before_ns[l];
    double sum = 0;
    size_t unknown = 0;
    for (const float ns : all) std::isfinite(ns) ? void(sum += ns) : void(++unknown);
    if (!unknown) continue;
    const double rest = member->times(class_, l).before_ns * static_cast<double>(all.size()) - sum;
    const auto each = static_cast<float>(std::max(rest, 0.0) / static_cast<double>(unknown));
    for (float& ns : all)
      if (!std::isfinite(ns)) ns = each;
  }
}

void Rewriting::regroup(TreeMember* member, Made* made) const {
  std::vector<uint8_t> moved = divided();
  fill(member, moved);
  std::vector<std::vector<float>> before(class_.leaves.size()), during(class_.leaves.size());
  for (size_t l = 0; l < recorded_ && l < member->before_ns.size(); ++l) {
    if (moved[l]) continue;
    before[l] = std::move(member->before_ns[l]);
    during[l] = std::move(member->during_ns[l]);
  }
  moved.resize(class_.leaves.size(), true);
  std::vector<size_t> used(recorded_);
  class_.shape.for_each_call_of(moved, [&](uint32_t leaf) {
    const uint32_t from = from_[leaf];
    if (from == structure::no_index) {
      before[leaf].push_back(0);
      during[leaf].push_back(0);
      return;
    }
    const size_t i = used[from]++;
    if (i >= member->before_ns[from].size()) return;
    before[leaf].push_back(member->before_ns[from][i]);
    during[leaf].push_back(member->during_ns[from][i]);
  });
  for (size_t l = recorded_; l < class_.leaves.size(); ++l) {
    const uint64_t calls = before[l].size();
    const TreeLeaf& now = class_.leaves[l];
    if (!now.removed) made->calls_after += calls;
    if (sends(now, member->number)) made->messages_after += calls;
    if (from_[l] == structure::no_index) continue;
    made->calls_before += calls;
    if (sends(class_.leaves[from_[l]], member->number)) made->messages_before += calls;
  }
  member->before_ns = std::move(before);
  member->during_ns = std::move(during);
}

std::vector<std::vector<uint8_t>> computing_leaves(const Tree& tree) {
  const auto number_of = [](const TreeClass& c, const TreeLeaf& leaf) {
    return leaf.number == structure::no_index ? c.leaves[leaf.of].number : leaf.number;
  };
  std::map<uint32_t, std::vector<double>> usual;  // by leaf in the run, of the ranks
  for (const TreeMember& member : tree.members) {
    const TreeClass& own = tree.classes[member.of_class];
    for (size_t l = 0; l < own.leaves.size(); ++l)
      if (!member.before_ns[l].empty()) usual[number_of(own, own.leaves[l])].push_back(usual_before_ns(own, member, l));
  }
  std::map<uint32_t, double> usual_ns;  // the lower median
  for (auto& [number, all] : usual) {
    std::sort(all.begin(), all.end());
    usual_ns[number] = all[(all.size() - 1) / 2];
  }
  std::vector<std::vector<uint8_t>> found;
  for (const TreeClass& of : tree.classes) {
    std::vector<uint8_t>& own = found.emplace_back();
    for (const TreeLeaf& leaf : of.leaves) {
      int64_t bytes = 0;
      for (size_t m = 0; m < leaf.leaf.times.size(); ++m) bytes = std::max(bytes, bytes_of(leaf.leaf, m));
      own.push_back(usual_ns[number_of(of, leaf)] > packing_ns + static_cast<double>(bytes));
    }
  }
  return found;
}

}  // namespace leadline::replay
