// What calls cost: as in the recording where they did not wait, and as its messages say (MessageCosts).
#include <algorithm>
#include <bit>
#include <cmath>

#include "replay/translation.hpp"

namespace leadline::replay {

using trace::EventForm;
using trace::RequestUse;

namespace {

// Assumed of calls about messages within a host, which always waited in the recording: they take no longer than that
// without waiting, for each message and each byte.
constexpr double most_call_ns = 10'000, most_per_byte_ns = 1;
// What a call sends, or what it receives.
int64_t moved_bytes(const calls::Leaf& leaf, size_t member, bool receives, uint32_t* parts) {
  namespace moves = trace::moves;
  const uint8_t way = receives ? moves::receives | moves::collects : moves::sends | moves::contributes;
  int64_t bytes = 0;
  *parts = 0;
  for (size_t p = 0; p < leaf.call.parts.size(); ++p) {
    const structure::CallPart& part = leaf.call.parts[p];
    const calls::LeafPart& mine = leaf.parts[p].of(member);
    const int64_t arrived = part.collective() ? mine.in_bytes : std::max(mine.in_bytes, mine.posted_bytes);
    const int64_t here = part.moves & way ? std::max<int64_t>(receives ? arrived : mine.out_bytes, 0) : 0;
    bytes += here;
    *parts += here > 0;
  }
  return bytes;
}

bool is_packed(const TreeLeaf& leaf) { return leaf.stands_for > 1 && !leaf.gathers && !leaf.removed; }

}  // namespace

double Translation::shortest_ns(const At& at) const {
  if (at.from.of != at.index) {
    const TreeLeaf& one = tree_.classes[tree_.members[at.rank].of_class].leaves[at.from.of];
    return packed_ns(at, shortest_ns({at.rank, at.member, at.from.of, one, one.leaf, at.times, at.calls}));
  }
  const auto found = recorded_.shortest_ns_.find(kind_of(at.leaf, at.member));
  const double ns = found == recorded_.shortest_ns_.end() ? at.times.least_ns : found->second[settings_.cost_level];
  const trace::CallFacts& facts = at.leaf.call.facts();
  if (facts.event != EventForm::message && facts.event != EventForm::exchange &&
      facts.requests != RequestUse::completes)
    return ns;
  // Longer than any call about messages takes within a host: it waited each time.
  const auto parts = static_cast<double>(std::max<size_t>(at.leaf.call.parts.size(), 1));
  const auto bytes = static_cast<double>(std::max<int64_t>(bytes_of(at.leaf, at.member), 0));
  return std::min(ns, parts * most_call_ns + most_per_byte_ns * bytes) * at.from.takes;
}

// The cost of a packed call, from that of one call that it replaces: the function's cost grows with the bytes as the
// recorded sizes say, or by the assumed rate of a copy where all had one size.   most_ns: of it, for those bytes.
double Translation::packed_ns(const At& at, double one_ns, double most_ns) const {
  const TreeLeaf& one = tree_.classes[tree_.members[at.rank].of_class].leaves[at.from.of];
  const int64_t few = bytes_of(one.leaf, at.member), many = bytes_of(at.leaf, at.member);
  if (many <= few) return one_ns;
  double per_byte = settings_.copy_per_byte_ns;
  if (const auto found = recorded_.sizes_.find(at.leaf.function); found != recorded_.sizes_.end()) {
    const auto &least = *found->second.begin(), &most = *found->second.rbegin();
    if (most.first > least.first && most.second > least.second) {
      per_byte = (most.second - least.second) / static_cast<double>(most.first - least.first);
    }
  }
  const double moved = std::min(most_ns, per_byte * static_cast<double>(few));
  return one_ns + moved * (static_cast<double>(many) / static_cast<double>(std::max<int64_t>(few, 1)) - 1);
}

int64_t Translation::received_bytes(const At& at) {
  int64_t bytes = 0;
  for (size_t p = 0; p < at.leaf.call.parts.size(); ++p) {
    const calls::LeafPart& mine = at.leaf.parts[p].of(at.member);
    if (at.leaf.call.parts[p].receives()) bytes += std::max<int64_t>({mine.posted_bytes, mine.in_bytes, 0});
  }
  return bytes;
}

// What the run's messages say: of as many bytes as the call receives, or of all calls at the site. nullptr: nothing.
const MessageCosts::Receive* Translation::receive_cost(const At& at, bool any_size) const {
  const int bits = any_size ? MessageCosts::any_size : std::bit_width(static_cast<uint64_t>(received_bytes(at)));
  const auto found = settings_.messages.receives.find({at.leaf.site, bits});
  return found == settings_.messages.receives.end() ? nullptr : &found->second;
}

// Of a call that receives, or waits for what it does. That of a packed one from one of those that it replaces.
MessageCosts::Receive Translation::received(const At& at, bool any_size) const {
  const MessageCosts::Receive* known = nullptr;
  if (at.from.of == at.index) {
    known = receive_cost(at, any_size);
  } else {
    const TreeLeaf& one = tree_.classes[tree_.members[at.rank].of_class].leaves[at.from.of];
    const At before{at.rank, at.member, at.from.of, one, one.leaf, at.times, at.calls};
    known = receive_cost(before, any_size);
    if (known && waits_for_receiver(bytes_of(at.leaf, at.member))) {
      return {settings_.messages.long_receive_ns, settings_.messages.long_receive_ns};
    }
    if (known) {
      const double more_ns = packed_ns(at, known->whole_ns, known->message_ns) - known->whole_ns;
      return {known->whole_ns + more_ns, known->message_ns + more_ns};
    }
  }
  if (known) return {known->whole_ns * at.from.takes, known->message_ns * at.from.takes};
  const double ns = shortest_ns(at);
  return {ns, ns};
}

bool Translation::waits_for_receiver(int64_t bytes) const { return has_messages() && bytes > settings_.eager_bytes; }

// A send that waits for its receiver takes longer than it costs.   ns: of the recorded calls.
double Translation::send_ns(const At& at, double ns) const {
  int64_t bytes = 0;
  for (const auto& part : at.leaf.parts) bytes = std::max(bytes, part.of(at.member).out_bytes);
  const bool in_place = bytes > settings_.copied_bytes && at.leaf.call.facts().requests != RequestUse::starts;
  const bool waited = (at.from.relaxed || in_place) && has_messages();
  return waited || waits_for_receiver(bytes) ? std::min(ns, settings_.messages.long_send_ns)
                                             : ns * (1 - settings_.messages.after_send);
}

// Of either end of a message for which the recording has no call: as the cheapest sends take, and the copy.
double Translation::usual_message_ns(int64_t bytes) const {
  const double copied = waits_for_receiver(bytes) ? 0 : settings_.copy_per_byte_ns * static_cast<double>(bytes);
  return settings_.messages.long_send_ns + copied;
}

// Packed messages are copied together by their sender and apart by their receiver. A message is a copy, too, and now
// between data that are used less often.
void Translation::copies(const At& at, bool receives) {
  if (!is_packed(at.from) || !settings_.copies.known()) return;
  uint32_t parts = 0;
  const int64_t bytes = moved_bytes(at.leaf, at.member, receives, &parts);
  const int64_t touched = touched_bytes(at);
  double each_ns = settings_.copies.rate_ns(touched);
  if (receives) each_ns += std::max(each_ns - settings_.copies.rate_ns(touched / 2), 0.0);
  Action action;
  action.ps = picoseconds(each_ns * static_cast<double>(bytes) +
                          settings_.copies.part_ns * static_cast<double>(uint64_t{parts} * at.from.stands_for) +
                          (receives ? settings_.copies.fresh_ns * static_cast<double>(bytes_from_here(at)) : 0));
  if (action.ps) own_->actions.push_back(action);
}

// What comes from ranks of the same node. Waits do not say from whom: they count if there is one node only.
int64_t Translation::bytes_from_here(const At& at) const {
  const uint32_t node = tree_.members[at.rank].node;
  const auto is_here = [node](const TreeMember& member) { return member.node == node; };
  const bool all_here = std::all_of(tree_.members.begin(), tree_.members.end(), is_here);
  int64_t bytes = 0;
  for (size_t p = 0; p < at.leaf.call.parts.size(); ++p) {
    const calls::LeafPart& mine = at.leaf.parts[p].of(at.member);
    if (!at.leaf.call.parts[p].receives()) continue;
    const auto other = static_cast<size_t>(std::max(mine.partner.world, -1));  // of an unknown rank: too large
    if (all_here || (other < tree_.members.size() && is_here(tree_.members[other])))
      bytes += std::max<int64_t>({mine.posted_bytes, mine.in_bytes, 0});
  }
  return bytes;
}

// By the rank, for all that is packed once: the parts and the whole of what it sends and of what it receives.
int64_t Translation::touched_bytes(const At& at) {
  int64_t& touched = touched_bytes_[at.rank];
  if (touched) return touched;
  for (const TreeLeaf& each : tree_.classes[tree_.members[at.rank].of_class].leaves) {
    if (!is_packed(each)) continue;
    const RequestUse use = each.leaf.call.facts().requests;
    uint32_t parts = 0;
    if (use != RequestUse::completes) touched += 2 * moved_bytes(each.leaf, at.member, false, &parts);
    if (use == RequestUse::completes || use == RequestUse::none)
      touched += 2 * moved_bytes(each.leaf, at.member, true, &parts);
  }
  return touched = std::max<int64_t>(touched, 1);
}

double Translation::copy_ns(int64_t bytes) const {
  return settings_.copies.rate_ns(2 * bytes) * static_cast<double>(bytes);
}

}  // namespace leadline::replay
