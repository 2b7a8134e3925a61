// Messages of all ranks of a communicator to one of them become a gather, those from one a broadcast or scatter, and
// those of all to all an all-to-all; those of a tree, whose ranks pass on what they received, a reduction or a
// broadcast. A rank makes the call where its first message was; what it computed, or wrote to files, between its
// messages comes after it.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
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

enum class Way : uint8_t { to_one, from_one, all };

// Blocks of one size, others, and blocks of one size over a tree.
struct Names {
  const char *alike, *different, *tree;
};
constexpr Names names_of[] = {{"MPI_Gather", "MPI_Gatherv", "MPI_Reduce"},
                              {"MPI_Bcast", "MPI_Scatterv", "MPI_Bcast"},
                              {"MPI_Alltoall", "MPI_Alltoallv", ""}};

// Of messages that ranks pass on: by communicator, the rank that all come from, or go to. Empty: there are others.
using Roots = std::map<uint64_t, int32_t>;

class Gathering {
 public:
  Gathering(Way way, TreeClass* of, const Tree& tree, const Roots& roots)
      : way_(way), class_(*of), tree_(tree), roots_(roots), rewriting_(of) {}

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
    std::vector<size_t> several;                                     // messages of the collective under way
    bool any = false;
    const auto messages =
        std::count_if(own.begin(), own.end(), [&](uint32_t leaf) { return is_message(class_.leaves[leaf]); });
    for (size_t c = 0; c < own.size(); ++c) {
      const TreeLeaf& l = class_.leaves[row.leaves[c]];
      if (!is_message(l)) continue;
      const size_t expected = messages_of_one(l, static_cast<size_t>(messages));
      const CallPart& part = l.leaf.call.parts.front();
      if (l.leaf.varies || part.cancelled || (part.wildcard && requests_of(l))) {
        refusal_ = "whom " + l.leaf.function + " receives from is unknown for some calls";
        return false;
      }
      any = true;
      if (passed_on()) {
        if (begins_another(row, several, c)) gathers[several.front()] = gather(row, several), several.clear();
        several.push_back(c);
      } else if (is_only_one(part)) {
        gathers[c] = gather(row, {c});
      } else {
        several.push_back(c);
        if (several.size() == expected) {
          gathers[several.front()] = gather(row, several);
          several.clear();
        }
      }
      if (!refusal_.empty()) return false;
      own[c] = rewriting_.copy(row.leaves[c]);
      rewriting_.made(own[c]).removed = true;
      rewriting_.made(own[c]).stands_for = 0;
    }
    if (passed_on() && !several.empty()) gathers[several.front()] = gather(row, several), several.clear();
    if (!refusal_.empty()) return false;
    if (!several.empty()) {
      const TreeLeaf& l = class_.leaves[row.leaves[several.front()]];
      refusal_ = "rank " + std::to_string(ranks_.front()) + told_[static_cast<size_t>(way_)] +
                 std::to_string(several.size()) + " of the " +
                 std::to_string(messages_of_one(l, static_cast<size_t>(messages))) +
                 (way_ == Way::all ? " messages of an all-to-all" : " other ranks of the communicator");
      return false;
    }
    for (size_t c = 0; c < own.size(); ++c) {
      leaves->push_back(own[c]);
      if (gathers[c] != structure::no_index) leaves->push_back(gathers[c]);
    }
    return any;
  }

  bool passed_on() const { return !roots_.empty(); }
  // Whether the message belongs to the next collective over a tree. Of a broadcast, a rank receives first, of a
  // reduction it sends last; the root exchanges with the same rank again.
  bool begins_another(const Row& row, const std::vector<size_t>& calls, size_t next) const {
    if (calls.empty()) return false;
    const auto sends = [&](size_t c) { return class_.leaves[row.leaves[c]].leaf.call.parts.front().sends(); };
    const auto partner = [&](size_t c) { return class_.leaves[row.leaves[c]].leaf.parts.front().of(0).partner.world; };
    if (way_ == Way::from_one ? !sends(next) : sends(calls.back())) return true;
    return std::any_of(calls.begin(), calls.end(),
                       [&](size_t c) { return sends(c) == sends(next) && partner(c) == partner(next); });
  }
  int32_t root_of(const TreeLeaf& first, bool only_one, size_t member) const {
    const LeafPart& message = first.leaf.parts.front().of(member);
    if (!passed_on()) return only_one ? message.partner.world : ranks_[member];
    const auto at = roots_.find(message.identity);
    return at == roots_.end() ? -1 : at->second;
  }

  const std::vector<int32_t>& members_of(uint64_t identity) const {
    const auto at = tree_.communicators.find(identity);
    return at == tree_.communicators.end() ? none_ : at->second;
  }
  // Of a rank that is not the root: its message is all that it has to do with the collective.
  bool is_only_one(const CallPart& part) const { return way_ != Way::all && part.sends() == (way_ == Way::to_one); }
  // How many messages a collective stands for on a rank that has several, of so many in a row. Of an all-to-all, each
  // rank may also send to itself.
  size_t messages_of_one(const TreeLeaf& message, size_t in_row) const {
    const size_t ranks = std::max<size_t>(members_of(message.leaf.parts.front().of(0).identity).size(), 1);
    if (way_ != Way::all) return ranks - 1;
    return in_row % (2 * ranks) == 0 ? 2 * ranks : 2 * (ranks - 1);
  }

  // calls: of the row, the messages that the collective stands for.
  uint32_t gather(const Row& row, const std::vector<size_t>& calls) {
    const uint32_t old = row.leaves[calls.front()];
    const TreeLeaf& first = class_.leaves[old];
    const bool only_one = is_only_one(first.leaf.call.parts.front());
    const bool sends = first.leaf.call.parts.front().sends();
    TreeLeaf made;
    made.of = old;
    made.gathers = true;
    made.leaf.site = first.leaf.site;
    made.leaf.call.cls = trace::CallClass::coll;
    made.leaf.times = changed(first.leaf.times, [](structure::LeafTimes* t, size_t) { t->before_ns = 0; });
    CallPart part;
    const bool is_root = root_of(first, only_one, 0) == ranks_.front();
    const bool collects = passed_on() ? is_root == (way_ == Way::to_one) : !sends;
    part.moves = way_ == Way::all ? trace::moves::contributes | trace::moves::collects
                 : collects       ? trace::moves::collects
                                  : trace::moves::contributes;
    made.leaf.call.parts.push_back(part);
    made.leaf.makers.push_back(structure::no_index);
    made.leaf.modes.push_back(trace::SendMode::standard);
    calls::Column<LeafPart>& column = made.leaf.parts.emplace_back();
    bool alike = true;
    for (size_t m = 0; m < members_; ++m) {
      const LeafPart& message = first.leaf.parts.front().of(m);
      const std::vector<int32_t>& all = members_of(message.identity);
      const int32_t root = root_of(first, only_one, m);
      const auto place = std::find(all.begin(), all.end(), root);
      if (place == all.end() || message.partner.world < 0) {
        refusal_ = "the communicator of " + first.leaf.function + " is unknown, or some ranks have no partner";
        return old;
      }
      made.stands_for = static_cast<uint32_t>(all.size());
      LeafPart mine;
      mine.identity = message.identity;
      std::vector<std::pair<bool, int32_t>> partners;
      for (const size_t c : calls) {
        const Leaf& other = class_.leaves[row.leaves[c]].leaf;
        const LeafPart& its = other.parts.front().of(m);
        const int64_t bytes = block(other, m);
        (other.call.parts.front().sends() ? mine.out_bytes : mine.in_bytes) += bytes;
        alike = alike && bytes == block(first.leaf, m);
        partners.emplace_back(other.call.parts.front().sends(), its.partner.world);
        if (its.identity != message.identity) partners.clear();
      }
      std::sort(partners.begin(), partners.end());
      const auto out = std::count_if(partners.begin(), partners.end(), [](const auto& each) { return each.first; });
      if (partners.size() != calls.size() || std::adjacent_find(partners.begin(), partners.end()) != partners.end() ||
          (way_ == Way::all && static_cast<size_t>(out) * 2 != calls.size())) {
        refusal_ = "rank " + std::to_string(ranks_[m]) +
                   (way_ == Way::to_one ? " does not receive from each other rank in turn"
                                        : " does not send to each other rank in turn");
        return old;
      }
      if (passed_on()) {
        const bool is_root = ranks_[m] == root, up = way_ == Way::to_one;
        mine.out_bytes = up || is_root ? block(first.leaf, m) : 0;
        mine.in_bytes = up == is_root ? block(first.leaf, m) : 0;
      }
      column.add(mine);
      made.leaf.identity.add(message.identity);
      made.leaf.posted_bytes.add(block(first.leaf, m));
      const auto rank = static_cast<int32_t>(place - all.begin());
      made.leaf.partner.add(way_ == Way::all ? calls::LeafPartner{}
                                             : calls::LeafPartner{{root - ranks_[m], rank, root}});
    }
    const Names& names = names_of[static_cast<size_t>(way_)];
    made.leaf.function = alike && passed_on() ? names.tree : alike ? names.alike : names.different;
    return rewriting_.insert(std::move(made));
  }

  static int64_t block(const Leaf& message, size_t member) {
    const LeafPart& part = message.parts.front().of(member);
    return std::max<int64_t>(message.call.parts.front().sends() ? part.out_bytes : part.in_bytes, 0);
  }

  static constexpr const char* told_[] = {" receives in a row from ", " sends in a row to ", " has in a row "};

  const Way way_;
  TreeClass& class_;
  const Tree& tree_;
  const Roots& roots_;
  Rewriting rewriting_;
  size_t members_ = 0;
  std::vector<int32_t> ranks_;  // by member
  const std::vector<int32_t> none_;
  Refusal refusal_;
};

