// Blocking sends and receives of an exchange become nonblocking, with one wait at its end: none of them then waits for
// its turn. And, to overlap communication with computation, what ranks compute between an exchange and their next call
// comes before the wait. The calls stay in their order; whether messages move while the ranks compute is up to the
// network.
#include <algorithm>
#include <set>

#include "replay/changes/rewriting.hpp"

namespace leadline::replay {

namespace {

using structure::CallPart;
using trace::CallClass;
using trace::RequestUse;
using Role = Rewriting::Role;

bool is_blocking_message(const TreeLeaf& leaf) {
  const CallClass cls = leaf.leaf.call.cls;
  return !leaf.removed && (cls == CallClass::send || cls == CallClass::recv || cls == CallClass::sendrecv ||
                           cls == CallClass::sendrecv_replace);
}

bool names_all(const TreeLeaf& leaf) {
  return !leaf.leaf.varies && std::none_of(leaf.leaf.call.parts.begin(), leaf.leaf.call.parts.end(),
                                           [](const CallPart& p) { return p.wildcard || p.cancelled; });
}

// Waits of an exchange after which it makes no other calls: before the first of them there is time to compute.
struct Waits {
  std::set<uint32_t> first, others;  // leaves
};

class Unblocking {
 public:
  // single: also what is no exchange but a single message.
  Unblocking(TreeClass* of, bool single) : class_(*of), single_(single), rewriting_(of) {}

  Refusal run(const std::vector<uint8_t>& wanted, const std::vector<uint8_t>& computes,
              const std::vector<TreeMember*>& members, bool* found, Made* made) {
    std::vector<Role> roles;
    for (size_t l = 0; l < wanted.size(); ++l) {
      const TreeLeaf& leaf = class_.leaves[l];
      const bool takes_part = (is_message(leaf) && names_all(leaf)) || is_completion(leaf);
      roles.push_back(wanted[l] && takes_part ? Role::wanted : is_local(leaf) ? Role::passes : Role::ends);
    }
    rewriting_.for_each_row(roles, computes,
                            [this](const Row& row, std::vector<uint32_t>* leaves) { return one_row(row, leaves); });
    *found = *found || rewriting_.changes();
    return rewriting_.finish(members, made);
  }

  const Waits& waits() const { return waits_; }

 private:
  // A message that is to be waited for, with the number of its request in the exchange.
  struct Awaited {
    CallPart part;
    calls::Column<calls::LeafPart> column;
    uint64_t number = 0;
  };

  // An exchange ends with a wait that leaves nothing under way, or with the row.
  bool one_row(const Row& row, std::vector<uint32_t>* leaves) {
    bool any = false;
    size_t first = 0, made = 0;
    std::vector<uint8_t> open;
    for (size_t c = 0; c < row.leaves.size(); ++c) {
      const TreeLeaf& l = class_.leaves[row.leaves[c]];
      for (uint32_t i = requests_of(l); i; --i) open.push_back(true);
      made = open.size();
      if (!is_completion(l)) continue;
      for (const CallPart& part : l.leaf.call.parts)
        if (part.maker.thread < 0 && part.maker.age && part.maker.age <= made) open[made - part.maker.age] = false;
      if (std::count(open.begin(), open.end(), true)) continue;
      any = one_exchange(row, first, c + 1, leaves) || any;
      first = c + 1;
    }
    return one_exchange(row, first, row.leaves.size(), leaves) || any;
  }

  bool one_exchange(const Row& row, size_t first, size_t end, std::vector<uint32_t>* leaves) {
    std::vector<uint32_t> own(row.leaves.begin() + static_cast<std::ptrdiff_t>(first),
                              row.leaves.begin() + static_cast<std::ptrdiff_t>(end));
    const auto number_of = [&](const auto& what) {
      return std::count_if(own.begin(), own.end(), [&](uint32_t l) { return what(class_.leaves[l]); });
    };
    bool changes = number_of(is_blocking_message) && (single_ || number_of(is_message) > 1);
    if (changes) unblock(&own);
    if (single_) changes = note_waits(&own) || changes;
    leaves->insert(leaves->end(), own.begin(), own.end());
    return changes;
  }

  void unblock(std::vector<uint32_t>* own) {
    std::vector<Awaited> awaited;
    uint64_t made = 0;
    for (uint32_t& each : *own) {
      if (!is_blocking_message(class_.leaves[each])) {
        made += requests_of(class_.leaves[each]);
        continue;
      }
      each = unblocked(each);
      const calls::Leaf& leaf = class_.leaves[each].leaf;
      for (size_t p = 0; p < leaf.call.parts.size(); ++p) {
        awaited.push_back({leaf.call.parts[p], leaf.parts[p], made++});
      }
    }
    for (Awaited& a : awaited) {
      a.part.request = RequestUse::completes;
      a.part.names_message = false;
      a.part.maker = {};
      a.part.maker.age = made - a.number;
    }
    wait_for(awaited, own);
  }

