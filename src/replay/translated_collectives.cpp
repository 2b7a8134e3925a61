// Collectives: by the schedule of an algorithm where there is one, else by a formula for the time after all ranks have
// arrived that a rank waits for.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "collectives/algorithm.hpp"
#include "replay/translation.hpp"

namespace leadline::replay {

namespace {

constexpr size_t most_exchanging = 1024;  // ranks

std::string_view plain_name(std::string_view function) {
  if (function.starts_with("MPI_")) function.remove_prefix(4);
  if (function.ends_with("_c")) function.remove_suffix(2);
  if (function.starts_with("I") && function.size() > 1 && function != "Intercomm_create") function.remove_prefix(1);
  return function;
}

bool is(std::string_view name, std::string_view word) {
  return name.size() == word.size() && std::equal(name.begin() + 1, name.end(), word.begin() + 1);
}

Action::Meeting meeting_of(std::string_view name) {
  if (is(name, "Bcast") || is(name, "Scatter") || is(name, "Scatterv")) return Action::Meeting::from_root;
  if (is(name, "Reduce") || is(name, "Gather") || is(name, "Gatherv")) return Action::Meeting::to_root;
  if (is(name, "Scan") || is(name, "Exscan")) return Action::Meeting::prefix;
  return Action::Meeting::all;
}

// As MPICH chooses: short messages in few rounds, long ones in parts. bytes: of a block.
const char* algorithm_for(collectives::Operation operation, int64_t bytes, size_t processes) {
  switch (operation) {
    case collectives::Operation::broadcast:
      if (bytes < 12288 || processes < 8) return "binomial";
      return bytes < 524288 && std::has_single_bit(processes) ? "scatter_recursive_doubling" : "scatter_ring";
    case collectives::Operation::reduce:
      return bytes <= 2048 ? "binomial" : "rabenseifner";
    case collectives::Operation::allreduce:
      return bytes <= 2048 ? "recursive_doubling" : "rabenseifner";
    case collectives::Operation::reduce_scatter:
    case collectives::Operation::reduce_scatter_block:
      return bytes * static_cast<int64_t>(processes) < 524288 ? "recursive_halving" : "pairwise";
    case collectives::Operation::gather:
    case collectives::Operation::scatter:
      return "binomial";
    case collectives::Operation::scan:
    case collectives::Operation::exscan:
      return "recursive_doubling";
    case collectives::Operation::barrier:
      return "dissemination";
    case collectives::Operation::alltoallv:
    case collectives::Operation::alltoallw:
    case collectives::Operation::gatherv:
    case collectives::Operation::scatterv:
    case collectives::Operation::neighbor_allgather:
    case collectives::Operation::neighbor_allgatherv:
    case collectives::Operation::neighbor_alltoall:
    case collectives::Operation::neighbor_alltoallv:
    case collectives::Operation::neighbor_alltoallw:
      break;
    case collectives::Operation::alltoall:
      return bytes <= 256 && processes >= 8 ? "bruck" : bytes <= 32768 ? "linear" : "pairwise";
    case collectives::Operation::allgather:
    case collectives::Operation::allgatherv: {
      const auto p = static_cast<int64_t>(processes);
      const bool in_places = operation == collectives::Operation::allgather;  // so that runs of blocks are messages
      if (bytes * p < 524288 && (p & (p - 1)) == 0) return in_places ? "recursive_doubling" : "bruck";
      return bytes * p < 81920 ? "bruck" : "ring";
    }
  }
  return "";
}

}  // namespace

uint32_t Translation::group(uint64_t identity) {
  const auto known = groups_.find(identity);
  if (known != groups_.end()) return known->second;
  const auto at = tree_.communicators.find(identity);
  if (!identity || at == tree_.communicators.end()) return UINT32_MAX;
  std::vector<uint32_t> members;
  for (const int32_t world : at->second) {
    if (world < 0 || static_cast<size_t>(world) >= tree_.members.size()) return UINT32_MAX;
    members.push_back(static_cast<uint32_t>(world));
  }
  const auto number = static_cast<uint32_t>(program_.groups.size());
  program_.groups.push_back(std::move(members));
  return groups_[identity] = number;
}

void Translation::collective(const At& at, bool nonblocking) {
  if (at.leaf.identity.of(at.member) == left_out) return;
  const uint32_t number = group(at.leaf.identity.of(at.member));
  const std::vector<uint32_t>* members = number == UINT32_MAX ? nullptr : &program_.groups[number];
  const auto me =
      members ? std::find(members->begin(), members->end(), at.rank) : std::vector<uint32_t>::const_iterator{};
  if (!members || me == members->end()) {
    ++differences_.unknown;
    return nonblocking ? nothing(at) : as_long(at);
  }
  copies(at, false);
  const auto mine = static_cast<uint32_t>(me - members->begin());
  const int32_t root = at.leaf.partner.of(at.member).rank;
  const uint32_t known_root =
      root >= 0 && static_cast<size_t>(root) < members->size() ? static_cast<uint32_t>(root) : 0;
  if (!nonblocking && settings_.network && !settings_.ideal &&
      schedule(at, {members->begin(), members->end()}, mine, known_root)) {
    return copies(at, true);
  }
  formula(at, nonblocking, number, mine, known_root);
  if (!nonblocking) copies(at, true);
}

// All ranks of the window wait for one another. What comes after the last one, with what has been moved, takes as long
// as in the recording, in any network. False: the ranks are unknown.
bool Translation::fence(const At& at) {
  const uint32_t number = group(at.leaf.identity.of(at.member));
  if (number == UINT32_MAX) return false;
  const std::vector<uint32_t>& members = program_.groups[number];
  const auto me = std::find(members.begin(), members.end(), at.rank);
  if (me == members.end()) return false;
  Action meet;
  meet.kind = Action::Kind::meet;
  meet.own = true;
  meet.at = number;
  meet.count = static_cast<uint32_t>(me - members.begin());
  meet.meeting = Action::Meeting::all;
  const double ns = last_to_come_ns(at, number);
  meet.cost = cost(settings_.old_windows ? ns * in_old_window(at) : ns);
  own_->actions.push_back(meet);
  wait({1}, true, 0);
  return true;
}

void Translation::formula(const At& at, bool nonblocking, uint32_t group, uint32_t member, uint32_t root) {
  Action meet;
  meet.kind = Action::Kind::meet;
  meet.own = !nonblocking;
  meet.at = group;
  meet.count = member;
  meet.root = root;
  meet.meeting = meeting_of(plain_name(at.leaf.function));
  const std::vector<uint32_t>& members = program_.groups[group];
  if (at.from.gathers) meet.meeting = meeting_of_waiting(at, meet.meeting, member == root);
  double ns = at.from.gathers                        ? gathered_ns(at, meet.meeting, member == root, members.size())
              : meet.meeting == Action::Meeting::all ? last_to_come_ns(at, group)
                                                     : shortest_ns(at);
  if (settings_.network && members.size() > 1) {
    int64_t bytes = 0;
    for (const auto& part : at.leaf.parts) {
      const calls::LeafPart& p = part.of(at.member);
      bytes = std::max({bytes, p.out_bytes, p.in_bytes});
    }
    // Rounds of a tree, and all bytes of the rank once through its port.
    const network::Link& way = link(members.front(), members.back());
    const int rounds = std::bit_width(members.size() - 1);
    ns = rounds * way.piece(0).message_ns(0) + way.piece(bytes).per_byte_ns * static_cast<double>(bytes);
  }
  meet.cost = cost(ns);
  own_->actions.push_back(meet);
  if (!nonblocking) wait({1}, true, 0);
}

// In place of messages whose sends wait: whoever sends waits for its receivers.
Action::Meeting Translation::meeting_of_waiting(const At& at, Action::Meeting meeting, bool is_root) const {
  const TreeLeaf& one = tree_.classes[tree_.members[at.rank].of_class].leaves[at.from.of];
  const int64_t bytes = bytes_of(one.leaf, at.member);
  if (settings_.network || bytes <= std::min(settings_.eager_bytes, settings_.copied_bytes)) return meeting;
  if (meeting == Action::Meeting::to_root && !is_root) return Action::Meeting::from_root;
  if (meeting == Action::Meeting::from_root && is_root) return Action::Meeting::to_root;
  return meeting;
}

// Of a collective in place of messages, from what one of them costs. Whoever has all copies what is its own, and what a
// root receives or sends goes on a tree: all bytes once, and a message for each round.
double Translation::gathered_ns(const At& at, Action::Meeting meeting, bool is_root, size_t ranks) const {
  const TreeLeaf& one = tree_.classes[tree_.members[at.rank].of_class].leaves[at.from.of];
  const At before{at.rank, at.member, at.from.of, one, one.leaf, at.times, at.calls};
  const int64_t bytes = bytes_of(one.leaf, at.member), all = bytes_of(at.leaf, at.member);
  const auto rounds = static_cast<double>(std::max<int>(std::bit_width(ranks - 1), 1));
  double one_ns = shortest_ns(before), own_ns = shortest_ns(at);
  if (has_messages()) {
    const bool receives = received_bytes(before) > 0;
    // Of a message that waits for its receiver, whose question has come: also the answer and the way.
    const double busy_ns = waits_for_receiver(bytes) ? settings_.messages.busy_ns(bytes) + 2 * settings_.latency_ns : 0;
    one_ns = (receives ? received(before, false).whole_ns : send_ns(before, one_ns)) + busy_ns;
    const double more_ns = (receives ? received(before, false).message_ns : send_ns(before, one_ns)) + busy_ns;
    const auto parts = static_cast<double>(all) / static_cast<double>(std::max<int64_t>(bytes, 1));
    own_ns = one_ns + std::max(parts - 1, 0.0) * more_ns;
  }
  own_ns += settings_.collective_ns;
  switch (meeting) {
    case Action::Meeting::to_root:
      return own_ns + (is_root ? one_ns * (rounds - 1) + copy_ns(bytes) : 0);
    case Action::Meeting::from_root:  // the farthest rank of the tree
      return own_ns + one_ns * (rounds - 1) + (is_root ? copy_ns(bytes) : settings_.latency_ns * rounds);
    case Action::Meeting::all:  // as many messages out and in
    case Action::Meeting::prefix:
      break;
  }
  return std::max(own_ns, one_ns * 2 * static_cast<double>(ranks - 1));
}

// The cost of a collective that waits for all, on the last rank to arrive. Of a merged one that of the call that
// carries all, and more for its bytes.
double Translation::last_to_come_ns(const At& at, uint32_t group) {
  const double mean_ns = mean_of_last_ns(group, key_of(tree_.classes[tree_.members[at.rank].of_class].leaves, at.from));
  if (std::isnan(mean_ns)) return shortest_ns(at);
  return at.from.of == at.index ? mean_ns : packed_ns(at, mean_ns);
}

Translation::LeafKey Translation::key_of(const std::vector<TreeLeaf>& leaves, const TreeLeaf& leaf) {
  const bool made = leaf.number == structure::no_index && leaf.of < leaves.size();
  return {leaf.stands_for, made ? leaves[leaf.of].number : leaf.number};
}

// The mean, over its calls, of the shortest time of a rank of the group. NaN if their calls do not belong together.
// The ranks of a group ask for the same one after another.
double Translation::mean_of_last_ns(uint32_t group, LeafKey key) {
  const auto [known, is_new] = last_to_come_.try_emplace({group, key}, std::nan(""));
  if (!is_new || key.second == structure::no_index) return known->second;
  std::vector<const std::vector<float>*> all;
  for (const uint32_t rank : program_.groups[group]) {
    const TreeMember& member = tree_.members[rank];
    const size_t leaf = leaf_of(member.of_class, key);
    if (leaf == no_leaf) return known->second;
    all.push_back(&member.during_ns[leaf]);
    if (all.back()->size() != all.front()->size()) return known->second;
  }
  double sum = 0;
  uint64_t calls = 0;
  for (size_t i = 0; i < all.front()->size(); ++i) {
    float least = (*all.front())[i];
    for (const std::vector<float>* ns : all) least = std::isfinite((*ns)[i]) && !((*ns)[i] > least) ? (*ns)[i] : least;
    if (!std::isfinite(least)) continue;
    sum += least;
    ++calls;
  }
  if (calls) known->second = sum / static_cast<double>(calls);
  return known->second;
}

// The first leaf of a class with the key that is not removed; no_leaf: it has none.
size_t Translation::leaf_of(uint32_t of_class, LeafKey key) {
  leaves_of_.resize(tree_.classes.size());
  std::map<LeafKey, size_t>& known = leaves_of_[of_class];
  const std::vector<TreeLeaf>& leaves = tree_.classes[of_class].leaves;
  if (known.empty()) {
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!leaves[i].removed) known.try_emplace(key_of(leaves, leaves[i]), i);
    }
  }
  const auto found = known.find(key);
  return found == known.end() ? no_leaf : found->second;
}

