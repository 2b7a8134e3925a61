// Packing: a loop that exchanges messages in each of its iterations, one field at a time, becomes one iteration that
// exchanges all of them at once. Computation before a call is then that of all iterations; a loop within the iteration
// stays one, with longer messages.
//
// Iterations may depend on each other in ways that no record of calls shows. What it does show is checked: requests
// that stay open from one iteration to the next, calls other than messages, and ranks that would pack differently.
#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "replay/changes/rewriting.hpp"

namespace leadline::replay {

namespace {

using calls::Column;
using calls::Leaf;
using structure::LeafTimes;
using trace::CallFacts;
using trace::EventForm;
using trace::RequestUse;

// Empty: calls of that kind can be packed.
std::string why_not(const TreeLeaf& made) {
  const Leaf& leaf = made.leaf;
  const CallFacts& facts = leaf.call.facts();
  if (leaf.varies) return "the messages of " + leaf.function + " differ from iteration to iteration";
  if (is_local(made)) return {};
  const bool message = facts.event == EventForm::message || facts.event == EventForm::exchange;
  const bool completes = facts.requests == RequestUse::completes && !leaf.call.nothing;
  if (leaf.call.refused || (!message && !completes)) return "the loop also calls " + leaf.function;
  if (facts.requests == RequestUse::creates) return "the loop also calls " + leaf.function;
  for (const structure::CallPart& part : leaf.call.parts) {
    if (part.wildcard || part.cancelled) return leaf.function + " receives from any rank or with any tag";
  }
  return {};
}

class Packing {
 public:
  Packing(TreeClass* of, const Selection& at, uint64_t most, uint32_t main_loop, Made* made)
      : class_(*of), at_(at), most_(most), main_loop_(main_loop), made_(*made), old_(of->shape) {}

  // `found`: the class has such a loop with messages.
  Refusal run(std::vector<TreeMember*> members, bool* found) {
    find_loops();
    const auto bodies = static_cast<uint32_t>(old_.shape.bodies.size());
    for (uint32_t b = 0; b < bodies; ++b) {
      if (!packed_[b]) continue;
      if (main_loop_ && old_.loop_of[b] == main_loop_)
        return "it is the main loop, whose iterations depend on each other";
      std::vector<Element> elements;
      for (const Element& e : old_.shape.bodies[b]) {
        const uint64_t each = group(e);
        if (each < 2) {
          elements.push_back(e);
          continue;
        }
        *found = true;
        elements.push_back({body(e.index, each), true, e.times / each});
        const uint64_t rest = e.times % each;
        if (rest) elements.push_back({rest > 1 ? body(e.index, rest) : e.index, true, 1});
      }
      class_.shape.shape.bodies[b] = std::move(elements);
    }
    if (refusal_.empty() && *found) rename_requests();
    if (!refusal_.empty() || !*found) return refusal_;
    for (TreeMember* member : members) regroup(member);
    class_.shape.recount();
    return {};
  }

 private:
  void find_loops() {
    packed_.resize(old_.shape.bodies.size());
    const Selection by_site{{}, at_.sites};
    const std::vector<uint8_t> wanted = selected_leaves(class_, by_site);
    for (uint32_t b = 0; b < packed_.size(); ++b) {
      const uint32_t loop = old_.loop_of[b];
      packed_[b] = loop && (std::find(at_.loops.begin(), at_.loops.end(), loop) != at_.loops.end() || has(b, wanted));
    }
  }
  // Whether a wanted leaf is in the body, but not in a loop within it.
  bool has(uint32_t body, const std::vector<uint8_t>& wanted) const {
    for (const Element& e : old_.shape.bodies[body]) {
      if (e.is_body ? !old_.loop_of[e.index] && has(e.index, wanted)
                    : e.index >= RecordedShape::marks && wanted[e.index - RecordedShape::marks]) {
        return true;
      }
    }
    return false;
  }
  bool communicates(uint32_t body) const {
    for (const Element& e : old_.shape.bodies[body]) {
      if (e.is_body ? communicates(e.index)
                    : e.index >= RecordedShape::marks && !is_local(class_.leaves[e.index - RecordedShape::marks])) {
        return true;
      }
    }
    return false;
  }
  // How many iterations become one; below 2: none.
  uint64_t group(const Element& e) const {
    if (!e.is_body || !old_.is_iteration[e.index] || e.times < 2 || !communicates(e.index)) return 0;
    return most_ ? std::min(most_, e.times) : e.times;
  }

