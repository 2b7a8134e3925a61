// An all-to-all in which ranks have data for few others becomes messages between those: all receives and sends are
// begun, and then waited for.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "replay/changes/rewriting.hpp"

namespace leadline::replay {

namespace {

using calls::Leaf;
using calls::LeafPart;
using structure::CallPart;
using trace::RequestUse;
using Role = Rewriting::Role;

constexpr int32_t own_tag = INT32_MAX;  // no program's messages have it

bool has_counts(const Leaf& leaf) {
  for (const char* name : {"MPI_Alltoallv", "MPI_Alltoallw"})
    if (leaf.function == name || leaf.function == std::string(name) + "_c") return true;
  return false;
}

// Blocks that are not empty, with the bytes of each: its part of all bytes. Of MPI_Alltoallw, as if all types were
// equally long.
struct Block {
  int32_t world = -1;
  int64_t bytes = 0;
};
std::vector<Block> blocks_of(const std::vector<int64_t>& counts, int64_t bytes, const std::vector<int32_t>& ranks,
                             int32_t own) {
  const int64_t sum = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  std::vector<Block> found;
  for (size_t i = 0; i < counts.size() && i < ranks.size(); ++i) {
    if (counts[i] <= 0 || ranks[i] == own) continue;
    const double part = static_cast<double>(counts[i]) / static_cast<double>(std::max<int64_t>(sum, 1));
    found.push_back({ranks[i], static_cast<int64_t>(part * static_cast<double>(bytes))});
  }
  return found;
}

struct CountedExchange {
  std::vector<Block> receives, sends;
};

class Spreading {
 public:
  Spreading(TreeClass* of, const Tree& tree) : class_(*of), tree_(tree), rewriting_(of) {}

  Refusal run(const std::vector<uint8_t>& wanted, const std::vector<TreeMember*>& members, bool* found, Made* made) {
    if (class_.leaves.empty()) return {};
    ranks_.resize(class_.leaves.front().leaf.times.size());
    for (const TreeMember* member : members)
      ranks_[member->number] = static_cast<int32_t>(member - tree_.members.data());
    std::vector<Role> roles;
    for (size_t l = 0; l < wanted.size(); ++l)
      roles.push_back(wanted[l] && !class_.leaves[l].removed ? Role::wanted : Role::ends);
    const std::vector<uint8_t> all_alike(wanted.size(), false);
    rewriting_.for_each_row(roles, all_alike, [this](const Row& row, std::vector<uint32_t>* leaves) {
      for (const uint32_t leaf : row.leaves) {
        if (!refusal_.empty()) return false;
        one(leaf, leaves);
      }
      return refusal_.empty();
    });
    if (!refusal_.empty()) return refusal_;
    *found = *found || rewriting_.changes();
    return rewriting_.finish(members, made);
  }

 private:
  void one(uint32_t old, std::vector<uint32_t>* leaves) {
    const TreeLeaf before = class_.leaves[old];
    if (!has_counts(before.leaf)) return refuse(before.leaf.function + " is no MPI_Alltoallv or MPI_Alltoallw");
    if (before.leaf.varies) return refuse("the counts of " + before.leaf.function + " differ from call to call");
    std::vector<CountedExchange> exchanges;
    for (size_t m = 0; m < ranks_.size(); ++m) {
      exchanges.push_back(exchange_of(before.leaf, m));
      if (!refusal_.empty()) return;
    }
    leaves->push_back(rewriting_.copy(old));
    rewriting_.made(leaves->back()).removed = true;
    TreeLeaf begins = fresh(before.leaf, "MPI_Isend", trace::CallClass::startall);
    TreeLeaf ends = fresh(before.leaf, "MPI_Waitall", trace::CallClass::waitall);
    begins.unblocked = begins.spread = ends.inserted = true;
    for (const bool sends : {false, true}) add_parts(exchanges, before.leaf, sends, &begins.leaf);
    const size_t requests = begins.leaf.call.parts.size();
    for (size_t p = 0; p < requests; ++p) {
      CallPart part = begins.leaf.call.parts[p];
      part.request = RequestUse::completes;
      part.names_message = false;
      part.maker.age = requests - p;
      add_part(part, begins.leaf.parts[p], &ends.leaf);
    }
    for (TreeLeaf* each : {&begins, &ends}) {
      if (!requests) break;  // nobody exchanges anything
      leaves->push_back(rewriting_.insert(std::move(*each)));
      rewriting_.made(leaves->back()).of = leaves->back();
    }
  }