bool Translation::schedule(const At& at, const std::vector<int32_t>& members, uint32_t me, uint32_t root) {
  using collectives::Step;
  collectives::Problem problem;
  const std::string_view name = plain_name(at.leaf.function);
  const auto matches = [&](const char* function) { return name == std::string_view(function).substr(4); };
  int found = 0;
  while (found < collectives::operation_count && !matches(collectives::facts_of_operations[found].function)) ++found;
  if (found == collectives::operation_count) return false;
  problem.operation = static_cast<collectives::Operation>(found);
  problem.processes = static_cast<int>(members.size());
  problem.rank = static_cast<int>(me);
  problem.root = static_cast<int>(root);
  const collectives::OperationFacts& facts = collectives::facts_of(problem.operation);
  if (facts.has_data && at.leaf.parts.empty()) return false;
  const auto given = settings_.algorithms.find(collectives::name_of(problem.operation));
  if (facts.has_data && !facts.sizes_are_known()) {
    if (given != settings_.algorithms.end()) differences_.unusable += at.times.calls;
    return false;
  }
  // A message of every rank to every other: more than fit into memory.
  const bool all_to_all = facts.received.block_per_rank && !facts.received.root_only;
  if (all_to_all && members.size() > most_exchanging) return false;
  int64_t bytes = std::max<int64_t>(at.leaf.posted_bytes.of(at.member), 0);
  if (facts.has_counts_by_rank())  // as if all blocks were as long as the mean one
    bytes =
        (facts.reduces ? at.leaf.parts.front().of(at.member).out_bytes : at.leaf.parts.front().of(at.member).in_bytes) /
        problem.processes;
  problem.element_bytes = bytes % 8 == 0 ? 8 : 1;
  problem.count = bytes / problem.element_bytes;
  const collectives::Algorithm* algorithm = collectives::find_algorithm(
      problem.operation, given == settings_.algorithms.end() ? algorithm_for(problem.operation, bytes, members.size())
                                                             : given->second.c_str());
  collectives::Schedule schedule;
  if (!algorithm || (facts.has_data && !problem.count) || !algorithm->build(problem, &schedule)) {
    if (given != settings_.algorithms.end()) differences_.unusable += at.times.calls;
    return false;
  }
  const uint64_t identity = at.leaf.identity.of(at.member) << 1;
  uint32_t made = 0;
  for (const Step& step : schedule.steps) {
    Action action;
    action.own = true;
    const bool sends = step.kind == Step::Kind::send;
    switch (step.kind) {
      case Step::Kind::send:
      case Step::Kind::receive: {
        const auto other = static_cast<uint32_t>(members[static_cast<size_t>(step.peer)]);
        const uint32_t from = sends ? at.rank : other, to = sends ? other : at.rank;
        const int64_t length = (sends ? step.from : step.to).count * problem.element_bytes;
        action.kind = sends ? Action::Kind::send : Action::Kind::receive;
        action.at = channel(identity, from, to, int64_t{1} << 40);
        action.transfer = transfer(from, to, length, false, false);
        const network::Piece& piece = link(from, to).piece(length);
        (sends ? action.cost : action.on_wait) =
            cost(sends ? piece.processor_ns(length) : piece.receiver_ns(length), {0, 1, 0, 0});
        own_->actions.push_back(action);
        ++made;
        break;
      }
      case Step::Kind::wait:
        wait({made - step.request}, true, 0);
        break;
      case Step::Kind::copy:
      case Step::Kind::reduce: {
        const double each =
            step.kind == Step::Kind::copy ? settings_.network->copy_per_byte_ns : settings_.network->reduce_per_byte_ns;
        action.ps = static_cast<int64_t>(each * static_cast<double>(step.to.count * problem.element_bytes) * 1000);
        own_->actions.push_back(action);
        break;
      }
      case Step::Kind::native:
      case Step::Kind::together:
        return false;
    }
  }
  return true;
}

}  // namespace leadline::replay
