// Exchanges one after another that have the same partners become one, as when the halos of several fields travel
// together: the last one carries the bytes of all, since by then all data to be sent are there. Its messages stand for
// so many; those of the others are not sent, and their waits are not made. What the ranks compute between, as to pack
// data, stays. The same for collectives of one kind.
//
// That no exchange needs what an earlier one received, no record of calls can show.
#include <algorithm>
#include <string>
#include <tuple>

#include "replay/changes/rewriting.hpp"

namespace leadline::replay {

namespace {

using calls::Leaf;
using calls::LeafPart;
using structure::CallPart;
using Role = Rewriting::Role;

// A message's end: where it is in a row.
struct MergedEnd {
  size_t call = 0, part = 0;
  bool sends = false;
};

// From its first message until nothing is under way.
struct Exchange {
  std::vector<size_t> calls;  // of the row: messages and waits
  std::vector<MergedEnd> ends;
  std::vector<std::pair<MergedEnd, MergedEnd>> waits;  // a wait's part and the message
  uint32_t loop = 0;
};

// Whom a rank sends to and receives from: direction, communicator, rank.
using Partner = std::tuple<bool, uint64_t, int32_t>;
using Partners = std::vector<std::vector<Partner>>;  // by member, ascending

Partner partner_of(const MergedEnd& end, const LeafPart& part) {
  return {end.sends, part.identity, part.partner.world};
}

class MergingExchanges {
 public:
  MergingExchanges(TreeClass* of, size_t members) : class_(*of), members_(members), rewriting_(of) {}

  Refusal run(const std::vector<uint8_t>& wanted, const std::vector<uint8_t>& computes,
              const std::vector<TreeMember*>& members, bool* found, Made* made) {
    std::vector<Role> roles;
    for (size_t l = 0; l < wanted.size(); ++l) {
      const TreeLeaf& leaf = class_.leaves[l];
      const bool exchanges = is_message(leaf) || is_completion(leaf);
      roles.push_back(wanted[l] && exchanges          ? Role::wanted
                      : is_local(leaf) || polls(leaf) ? Role::passes
                                                      : Role::ends);
    }
    rewriting_.for_each_row(roles, computes, [this](const Row& row, std::vector<uint32_t>* leaves) {
      return refusal_.empty() && one_row(row, leaves);
    });
    if (!refusal_.empty()) return refusal_;
    *found = *found || rewriting_.changes();
    return rewriting_.finish(members, made);
  }

 private:
  static bool polls(const TreeLeaf& leaf) {
    return leaf.leaf.call.facts().requests == trace::RequestUse::completes && leaf.leaf.call.nothing;
  }
  const Leaf& leaf(const Row& row, size_t call) const { return class_.leaves[row.leaves[call]].leaf; }

  bool one_row(const Row& row, std::vector<uint32_t>* leaves) {
    const std::vector<Exchange> exchanges = exchanges_of(row);
    std::vector<Partners> partners;
    std::vector<std::vector<size_t>> groups;  // of exchanges
    for (size_t e = 0; e < exchanges.size(); ++e) {
      partners.push_back(partners_of(row, exchanges[e]));
      const bool alone = std::all_of(partners[e].begin(), partners[e].end(), [](const auto& p) { return p.empty(); });
      if (alone) continue;
      const auto fits = [&](const std::vector<size_t>& group) {
        return partners[group.front()] == partners[e] && std::none_of(group.begin(), group.end(), [&](size_t other) {
                 return exchanges[e].loop && exchanges[other].loop == exchanges[e].loop;
               });
      };
      const auto at = std::find_if(groups.begin(), groups.end(), fits);
      if (at == groups.end()) {
        groups.push_back({e});
      } else {
        at->push_back(e);
      }
    }
    *leaves = row.leaves;
    bool any = false;
    for (const std::vector<size_t>& group : groups) {
      if (group.size() < 2) continue;
      any = true;
      join(row, exchanges, group, leaves);
    }
    return any;
  }