// Blocks that differ have another schedule, and all ranks must take the same one. Of what one rank sends to all, blocks
// of one size are taken for the same data. Returns whether all have one size.
bool name_made(Way way, bool over_tree, Tree* tree) {
  const Names& names = names_of[static_cast<size_t>(way)];
  const auto is_of_it = [&](const Leaf& leaf) {
    return leaf.function == names.alike || leaf.function == names.different || leaf.function == names.tree;
  };
  std::vector<TreeLeaf*> made;
  bool alike = true;
  for (TreeClass& of : tree->classes)
    for (TreeLeaf& leaf : of.leaves)
      if (leaf.gathers && is_of_it(leaf.leaf)) made.push_back(&leaf);
  for (const TreeLeaf* each : made) {
    const Leaf& leaf = each->leaf;
    for (size_t m = 0; m < leaf.posted_bytes.size(); ++m)
      alike = alike && leaf.posted_bytes.of(m) == made.front()->leaf.posted_bytes.of(0);
    alike = alike && leaf.function != names.different;
  }
  for (TreeLeaf* each : made) {
    each->leaf.function = !alike ? names.different : over_tree ? names.tree : names.alike;
    if (way != Way::from_one || !alike) continue;
    calls::Column<LeafPart>& bytes = each->leaf.parts.front();
    bytes = changed(bytes, [&](LeafPart* mine, size_t m) {
      if (mine->out_bytes) mine->out_bytes = each->leaf.posted_bytes.of(m);  // the same data to all
    });
  }
  return alike;
}

