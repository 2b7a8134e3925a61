// Through node leaders: the first rank of each node collects the blocks of its node's ranks, sends every other leader
// one message with all that goes from node to node, and hands out what came; within the node by messages, or through
// memory that its ranks share.
#include <algorithm>
#include <vector>

#include "collectives/blocks.hpp"
#include "collectives/exchanges.hpp"
#include "collectives/node_steps.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::alltoall {

namespace {

constexpr int64_t longest_message = INT32_MAX;  // bytes: libraries count them in 32 bits

// Whether the message between the two largest nodes is.
bool too_long(const std::vector<std::vector<int>>& nodes, const Problem& problem) {
  if (nodes.size() == 1) return false;
  std::vector<int64_t> sizes;
  for (const auto& node : nodes) sizes.push_back(static_cast<int64_t>(node.size()));
  std::sort(sizes.rbegin(), sizes.rend());
  return sizes[0] * sizes[1] * problem.count * problem.element_bytes > longest_message;
}

class Leader {
 public:
  Leader(const Problem& problem, const std::vector<std::vector<int>>& nodes, const std::vector<int>& own,
         Schedule* schedule)
      : problem_(problem), nodes_(nodes), own_(own), schedule_(schedule) {}

  void collect() {
    const uint32_t first = schedule_->requests;
    contributed_.push_back({Space::input, 0, whole()});
    for (size_t i = 1; i < own_.size(); ++i) {
      contributed_.push_back(schedule_->reserve(whole()));
      schedule_->receive(contributed_.back(), own_[i]);
    }
    schedule_->wait_from(first);
  }

  void collect_through_memory(const NodeSteps& steps) {
    const Range all = schedule_->reserve(static_cast<int64_t>(own_.size()) * whole());
    for (size_t i = 0; i < own_.size(); ++i) contributed_.push_back(part_of(all, i));
    steps.gather(0, {Space::input, 0, whole()}, contributed_.front());
  }

  void exchange() {
    const uint32_t first = schedule_->requests;
    came_.resize(nodes_.size());
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n] == own_) continue;
      came_[n] = schedule_->reserve(between(n));
      schedule_->receive(came_[n], nodes_[n].front());
    }
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n] == own_) continue;
      const Range all = schedule_->reserve(between(n));
      int64_t next = 0;
      for (const Range& of_rank : contributed_)
        for (const int target : nodes_[n]) schedule_->copy(block(of_rank, target), block(all, next++));
      schedule_->send(all, nodes_[n].front());
    }
    schedule_->wait_from(first);
  }

  void hand_out() {
    const uint32_t first = schedule_->requests;
    for (size_t i = 0; i < own_.size(); ++i) {
      const Range all = i ? schedule_->reserve(whole()) : Range{Space::data, 0, whole()};
      put_in_order(i, all);
      if (i) schedule_->send(all, own_[i]);
    }
    schedule_->wait_from(first);
  }

  void hand_out_through_memory(const NodeSteps& steps) {
    const Range all = schedule_->reserve(static_cast<int64_t>(own_.size()) * whole());
    for (size_t i = 0; i < own_.size(); ++i) put_in_order(i, part_of(all, i));
    steps.scatter(0, part_of(all, 0), {Space::data, 0, whole()});
  }

 private:
  int64_t whole() const { return problem_.processes * problem_.count; }
  int64_t between(size_t node) const {
    return static_cast<int64_t>(own_.size() * nodes_[node].size()) * problem_.count;
  }
  Range part_of(const Range& all, size_t place) const {
    return {all.space, all.first + static_cast<int64_t>(place) * whole(), whole()};
  }
  // What the node's own rank `i` is to have.
  void put_in_order(size_t i, const Range& to) {
    for (size_t n = 0; n < nodes_.size(); ++n)
      for (size_t k = 0; k < nodes_[n].size(); ++k) schedule_->copy(arrived(n, k, i), block(to, nodes_[n][k]));
  }
  Range block(const Range& of, int64_t number) const {
    return {of.space, of.first + number * problem_.count, problem_.count};
  }
  // The block from rank `k` of a node to the node's own rank `i`.
  Range arrived(size_t node, size_t k, size_t i) const {
    if (nodes_[node] == own_) return block(contributed_[k], own_[i]);
    return block(came_[node], static_cast<int64_t>(k * own_.size() + i));
  }

  const Problem& problem_;
  const std::vector<std::vector<int>>& nodes_;
  const std::vector<int>& own_;
  Schedule* schedule_;
  std::vector<Range> contributed_;  // by rank of the node: its blocks for all ranks
  std::vector<Range> came_;         // by node
};

}  // namespace

bool two_level(const Problem& problem, Schedule* schedule) {
  const auto nodes = ranks_of_nodes(problem);
  if (nodes.size() == 1) {
    exchange_at_once(problem, schedule);
    return true;
  }
  if (too_long(nodes, problem)) return false;
  const Group own = node_mates(problem);
  if (own.own == 0) {
    Leader leader(problem, nodes, own.members, schedule);
    leader.collect();
    leader.exchange();
    leader.hand_out();
    return true;
  }
  const int64_t whole = problem.processes * problem.count;
  const uint32_t first = schedule->requests;
  schedule->receive({Space::data, 0, whole}, own.members.front());
  schedule->send({Space::input, 0, whole}, own.members.front());
  schedule->wait_from(first);
  return true;
}

bool two_level_within_shared(const Problem& problem, Schedule* schedule) {
  const auto nodes = ranks_of_nodes(problem);
  if (!problem.shares_memory || too_long(nodes, problem)) return false;
  if (problem.count == 0) return true;
  const Group own = node_mates(problem);
  const NodeSteps steps(own, schedule);
  if (own.own == 0) {
    Leader leader(problem, nodes, own.members, schedule);
    leader.collect_through_memory(steps);
    leader.exchange();
    leader.hand_out_through_memory(steps);
    return true;
  }
  const int64_t whole = problem.processes * problem.count;
  steps.gather(0, {Space::input, 0, whole}, {});
  steps.scatter(0, {}, {Space::data, 0, whole});
  return true;
}

}  // namespace leadline::collectives::alltoall