  std::vector<Exchange> exchanges_of(const Row& row) {
    std::vector<Exchange> found;
    std::vector<MergedEnd> requests;  // that the row makes, in order
    std::vector<uint8_t> open;
    Exchange now;
    size_t under_way = 0;
    for (size_t c = 0; c < row.leaves.size(); ++c) {
      const TreeLeaf& l = class_.leaves[row.leaves[c]];
      if (is_message(l)) {
        if (l.leaf.varies) refusal_ = "the messages of " + l.leaf.function + " differ from iteration to iteration";
        const uint32_t makes = requests_of(l);
        for (size_t p = 0; p < l.leaf.call.parts.size(); ++p) {
          const CallPart& part = l.leaf.call.parts[p];
          if (part.wildcard || part.cancelled) refusal_ = l.leaf.function + " receives from any rank or with any tag";
          if (part.sends()) now.ends.push_back({c, p, true});
          if (part.receives()) now.ends.push_back({c, p, false});
        }
        for (uint32_t i = 0; i < makes; ++i) {
          const size_t p = makes == 1 ? 0 : i;
          const bool sends = p < l.leaf.call.parts.size() && l.leaf.call.parts[p].sends();
          requests.push_back({c, p, sends});
          open.push_back(true);
          ++under_way;
        }
      } else if (is_completion(l)) {
        for (size_t p = 0; p < l.leaf.call.parts.size(); ++p) {
          const CallPart& part = l.leaf.call.parts[p];
          if (part.request == trace::RequestUse::none) continue;
          if (part.maker.thread >= 0 || !part.maker.age || part.maker.age > requests.size() || part.wildcard) {
            refusal_ = l.leaf.function + " waits for requests of other calls";
            return {};
          }
          const size_t number = requests.size() - part.maker.age;
          now.waits.push_back({{c, p, false}, requests[number]});
          under_way -= open[number];
          open[number] = false;
        }
      } else {
        continue;
      }
      now.calls.push_back(c);
      now.loop = row.loops[c];
      if (under_way) continue;
      found.push_back(std::move(now));
      now = {};
    }
    return found;
  }

  Partners partners_of(const Row& row, const Exchange& exchange) const {
    Partners found(members_);
    for (size_t m = 0; m < members_; ++m) {
      for (const MergedEnd& end : exchange.ends) {
        const LeafPart& part = leaf(row, end.call).parts[end.part].of(m);
        if (part.partner.world >= 0) found[m].push_back(partner_of(end, part));
      }
      std::sort(found[m].begin(), found[m].end());
      found[m].erase(std::unique(found[m].begin(), found[m].end()), found[m].end());
    }
    return found;
  }

  void join(const Row& row, const std::vector<Exchange>& exchanges, const std::vector<size_t>& group,
            std::vector<uint32_t>* leaves) {
    const Exchange& kept = exchanges[group.back()];
    std::vector<std::vector<int64_t>> more(kept.ends.size(), std::vector<int64_t>(members_));
    for (const size_t e : group) {
      if (e == group.back()) continue;
      for (const MergedEnd& end : exchanges[e].ends) carry(row, end, kept, &more);
      for (const size_t c : exchanges[e].calls) {
        const uint32_t made = rewriting_.copy(row.leaves[c]);
        rewriting_.made(made).removed = true;
        rewriting_.made(made).stands_for = 0;
        (*leaves)[c] = made;
      }
    }
    for (const size_t c : kept.calls) {
      const uint32_t old = row.leaves[c], made = rewriting_.copy(old);
      TreeLeaf& now = rewriting_.made(made);
      now.of = now.stands_for > 1 ? now.of : old;
      now.stands_for *= static_cast<uint32_t>(group.size());
      for (size_t i = 0; i < kept.ends.size(); ++i) {
        const MergedEnd& end = kept.ends[i];
        if (end.call == c) add(&now.leaf.parts[end.part], more[i], end.sends);
        for (const auto& [wait, message] : kept.waits) {
          if (wait.call == c && message.call == end.call && message.part == end.part)
            add(&now.leaf.parts[wait.part], more[i], end.sends);
        }
      }
      (*leaves)[c] = made;
    }
  }