  // So many times the body at once.
  uint32_t body(uint32_t of, uint64_t times) {
    const auto [at, fresh] = bodies_.try_emplace({of, times}, 0);
    if (!fresh) return at->second;
    std::vector<Element> elements;
    for (const Element& e : old_.shape.bodies[of]) {
      if (!e.is_body && e.index < RecordedShape::marks) {
        refusal_ = "the main loop is in it";
        continue;
      }
      elements.push_back(
          {e.is_body ? body(e.index, times) : RecordedShape::call_of(leaf(e.index - 2, times)), e.is_body, e.times});
    }
    return bodies_[{of, times}] = class_.shape.put(std::move(elements), of);
  }

  uint32_t leaf(uint32_t of, uint64_t times) {
    const auto [at, fresh] = leaves_.try_emplace({of, times}, static_cast<uint32_t>(class_.leaves.size()));
    if (!fresh) return at->second;
    TreeLeaf made = class_.leaves[of];
    if (const std::string why = why_not(made); !why.empty()) refusal_ = why;
    made.number = structure::no_index;
    if (!is_local(made)) {
      made.of = made.stands_for > 1 ? made.of : of;
      made.stands_for *= static_cast<uint32_t>(times);
    }
    const auto n = static_cast<int64_t>(times);
    const auto more = [n](int64_t* bytes, size_t = 0) { *bytes = *bytes > 0 ? *bytes * n : *bytes; };
    const bool local = is_local(made);
    made.leaf.posted_bytes = changed(made.leaf.posted_bytes, more);
    for (Column<calls::LeafPart>& part : made.leaf.parts) {
      part = changed(part, [&](calls::LeafPart* p, size_t) {
        for (int64_t* bytes : {&p->posted_bytes, &p->out_bytes, &p->in_bytes}) more(bytes);
      });
    }
    made.leaf.times = changed(made.leaf.times, [&](LeafTimes* t, size_t) {
      t->before_ns *= static_cast<double>(n);
      if (local) t->duration_ns *= static_cast<double>(n);
    });
    class_.leaves.push_back(std::move(made));
    ++class_.shape.shape.calls;
    return at->second;
  }

  // Goes through the old calls; what they stand for in the new order is known from where they are.
  template <class One, class Many>
  void walk(uint32_t of, const One& one, const Many& many) const {
    for (const Element& e : old_.shape.bodies[of]) {
      const uint64_t each = packed_[of] ? group(e) : 0;
      uint64_t left = e.times;
      while (left) {
        const uint64_t now = each > 1 ? std::min(each, left) : 1;
        if (now > 1) {
          many(e.index, now);
        } else if (e.is_body) {
          walk(e.index, one, many);
        } else if (e.index >= RecordedShape::marks) {
          one(e.index - RecordedShape::marks);
        }
        left -= now;
      }
    }
  }
  void each_leaf(uint32_t of, const std::function<void(uint32_t)>& visit) const {
    for (const Element& e : old_.shape.bodies[of]) {
      for (uint64_t t = 0; t < e.times; ++t) {
        if (e.is_body) {
          each_leaf(e.index, visit);
        } else if (e.index >= RecordedShape::marks) {
          visit(e.index - RecordedShape::marks);
        }
      }
    }
  }

  // Waits say how many requests ago the thread made what they wait for: those after the packed loops count again.
  void rename_requests() {
    std::vector<uint64_t> now;  // by old number
    uint64_t made = 0;
    std::map<uint32_t, std::vector<uint32_t>> ages;  // by leaf
    std::map<uint32_t, uint64_t> in_one;             // by body: requests of one iteration
    const auto one = [&](uint32_t leaf) {
      const Leaf& l = class_.leaves[leaf].leaf;
      if (const uint32_t more = requests_of(class_.leaves[leaf])) {
        for (uint32_t i = 0; i < more; ++i) now.push_back(made++);
      } else if (l.call.facts().requests == RequestUse::completes && l.varies) {
        for (uint64_t age = 1; age <= std::min<uint64_t>(now.size(), most_ages_that_vary); ++age)
          if (class_.leaves[leaf].one_by_one && now[now.size() - age] + age != made)
            refusal_ = l.function + varies_in_waits;
      } else if (l.call.facts().requests == RequestUse::completes) {
        std::vector<uint32_t> own;
        for (const structure::CallPart& part : l.call.parts) {
          const uint64_t age = part.maker.thread < 0 ? part.maker.age : 0;
          own.push_back(age && age <= now.size() ? static_cast<uint32_t>(made - now[now.size() - age]) : 0);
        }
        const auto [at, fresh] = ages.try_emplace(leaf, own);
        if (!fresh && at->second != own) refusal_ = l.function + " waits for requests of the loop in changing order";
      }
    };
    const auto many = [&](uint32_t body, uint64_t times) {
      const auto [at, fresh] = in_one.try_emplace(body, 0);
      if (fresh) at->second = requests_in(body);
      for (uint64_t t = 0; t < times; ++t)
        for (uint64_t i = 0; i < at->second; ++i) now.push_back(made + i);
      made += at->second;
    };
    walk(old_.shape.root, one, many);
    if (!refusal_.empty()) return;
    for (const auto& [leaf, own] : ages) renew(&class_.leaves[leaf].leaf, own);
  }
  uint64_t requests_in(uint32_t body) {
    uint64_t made = 0;
    each_leaf(body, [&](uint32_t leaf) {
      const Leaf& l = class_.leaves[leaf].leaf;
      made += requests_of(class_.leaves[leaf]);
      if (l.call.facts().requests != RequestUse::completes) return;
      for (const structure::CallPart& part : l.call.parts) {
        if (part.maker.thread < 0 && part.maker.age > made)
          refusal_ = "its requests stay open from one iteration to the next";
      }
    });
    return made;
  }
  // Requests that became one are waited for once.
  static void renew(Leaf* leaf, const std::vector<uint32_t>& ages) {
    std::vector<uint32_t> seen;
    size_t kept = 0;
    for (size_t p = 0; p < leaf->call.parts.size(); ++p) {
      if (ages[p] && std::find(seen.begin(), seen.end(), ages[p]) != seen.end()) continue;
      if (ages[p]) {
        seen.push_back(ages[p]);
        leaf->call.parts[p].maker.age = ages[p];
      }
      leaf->call.parts[kept] = leaf->call.parts[p];
      leaf->parts[kept] = leaf->parts[p];
      leaf->makers[kept] = leaf->makers[p];
      leaf->modes[kept++] = leaf->modes[p];
    }
    leaf->call.parts.resize(kept);
    leaf->parts.resize(kept);
    leaf->makers.resize(kept);
    leaf->modes.resize(kept);
  }

