// Messages and collectives match in order, so those of a channel must be changed alike by the rank that sends
// and by the one that receives them, and those of a communicator by all of its ranks.
#include <map>
#include <set>
#include <tuple>

#include "replay/changes/change.hpp"
#include "trace/hash.hpp"

namespace leadline::replay {

namespace {

using ChannelKey = std::tuple<uint64_t, uint32_t, uint32_t, int64_t>;  // communicator, from, to, tag

struct Flow {
  uint64_t messages[2] = {}, hash[2] = {};  // received, sent
};

struct End {
  Flow* flow;
  bool sends;
};

bool is_plain_message(const calls::Leaf& leaf) {
  const trace::CallFacts& facts = leaf.call.facts();
  return facts.event == trace::EventForm::message || facts.event == trace::EventForm::exchange ||
         facts.requests == trace::RequestUse::starts;
}

// The ends of messages that a rank's calls of the leaf are.
template <class Each>
void for_each_end(const TreeLeaf& leaf, uint32_t rank, size_t member, const Each& each) {
  const bool completes = leaf.leaf.call.facts().requests == trace::RequestUse::completes;
  if (leaf.leaf.varies || (!is_plain_message(leaf.leaf) && !completes)) return;
  for (size_t p = 0; p < leaf.leaf.call.parts.size(); ++p) {
    const structure::CallPart& part = leaf.leaf.call.parts[p];
    const calls::LeafPart& mine = leaf.leaf.parts[p].of(member);
    if (part.cancelled || mine.partner.world < 0 || (completes ? !part.wildcard : part.wildcard)) continue;
    const auto other = static_cast<uint32_t>(mine.partner.world);
    if (part.sends() && !completes) each(ChannelKey{mine.identity, rank, other, mine.tag}, true);
    if (part.receives()) each(ChannelKey{mine.identity, other, rank, mine.tag}, false);
  }
}

// Channels of messages that a change made, or that are part of such ones.
std::map<ChannelKey, Flow> changed_flows(const Tree& tree) {
  std::map<ChannelKey, Flow> found;
  for (uint32_t rank = 0; rank < tree.members.size(); ++rank) {
    const TreeMember& member = tree.members[rank];
    for (const TreeLeaf& leaf : tree.classes[member.of_class].leaves) {
      if (leaf.stands_for == 1) continue;
      for_each_end(leaf, rank, member.number, [&](const ChannelKey& channel, bool) { found[channel]; });
    }
  }
  return found;
}

}  // namespace

Refusal check_channels(const Tree& tree) {
  std::map<ChannelKey, Flow> flows = changed_flows(tree);
  if (flows.empty()) return {};
  for (uint32_t rank = 0; rank < tree.members.size(); ++rank) {
    const TreeMember& member = tree.members[rank];
    const TreeClass& own = tree.classes[member.of_class];
    std::vector<std::vector<End>> ends(own.leaves.size());
    std::vector<uint8_t> has_ends(own.leaves.size());
    for (size_t l = 0; l < own.leaves.size(); ++l) {
      for_each_end(own.leaves[l], rank, member.number, [&](const ChannelKey& channel, bool sends) {
        const auto flow = flows.find(channel);
        if (flow == flows.end()) return;
        ends[l].push_back({&flow->second, sends});
        has_ends[l] = true;
      });
    }
    own.shape.for_each_call_of(has_ends, [&](uint32_t leaf) {
      for (const End& end : ends[leaf]) {
        ++end.flow->messages[end.sends];
        uint64_t& hash = end.flow->hash[end.sends];
        hash = trace::mix(hash, own.leaves[leaf].stands_for);
      }
    });
  }
  for (const auto& [channel, flow] : flows) {
    if (flow.hash[0] == flow.hash[1]) continue;
    const auto [identity, from, to, tag] = channel;
    return "rank " + std::to_string(from) + " would send " + std::to_string(flow.messages[1]) + " messages with tag " +
           std::to_string(tag) + " to rank " + std::to_string(to) + ", which would receive " +
           std::to_string(flow.messages[0]) + ", or others: both sides must be changed alike, in the same order";
  }
  return {};
}

Refusal check_collectives(const Tree& tree) {
  struct Calls {
    uint64_t number = 0, hash = 0;
  };
  const auto counts = [](const TreeLeaf& l) {
    return l.leaf.call.facts().event == trace::EventForm::collective && !(l.removed && l.stands_for);
  };
  std::set<uint64_t> perhaps;  // communicators with calls that a change made
  for (const TreeMember& member : tree.members) {
    for (const TreeLeaf& l : tree.classes[member.of_class].leaves)
      if (l.stands_for != 1 && counts(l)) perhaps.insert(l.leaf.identity.of(member.number));
  }
  if (perhaps.empty()) return {};
  std::map<uint64_t, std::map<uint32_t, Calls>> all;  // by communicator and rank
  std::set<uint64_t> changed;                         // communicators
  for (uint32_t rank = 0; rank < tree.members.size(); ++rank) {
    const TreeMember& member = tree.members[rank];
    const TreeClass& own = tree.classes[member.of_class];
    std::vector<uint8_t> wanted;
    for (const TreeLeaf& l : own.leaves)
      wanted.push_back(counts(l) && perhaps.count(l.leaf.identity.of(member.number)) > 0);
    own.shape.for_each_call_of(wanted, [&](uint32_t leaf) {
      const TreeLeaf& l = own.leaves[leaf];
      const uint64_t identity = l.leaf.identity.of(member.number);
      if (l.stands_for != 1) changed.insert(identity);
      Calls& calls = all[identity][rank];
      calls.number += !l.removed;
      calls.hash = trace::mix(calls.hash, l.stands_for);
      if (l.gathers) calls.hash = trace::mix(calls.hash, static_cast<uint64_t>(l.leaf.partner.of(member.number).rank));
    });
  }
  for (const uint64_t identity : changed) {
    if (const auto members = tree.communicators.find(identity); members != tree.communicators.end()) {
      for (const int32_t rank : members->second) all[identity][static_cast<uint32_t>(rank)];
    }
    const auto& [first, expected] = *all[identity].begin();
    for (const auto& [rank, calls] : all[identity]) {
      if (calls.hash == expected.hash) continue;
      return "rank " + std::to_string(first) + " would make " + std::to_string(expected.number) +
             " collective calls and rank " + std::to_string(rank) + " " + std::to_string(calls.number) +
             ", or others: all ranks must be changed alike, in the same order";
    }
  }
  return {};
}

}  // namespace leadline::replay
