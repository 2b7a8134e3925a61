// Messages of all ranks of a communicator to one of them become a gather. The rank that receives them makes it where it
// received the first; what it computed, or wrote to files, between its receives comes after it.
#include <algorithm>
#include <string>

#include "replay/changes/rewriting.hpp"

namespace leadline::replay {

namespace {

using calls::Leaf;
using calls::LeafPart;
using structure::CallPart;
using Role = Rewriting::Role;

bool may_stand_between(const TreeLeaf& leaf) {
  return is_local(leaf) || leaf.leaf.call.facts().category == trace::Category::io;
}

class Gathering {
 public:
  Gathering(TreeClass* of, const Tree& tree) : class_(*of), tree_(tree), rewriting_(of) {}

  Refusal run(const std::vector<uint8_t>& wanted, const std::vector<TreeMember*>& members, bool* found, Made* made) {
    if (class_.leaves.empty()) return {};
    members_ = class_.leaves.front().leaf.times.size();
    ranks_.resize(members_);
    for (const TreeMember* member : members)
      ranks_[member->number] = static_cast<int32_t>(member - tree_.members.data());
    std::vector<Role> roles;
    for (size_t l = 0; l < wanted.size(); ++l) {
      const TreeLeaf& leaf = class_.leaves[l];
      const bool message = is_message(leaf) && leaf.leaf.call.parts.size() == 1;
      roles.push_back(wanted[l] && (message || is_completion(leaf)) ? Role::wanted
                      : may_stand_between(leaf)                     ? Role::passes
                                                                    : Role::ends);
    }
    const std::vector<uint8_t> all_alike(wanted.size(), false);
    rewriting_.for_each_row(roles, all_alike, [this](const Row& row, std::vector<uint32_t>* leaves) {
      return refusal_.empty() && one_row(row, leaves);
    });
    if (!refusal_.empty()) return refusal_;
    *found = *found || rewriting_.changes();
    return rewriting_.finish(members, made);
  }

 private:
  bool one_row(const Row& row, std::vector<uint32_t>* leaves) {
    std::vector<uint32_t> own = row.leaves;
    std::vector<uint32_t> gathers(own.size(), structure::no_index);  // made before the call
    std::vector<size_t> receives;                                    // of the gather under way
    bool any = false;
    for (size_t c = 0; c < own.size(); ++c) {
      const TreeLeaf& l = class_.leaves[row.leaves[c]];
      if (!is_message(l)) continue;
      const CallPart& part = l.leaf.call.parts.front();
      if (l.leaf.varies || part.cancelled || (part.wildcard && requests_of(l))) {
        refusal_ = "whom " + l.leaf.function + " receives from is unknown for some calls";
        return false;
      }
      any = true;
      if (part.sends()) {
        gathers[c] = gather(row, {c});
      } else {
        receives.push_back(c);
        if (receives.size() == senders_to(l)) {
          gathers[receives.front()] = gather(row, receives);
          receives.clear();
        }
      }
      if (!refusal_.empty()) return false;
      own[c] = rewriting_.copy(row.leaves[c]);
      rewriting_.made(own[c]).removed = true;
      rewriting_.made(own[c]).stands_for = 0;
    }
    if (!receives.empty()) {
      const TreeLeaf& l = class_.leaves[row.leaves[receives.front()]];
      refusal_ = "rank " + std::to_string(ranks_.front()) + " receives in a row from " +
                 std::to_string(receives.size()) + " of the " + std::to_string(senders_to(l)) +
                 " other ranks of the communicator";
      return false;
    }
    for (size_t c = 0; c < own.size(); ++c) {
      leaves->push_back(own[c]);
      if (gathers[c] != structure::no_index) leaves->push_back(gathers[c]);
    }
    return any;
  }

  const std::vector<int32_t>& members_of(uint64_t identity) const {
    const auto at = tree_.communicators.find(identity);
    return at == tree_.communicators.end() ? none_ : at->second;
  }
  size_t senders_to(const TreeLeaf& receive) const {
    return std::max<size_t>(members_of(receive.leaf.parts.front().of(0).identity).size(), 1) - 1;
  }