  // Which message of the kept exchange carries those bytes: one with the same tag, else the first to the same partner.
  void carry(const Row& row, const MergedEnd& end, const Exchange& kept,
             std::vector<std::vector<int64_t>>* more) const {
    for (size_t m = 0; m < members_; ++m) {
      const LeafPart& part = leaf(row, end.call).parts[end.part].of(m);
      if (part.partner.world < 0) continue;
      size_t carrier = SIZE_MAX;
      for (size_t i = 0; i < kept.ends.size(); ++i) {
        const LeafPart& other = leaf(row, kept.ends[i].call).parts[kept.ends[i].part].of(m);
        if (partner_of(kept.ends[i], other) != partner_of(end, part)) continue;
        if (carrier == SIZE_MAX) carrier = i;
        if (other.tag != part.tag) continue;
        carrier = i;
        break;
      }
      const int64_t bytes = end.sends ? part.out_bytes : std::max(part.posted_bytes, part.in_bytes);
      (*more)[carrier][m] += std::max<int64_t>(bytes, 0);
    }
  }

  static void add(calls::Column<LeafPart>* part, const std::vector<int64_t>& more, bool sends) {
    *part = changed(*part, [&](LeafPart* p, size_t m) {
      for (int64_t* bytes : {&p->posted_bytes, sends ? &p->out_bytes : &p->in_bytes}) {
        if (more[m]) *bytes = std::max<int64_t>(*bytes, 0) + more[m];
      }
    });
  }

  TreeClass& class_;
  const size_t members_;
  Rewriting rewriting_;
  Refusal refusal_;
};

class MergingCollectives {
 public:
  MergingCollectives(TreeClass* of, size_t members) : class_(*of), members_(members), rewriting_(of) {}

  Refusal run(const std::vector<uint8_t>& wanted, const std::vector<uint8_t>& computes,
              const std::vector<TreeMember*>& members, bool* found, Made* made) {
    std::vector<Role> roles;
    for (size_t l = 0; l < wanted.size(); ++l) {
      const TreeLeaf& leaf = class_.leaves[l];
      roles.push_back(wanted[l] && can_be_merged(leaf) ? Role::wanted : is_local(leaf) ? Role::passes : Role::ends);
    }
    rewriting_.for_each_row(roles, computes,
                            [this](const Row& row, std::vector<uint32_t>* leaves) { return one_row(row, leaves); });
    *found = *found || rewriting_.changes();
    return rewriting_.finish(members, made);
  }

 private:
  // A barrier has nothing to carry.
  static bool can_be_merged(const TreeLeaf& leaf) {
    const structure::DecodedCall& call = leaf.leaf.call;
    return !leaf.removed && call.cls == trace::CallClass::coll && !leaf.leaf.varies && !call.refused &&
           leaf.leaf.function != "MPI_Barrier" && !leaf.leaf.parts.empty();
  }

  bool alike(const Leaf& one, const Leaf& other) const {
    if (one.function != other.function || one.parts.size() != other.parts.size()) return false;
    for (size_t m = 0; m < members_; ++m) {
      if (one.identity.of(m) != other.identity.of(m) || !(one.partner.of(m) == other.partner.of(m))) return false;
    }
    return true;
  }