  uint32_t unblocked(uint32_t old) {
    const uint32_t now = rewriting_.copy(old);
    TreeLeaf& leaf = rewriting_.made(now);
    std::vector<CallPart>& parts = leaf.leaf.call.parts;
    leaf.unblocked = true;
    leaf.leaf.call.cls = parts.size() > 1        ? CallClass::startall
                         : parts.front().sends() ? CallClass::isend
                                                 : CallClass::irecv;
    for (CallPart& part : parts) part.request = leaf.leaf.call.facts().requests;
    return now;
  }

  // Either the exchange's own last wait waits for these, too, or there is one more.
  void wait_for(const std::vector<Awaited>& awaited, std::vector<uint32_t>* own) {
    size_t last = own->size() - 1;
    while (is_local(class_.leaves[(*own)[last]])) --last;
    const TreeLeaf beside = class_.leaves[(*own)[last]];
    const CallClass cls = beside.leaf.call.cls;
    uint32_t wait = 0;
    if (cls == CallClass::wait || cls == CallClass::waitall) {
      wait = (*own)[last] = rewriting_.copy((*own)[last]);
      rewriting_.keep_ages_from(wait, beside.leaf.call.parts.size());
    } else {
      TreeLeaf fresh;
      fresh.leaf.site = beside.leaf.site;
      fresh.leaf.function = "MPI_Waitall";
      for (size_t m = 0; m < beside.leaf.times.size(); ++m) {
        fresh.leaf.posted_bytes.add(0);
        fresh.leaf.times.add({});
        fresh.leaf.partner.add({});
        fresh.leaf.identity.add(beside.leaf.identity.of(m));
      }
      wait = rewriting_.insert(std::move(fresh));
      rewriting_.made(wait).of = wait;
      rewriting_.made(wait).inserted = true;
      own->insert(own->begin() + static_cast<std::ptrdiff_t>(last) + 1, wait);
    }
    calls::Leaf& leaf = rewriting_.made(wait).leaf;
    leaf.call.cls = CallClass::waitall;
    for (const Awaited& a : awaited) {
      leaf.call.parts.push_back(a.part);
      leaf.parts.push_back(a.column);
      leaf.makers.push_back(structure::no_index);
      leaf.modes.push_back(trace::SendMode::standard);
    }
  }

  // Those at the end of the exchange, as leaves that have no other calls.
  bool note_waits(std::vector<uint32_t>* own) {
    uint32_t first = structure::no_index;
    for (size_t c = own->size(); c-- > 0;) {
      uint32_t& each = (*own)[c];
      if (is_local(class_.leaves[each])) continue;
      if (!is_completion(class_.leaves[each])) break;
      if (!rewriting_.is_made(each)) each = rewriting_.copy(each);
      waits_.others.insert(first = each);
    }
    if (first == structure::no_index) return false;
    waits_.others.erase(first);
    waits_.first.insert(first);
    return true;
  }

  TreeClass& class_;
  const bool single_;
  Rewriting rewriting_;
  Waits waits_;
};

Refusal unblock(const Selection& at, bool single, Tree* tree, std::vector<Waits>* waits, Made* made) {
  bool found = false;
  const std::vector<std::vector<uint8_t>> computes = computing_leaves(*tree);
  for (size_t c = 0; c < tree->classes.size(); ++c) {
    std::vector<TreeMember*> members;
    for (TreeMember& member : tree->members)
      if (member.of_class == c) members.push_back(&member);
    TreeClass& of = tree->classes[c];
    Unblocking unblocking(&of, single);
    if (Refusal why = unblocking.run(selected_leaves(of, at), computes[c], members, &found, made); !why.empty()) {
      return why;
    }
    waits->push_back(unblocking.waits());
  }
  if (found) return {};
  return single ? "no messages from known ranks are waited for there"
                : "no exchange there has blocking calls, or they receive from any rank";
}

// A part of what is computed after the waits, up to the next call that is not local, comes before them.
void compute_before(const TreeClass& of, const Waits& waits, double part, TreeMember* member) {
  std::vector<size_t> used(of.leaves.size());
  float* before_wait = nullptr;
  of.shape.for_each_call([&](uint32_t leaf, uint64_t) {
    const size_t i = used[leaf]++;
    if (i >= member->before_ns[leaf].size()) return;
    float& ns = member->before_ns[leaf][i];
    if (before_wait && waits.others.count(leaf)) return;
    if (before_wait) {
      const auto moved = static_cast<float>(ns * part);
      *before_wait += moved;
      ns -= moved;
      if (!is_local(of.leaves[leaf])) before_wait = nullptr;
    }
    if (waits.first.count(leaf)) before_wait = &ns;
  });
}

}  // namespace

Refusal nonblocking(const Selection& at, Tree* tree, Made* made) {
  std::vector<Waits> waits;
  return unblock(at, false, tree, &waits, made);
}

Refusal overlap(const Selection& at, double part, Tree* tree, Made* made) {
  std::vector<Waits> waits;
  if (const Refusal why = unblock(at, true, tree, &waits, made); !why.empty()) return why;
  for (TreeMember& member : tree->members) {
    for (size_t l = 0; l < member.before_ns.size(); ++l) tree->fill(&member, l);
    compute_before(tree->classes[member.of_class], waits[member.of_class], part, &member);
  }
  return {};
}

}  // namespace leadline::replay
