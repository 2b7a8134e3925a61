// Ranks without data are left out of collectives. That a rank has none is known where counts differ by rank
// (MPI_Gatherv, MPI_Alltoallv, ...). The others make the call on a communicator of their own.
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "replay/changes/rewriting.hpp"

namespace leadline::replay {

namespace {

using calls::Leaf;

// Ranks of a communicator in the selected calls.
struct Users {
  std::set<int32_t> all, with_data;
  uint64_t own = 0;  // identity of the communicator of those with data
};
using ByCommunicator = std::map<uint64_t, Users>;

bool is_blocking_collective(const Leaf& leaf) {
  const trace::CallFacts& facts = leaf.call.facts();
  return facts.event == trace::EventForm::collective && facts.requests == trace::RequestUse::none;
}

bool has_data(const Leaf& leaf, size_t member) {
  return std::any_of(leaf.parts.begin(), leaf.parts.end(),
                     [&](const auto& part) { return part.of(member).out_bytes > 0 || part.of(member).in_bytes > 0; });
}

// The leaves that say what the rank's calls do: one, or if its calls differ, one for each kind. Empty: unknown.
std::vector<const Leaf*> kinds_of(const TreeMember& member, const TreeLeaf& leaf, uint32_t number) {
  if (!leaf.leaf.varies) return {&leaf.leaf};
  std::vector<const Leaf*> found;
  const auto varied = member.varied.find(number);
  if (!leaf.one_by_one || varied == member.varied.end()) return found;
  for (const Leaf& kind : varied->second->kinds) found.push_back(&kind);
  return found;
}

Refusal find_users(const Tree& tree, const std::vector<std::vector<uint8_t>>& wanted, ByCommunicator* found) {
  for (size_t rank = 0; rank < tree.members.size(); ++rank) {
    const TreeMember& member = tree.members[rank];
    const TreeClass& own = tree.classes[member.of_class];
    for (uint32_t l = 0; l < own.leaves.size(); ++l) {
      const TreeLeaf& leaf = own.leaves[l];
      if (!wanted[member.of_class][l] || leaf.removed) continue;
      if (!is_blocking_collective(leaf.leaf)) return leaf.leaf.function + " is no blocking collective";
      const std::vector<const Leaf*> kinds = kinds_of(member, leaf, l);
      if (kinds.empty()) return "what each call of " + leaf.leaf.function + " does is unknown";
      for (const Leaf* kind : kinds) {
        const size_t number = leaf.leaf.varies ? 0 : member.number;
        Users& users = (*found)[kind->identity.of(number)];
        users.all.insert(static_cast<int32_t>(rank));
        if (has_data(*kind, number)) users.with_data.insert(static_cast<int32_t>(rank));
      }
    }
  }
  return {};
}

// With the identity of the smaller communicator, and the root's rank there.
void join_others(const ByCommunicator& users, const Tree& tree, const std::vector<int32_t>& ranks, Leaf* leaf) {
  leaf->partner = changed(leaf->partner, [&](calls::LeafPartner* root, size_t m) {
    const auto at = users.find(leaf->identity.of(m));
    if (at == users.end() || root->world < 0) return;
    const std::vector<int32_t>& all = tree.communicators.at(at->second.own);
    const auto place = std::find(all.begin(), all.end(), root->world);
    if (place != all.end()) root->rank = static_cast<int32_t>(place - all.begin());
  });
  leaf->identity = changed(leaf->identity, [&](uint64_t* identity, size_t m) {
    const auto at = users.find(*identity);
    if (at != users.end()) *identity = at->second.with_data.count(ranks[m]) ? at->second.own : left_out;
  });
}

}  // namespace

Refusal leave_out_idle(const Selection& at, Tree* tree, Made* made) {
  std::vector<std::vector<uint8_t>> wanted;
  for (const TreeClass& of : tree->classes) wanted.push_back(selected_leaves(of, at));
  ByCommunicator users;
  if (Refusal why = find_users(*tree, wanted, &users); !why.empty()) return why;
  std::erase_if(users, [](const auto& each) { return each.second.all == each.second.with_data; });
  if (users.empty()) return "every rank has data in the collectives there";
  uint64_t fresh = 1;
  for (auto& [identity, own] : users) {
    const auto known = tree->communicators.find(identity);
    if (known == tree->communicators.end()) return "the ranks of a communicator there are unknown";
    if (own.all.size() != known->second.size()) return "not all ranks of the communicator make their calls there";
    if (own.with_data.size() < 2) return "only one rank has data, or none: there is nothing to communicate";
    std::vector<int32_t> members;  // in the old order
    for (const int32_t rank : known->second)
      if (own.with_data.count(rank)) members.push_back(rank);
    while (tree->communicators.count(fresh)) ++fresh;
    own.own = fresh;
    tree->communicators[fresh] = members;
  }
  std::vector<std::vector<int32_t>> ranks(tree->classes.size());  // by class and member
  for (size_t rank = 0; rank < tree->members.size(); ++rank) {
    TreeMember& member = tree->members[rank];
    std::vector<int32_t>& own = ranks[member.of_class];
    own.resize(std::max(own.size(), member.number + 1));
    own[member.number] = static_cast<int32_t>(rank);
    const TreeClass& of = tree->classes[member.of_class];
    for (uint32_t l = 0; l < of.leaves.size(); ++l) {
      if (!wanted[member.of_class][l] || of.leaves[l].removed) continue;
      const auto varied = member.varied.find(l);
      uint64_t identity = of.leaves[l].leaf.identity.of(member.number);
      if (of.leaves[l].leaf.varies && varied != member.varied.end()) {
        auto other = std::make_shared<Varied>(*varied->second);
        if (!other->kinds.empty()) identity = other->kinds.front().identity.of(0);
        for (Leaf& kind : other->kinds) join_others(users, *tree, {static_cast<int32_t>(rank)}, &kind);
        varied->second = other;
      }
      made->calls_before += member.before_ns[l].size();
      const auto found = users.find(identity);
      const bool idle = found != users.end() && !found->second.with_data.count(static_cast<int32_t>(rank));
      if (!idle) made->calls_after += member.before_ns[l].size();
    }
  }
  for (size_t c = 0; c < tree->classes.size(); ++c) {
    std::vector<TreeLeaf>& leaves = tree->classes[c].leaves;
    for (size_t l = 0; l < leaves.size(); ++l)
      if (wanted[c][l] && !leaves[l].removed) join_others(users, *tree, ranks[c], &leaves[l].leaf);
  }
  return {};
}

}  // namespace leadline::replay