  // Iterations of a loop stay apart, unless it makes no other call: an array may be reduced number by number.
  bool one_row(const Row& row, std::vector<uint32_t>* leaves) {
    *leaves = row.leaves;
    std::vector<std::vector<size_t>> groups;
    for (size_t c = 0; c < row.leaves.size(); ++c) {
      const TreeLeaf& l = class_.leaves[row.leaves[c]];
      if (is_local(l)) continue;
      const auto fits = [&](const std::vector<size_t>& group) {
        return alike(class_.leaves[row.leaves[group.front()]].leaf, l.leaf) &&
               (!row.loops[c] || row.loops[group.back()] != row.loops[c] || row.leaves[group.back()] == row.leaves[c]);
      };
      const auto at = std::find_if(groups.begin(), groups.end(), fits);
      if (at == groups.end()) {
        groups.push_back({c});
      } else {
        at->push_back(c);
      }
    }
    bool any = false;
    for (const std::vector<size_t>& group : groups) {
      if (group.size() < 2) continue;
      any = true;
      join(row, group, leaves);
    }
    return any;
  }

  void join(const Row& row, const std::vector<size_t>& group, std::vector<uint32_t>* leaves) {
    const uint32_t old = row.leaves[group.back()], last = rewriting_.copy(old);
    TreeLeaf& kept = rewriting_.made(last);
    kept.of = kept.stands_for > 1 ? kept.of : old;
    kept.stands_for *= static_cast<uint32_t>(group.size());
    for (const size_t c : group) {
      if (c == group.back()) continue;
      const Leaf& other = class_.leaves[row.leaves[c]].leaf;
      const auto plus = [](int64_t* sum, int64_t bytes) {
        if (bytes > 0) *sum = std::max<int64_t>(*sum, 0) + bytes;
      };
      kept.leaf.posted_bytes =
          changed(kept.leaf.posted_bytes, [&](int64_t* bytes, size_t m) { plus(bytes, other.posted_bytes.of(m)); });
      for (size_t p = 0; p < kept.leaf.parts.size(); ++p) {
        kept.leaf.parts[p] = changed(kept.leaf.parts[p], [&](LeafPart* part, size_t m) {
          const LeafPart& its = other.parts[p].of(m);
          plus(&part->posted_bytes, its.posted_bytes);
          plus(&part->out_bytes, its.out_bytes);
          plus(&part->in_bytes, its.in_bytes);
        });
      }
    }
    (*leaves)[group.back()] = last;
    for (const size_t c : group) {
      if (c == group.back()) continue;
      const uint32_t made = rewriting_.copy(row.leaves[c]);
      rewriting_.made(made).removed = true;
      rewriting_.made(made).stands_for = 0;
      (*leaves)[c] = made;
    }
  }

  TreeClass& class_;
  const size_t members_;
  Rewriting rewriting_;
};

template <class Merging>
Refusal merge_each_class(const Selection& at, Tree* tree, bool* found, Made* made) {
  const std::vector<std::vector<uint8_t>> computes = computing_leaves(*tree);
  for (size_t c = 0; c < tree->classes.size(); ++c) {
    std::vector<TreeMember*> members;
    for (TreeMember& member : tree->members)
      if (member.of_class == c) members.push_back(&member);
    TreeClass& of = tree->classes[c];
    if (of.leaves.empty()) continue;
    Merging merging(&of, of.leaves.front().leaf.times.size());
    if (const Refusal why = merging.run(selected_leaves(of, at), computes[c], members, found, made); !why.empty()) {
      return why;
    }
  }
  return {};
}

}  // namespace

Refusal merge(const Selection& at, Tree* tree, Made* made) {
  bool found = false;
  if (const Refusal why = merge_each_class<MergingExchanges>(at, tree, &found, made); !why.empty()) return why;
  if (const Refusal why = merge_each_class<MergingCollectives>(at, tree, &found, made); !why.empty()) return why;
  if (!found)
    return "no exchanges with the same partners and no collectives of one kind follow one another there, without "
           "computation between";
  if (const Refusal why = check_channels(*tree); !why.empty()) return why;
  return check_collectives(*tree);
}

}  // namespace leadline::replay