  // The times of a rank's calls, in the new order.
  void regroup(TreeMember* member) {
    std::vector<std::vector<float>> before(class_.leaves.size()), during(class_.leaves.size());
    std::vector<size_t> used(class_.leaves.size());
    std::map<uint32_t, std::map<uint32_t, size_t>> in_one;  // by body and leaf: calls of one iteration
    const auto value = [&](const std::vector<std::vector<float>>& all, uint32_t leaf, size_t i, double mean) {
      return i < all[leaf].size() && std::isfinite(all[leaf][i]) ? static_cast<double>(all[leaf][i]) : mean;
    };
    const auto one = [&](uint32_t leaf) {
      const size_t i = used[leaf]++;
      if (i >= member->before_ns[leaf].size()) return;
      before[leaf].push_back(member->before_ns[leaf][i]);
      during[leaf].push_back(member->during_ns[leaf][i]);
    };
    const auto many = [&](uint32_t body, uint64_t times) {
      std::map<uint32_t, size_t>& counts = in_one[body];
      if (counts.empty()) each_leaf(body, [&](uint32_t leaf) { ++counts[leaf]; });
      for (const auto& [leaf, calls] : counts) {
        const uint32_t to = leaves_.at({leaf, times});
        const LeafTimes& mean = member->times(class_, leaf);
        for (size_t i = 0; i < calls; ++i) {
          double sums[2] = {};
          for (uint64_t t = 0; t < times; ++t) {
            const size_t at = used[leaf] + t * calls + i;
            sums[0] += value(member->before_ns, leaf, at, mean.before_ns);
            sums[1] += value(member->during_ns, leaf, at, mean.duration_ns);
          }
          before[to].push_back(static_cast<float>(sums[0]));
          during[to].push_back(static_cast<float>(sums[1]));
        }
        used[leaf] += calls * times;
        const TreeLeaf& l = class_.leaves[leaf];
        if (is_local(l)) continue;
        made_.calls_before += calls * times;
        made_.calls_after += calls;
        if (!sends(l, member->number)) continue;
        made_.messages_before += calls * times;
        made_.messages_after += calls;
      }
    };
    walk(old_.shape.root, one, many);
    member->before_ns = std::move(before);
    member->during_ns = std::move(during);
  }

  TreeClass& class_;
  const Selection& at_;
  const uint64_t most_;
  const uint32_t main_loop_;
  Made& made_;
  const RecordedShape old_;
  std::vector<uint8_t> packed_;  // by body: its iterations
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> bodies_, leaves_;
  Refusal refusal_;
};

}  // namespace

Refusal pack(const Selection& at, uint64_t most, Tree* tree, Made* made) {
  bool found = false;
  for (size_t c = 0; c < tree->classes.size(); ++c) {
    std::vector<TreeMember*> members;
    for (TreeMember& member : tree->members)
      if (member.of_class == c) members.push_back(&member);
    Packing packing(&tree->classes[c], at, most, tree->main_loop, made);
    if (const Refusal why = packing.run(members, &found); !why.empty()) return why;
  }
  if (!found) return "no loop there repeats the same messages";
  return check_channels(*tree);
}

}  // namespace leadline::replay