  // calls: of the row, all that it receives, or the one that it sends.
  uint32_t gather(const Row& row, const std::vector<size_t>& calls) {
    const uint32_t old = row.leaves[calls.front()];
    const TreeLeaf& first = class_.leaves[old];
    const bool sends = first.leaf.call.parts.front().sends();
    TreeLeaf made;
    made.of = old;
    made.gathers = true;
    made.leaf.site = first.leaf.site;
    made.leaf.call.cls = trace::CallClass::coll;
    made.leaf.times = changed(first.leaf.times, [](structure::LeafTimes* t, size_t) { t->before_ns = 0; });
    CallPart part;
    part.moves = sends ? trace::moves::contributes : trace::moves::collects;
    made.leaf.call.parts.push_back(part);
    made.leaf.makers.push_back(structure::no_index);
    made.leaf.modes.push_back(trace::SendMode::standard);
    calls::Column<LeafPart>& column = made.leaf.parts.emplace_back();
    bool alike = true;
    for (size_t m = 0; m < members_; ++m) {
      const LeafPart& message = first.leaf.parts.front().of(m);
      const std::vector<int32_t>& all = members_of(message.identity);
      const int32_t root = sends ? message.partner.world : ranks_[m];
      const auto place = std::find(all.begin(), all.end(), root);
      if (place == all.end() || message.partner.world < 0) {
        refusal_ = "the communicator of " + first.leaf.function + " is unknown, or some ranks have no partner";
        return old;
      }
      made.stands_for = static_cast<uint32_t>(all.size());
      LeafPart mine;
      mine.identity = message.identity;
      std::vector<int32_t> from;
      for (const size_t c : calls) {
        const LeafPart& other = class_.leaves[row.leaves[c]].leaf.parts.front().of(m);
        const int64_t bytes = std::max<int64_t>(sends ? other.out_bytes : other.in_bytes, 0);
        (sends ? mine.out_bytes : mine.in_bytes) += bytes;
        alike = alike && bytes == std::max<int64_t>(sends ? message.out_bytes : message.in_bytes, 0);
        from.push_back(other.partner.world);
        if (other.identity != message.identity) from.clear();
      }
      std::sort(from.begin(), from.end());
      if (from.size() != calls.size() || std::adjacent_find(from.begin(), from.end()) != from.end()) {
        refusal_ = "rank " + std::to_string(ranks_[m]) + " does not receive from each other rank in turn";
        return old;
      }
      column.add(mine);
      made.leaf.identity.add(message.identity);
      made.leaf.posted_bytes.add(sends ? message.out_bytes : message.in_bytes);
      const auto rank = static_cast<int32_t>(place - all.begin());
      made.leaf.partner.add({{root - ranks_[m], rank, root}});
    }
    made.leaf.function = alike ? "MPI_Gather" : "MPI_Gatherv";
    return rewriting_.insert(std::move(made));
  }

  TreeClass& class_;
  const Tree& tree_;
  Rewriting rewriting_;
  size_t members_ = 0;
  std::vector<int32_t> ranks_;  // by member
  const std::vector<int32_t> none_;
  Refusal refusal_;
};

// A gather of blocks that differ has other schedules, and all ranks must take the same one.
void name_gathers(Tree* tree) {
  std::vector<Leaf*> gathers;
  bool alike = true;
  for (TreeClass& of : tree->classes)
    for (TreeLeaf& leaf : of.leaves)
      if (leaf.gathers) gathers.push_back(&leaf.leaf);
  for (const Leaf* leaf : gathers) {
    for (size_t m = 0; m < leaf->posted_bytes.size(); ++m)
      alike = alike && leaf->posted_bytes.of(m) == gathers.front()->posted_bytes.of(0);
    alike = alike && leaf->function == "MPI_Gather";
  }
  for (Leaf* leaf : gathers) leaf->function = alike ? "MPI_Gather" : "MPI_Gatherv";
}

}  // namespace

Refusal gather(const Selection& at, Tree* tree, Made* made) {
  bool found = false;
  for (size_t c = 0; c < tree->classes.size(); ++c) {
    std::vector<TreeMember*> members;
    for (TreeMember& member : tree->members)
      if (member.of_class == c) members.push_back(&member);
    Gathering gathering(&tree->classes[c], *tree);
    if (const Refusal why = gathering.run(selected_leaves(tree->classes[c], at), members, &found, made); !why.empty())
      return why;
  }
  name_gathers(tree);
  if (!found) return "no messages from all ranks to one are sent there";
  if (const Refusal why = check_channels(*tree); !why.empty()) return why;
  return check_collectives(*tree);
}

}  // namespace leadline::replay