// Of messages at the selected sites that some ranks both receive and send: the one rank of each communicator that only
// sends, or only receives. Empty: nobody passes anything on, or there is no such rank.
Roots roots_of(Way way, const Tree& tree, const Selection& at) {
  std::map<uint64_t, std::set<int32_t>> senders, receivers;
  for (size_t rank = 0; rank < tree.members.size(); ++rank) {
    const TreeMember& member = tree.members[rank];
    const TreeClass& own = tree.classes[member.of_class];
    const std::vector<uint8_t> wanted = selected_leaves(own, at);
    for (size_t l = 0; l < own.leaves.size(); ++l) {
      const TreeLeaf& leaf = own.leaves[l];
      if (!wanted[l] || !is_message(leaf) || leaf.leaf.call.parts.size() != 1) continue;
      auto& ranks = leaf.leaf.call.parts.front().sends() ? senders : receivers;
      ranks[leaf.leaf.parts.front().of(member.number).identity].insert(static_cast<int32_t>(rank));
    }
  }
  Roots found;
  bool passed_on = false;
  if (way == Way::to_one) std::swap(senders, receivers);
  for (const auto& [identity, ranks] : senders) {
    std::vector<int32_t> only;
    const std::set<int32_t>& others = receivers[identity];
    std::set_difference(ranks.begin(), ranks.end(), others.begin(), others.end(), std::back_inserter(only));
    passed_on = passed_on || only.size() < ranks.size();
    if (only.size() != 1) return {};
    found[identity] = only.front();
  }
  return passed_on ? found : Roots{};
}

Refusal collect(Way way, const Selection& at, Tree* tree, Made* made) {
  static constexpr const char* none[] = {"no messages from all ranks to one are sent there",
                                         "no messages from one rank to all others are sent there",
                                         "no messages from all ranks to all are sent there"};
  bool found = false;
  const Roots roots = way == Way::all ? Roots{} : roots_of(way, *tree, at);
  for (size_t c = 0; c < tree->classes.size(); ++c) {
    std::vector<TreeMember*> members;
    for (TreeMember& member : tree->members)
      if (member.of_class == c) members.push_back(&member);
    Gathering gathering(way, &tree->classes[c], *tree, roots);
    if (const Refusal why = gathering.run(selected_leaves(tree->classes[c], at), members, &found, made); !why.empty())
      return why;
  }
  if (!name_made(way, !roots.empty(), tree) && !roots.empty()) return "the messages that ranks pass on differ in size";
  if (!found) return none[static_cast<size_t>(way)];
  if (const Refusal why = check_channels(*tree); !why.empty()) return why;
  return check_collectives(*tree);
}

}  // namespace

Refusal gather(const Selection& at, Tree* tree, Made* made) { return collect(Way::to_one, at, tree, made); }

Refusal distribute(const Selection& at, Tree* tree, Made* made) { return collect(Way::from_one, at, tree, made); }

Refusal exchange_all(const Selection& at, Tree* tree, Made* made) { return collect(Way::all, at, tree, made); }

}  // namespace leadline::replay