  CountedExchange exchange_of(const Leaf& leaf, size_t member) {
    const auto known = tree_.communicators.find(leaf.identity.of(member));
    const calls::LeafCounts& counts = leaf.counts.of(member);
    int64_t out = 0, in = 0;
    for (const auto& part : leaf.parts) out += part.of(member).out_bytes, in += part.of(member).in_bytes;
    const size_t ranks = known == tree_.communicators.end() ? 0 : known->second.size();
    if (!ranks || counts.send.size() != ranks || counts.receive.size() != ranks) {
      refuse("the counts of " + leaf.function + " were not kept");
      return {};
    }
    const int32_t own = ranks_[member];
    return {blocks_of(counts.receive, in, known->second, own), blocks_of(counts.send, out, known->second, own)};
  }

  // As many parts as the member with most has: others have no partner in some.
  void add_parts(const std::vector<CountedExchange>& exchanges, const Leaf& old, bool sends, Leaf* leaf) {
    const auto blocks = [&](size_t m) -> const std::vector<Block>& {
      return sends ? exchanges[m].sends : exchanges[m].receives;
    };
    size_t most = 0;
    for (size_t m = 0; m < exchanges.size(); ++m) most = std::max(most, blocks(m).size());
    for (size_t p = 0; p < most; ++p) {
      CallPart part;
      part.moves = sends ? trace::moves::sends : trace::moves::receives;
      part.request = RequestUse::starts;
      part.names_message = true;
      calls::Column<LeafPart> column;
      for (size_t m = 0; m < exchanges.size(); ++m) {
        LeafPart mine;
        mine.identity = old.identity.of(m);
        mine.tag = own_tag;
        mine.partner = {{trace::peer_null, trace::peer_null, -1}};
        if (p < blocks(m).size()) {
          const Block& block = blocks(m)[p];
          mine.partner = {{block.world - ranks_[m], block.world, block.world}};
          mine.posted_bytes = block.bytes;
          (sends ? mine.out_bytes : mine.in_bytes) = block.bytes;
        }
        column.add(mine);
      }
      add_part(part, column, leaf);
    }
  }

  static void add_part(const CallPart& part, const calls::Column<LeafPart>& column, Leaf* leaf) {
    leaf->call.parts.push_back(part);
    leaf->parts.push_back(column);
    leaf->makers.push_back(structure::no_index);
    leaf->modes.push_back(trace::SendMode::standard);
  }

  static TreeLeaf fresh(const Leaf& old, const char* function, trace::CallClass cls) {
    TreeLeaf made;
    made.leaf.site = old.site;
    made.leaf.function = function;
    made.leaf.call.cls = cls;
    for (size_t m = 0; m < old.times.size(); ++m) {
      made.leaf.posted_bytes.add(0);
      made.leaf.times.add({});
      made.leaf.partner.add({});
      made.leaf.identity.add(old.identity.of(m));
      made.leaf.counts.add({});
    }
    return made;
  }

  void refuse(std::string why) { refusal_ = std::move(why); }

  TreeClass& class_;
  const Tree& tree_;
  Rewriting rewriting_;
  std::vector<int32_t> ranks_;  // by member
  Refusal refusal_;
};

// A block that one rank sends and the other one does not expect would be waited for in vain: such arguments are wrong,
// or the trace is damaged.
Refusal check_ends(const Tree& tree) {
  std::map<std::pair<int32_t, int32_t>, int64_t> open;  // from, to: sent less received
  for (size_t rank = 0; rank < tree.members.size(); ++rank) {
    const TreeMember& member = tree.members[rank];
    const TreeClass& own = tree.classes[member.of_class];
    const auto me = static_cast<int32_t>(rank);
    for (size_t l = 0; l < own.leaves.size(); ++l) {
      if (!own.leaves[l].spread) continue;
      const Leaf& leaf = own.leaves[l].leaf;
      const auto calls = static_cast<int64_t>(member.before_ns[l].size());
      for (size_t p = 0; p < leaf.parts.size(); ++p) {
        const int32_t other = leaf.parts[p].of(member.number).partner.world;
        if (other < 0) continue;
        const bool sends = leaf.call.parts[p].sends();
        open[sends ? std::pair(me, other) : std::pair(other, me)] += sends ? calls : -calls;
      }
    }
  }
  for (const auto& [ends, messages] : open) {
    if (!messages) continue;
    return "rank " + std::to_string(ends.first) + " sends rank " + std::to_string(ends.second) +
           " blocks that it does not receive as often: select all calls that belong together";
  }
  return {};
}

}  // namespace

Refusal exchange_few(const Selection& at, Tree* tree, Made* made) {
  bool found = false;
  for (size_t c = 0; c < tree->classes.size(); ++c) {
    std::vector<TreeMember*> members;
    for (TreeMember& member : tree->members)
      if (member.of_class == c) members.push_back(&member);
    Spreading spreading(&tree->classes[c], *tree);
    if (Refusal why = spreading.run(selected_leaves(tree->classes[c], at), members, &found, made); !why.empty())
      return why;
  }
  if (!found) return "no MPI_Alltoallv is there";
  return check_ends(*tree);
}

}  // namespace leadline::replay
