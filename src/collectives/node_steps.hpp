// Steps that the ranks of a node do together, through memory that they share (node/team.hpp). A root is a place in the
// node's group. A rank that is alone on its node copies.
#pragma once

#include "collectives/node_groups.hpp"

namespace leadline::collectives {

class NodeSteps {
 public:
  NodeSteps(const Group& node, Schedule* schedule) : node_(node), schedule_(schedule) {}

  // `to` is the root's.
  void reduce(int root, Range from, Range to) const {
    if (is_alone()) return schedule_->copy(from, to);
    if (from.count) schedule_->together(Operation::reduce, root, from, of_root(root, to));
  }
  // Of nothing, too: then they hear that the root has come.
  void broadcast(int root, Range data) const {
    if (!is_alone()) schedule_->together(Operation::broadcast, root, of_root(root, data), data);
  }
  // `to` is the root's: the first of the blocks there. Of nothing, too: then it hears that all have come.
  void gather(int root, Range from, Range to) const {
    if (is_alone()) return schedule_->copy(from, to);
    schedule_->together(Operation::gather, root, from, of_root(root, to));
  }
  // `from` is the root's: the first of the blocks there.
  void scatter(int root, Range from, Range to) const {
    if (is_alone()) return schedule_->copy(from, to);
    schedule_->together(Operation::scatter, root, of_root(root, from), to);
  }

 private:
  bool is_alone() const { return node_.members.size() == 1; }
  Range of_root(int root, Range range) const { return node_.own == root ? range : Range{range.space, 0, 0}; }

  const Group& node_;
  Schedule* schedule_;
};

}  // namespace leadline::collectives
