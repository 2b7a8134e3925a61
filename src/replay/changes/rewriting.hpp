// Rewrites the calls of a class of ranks: bodies get other calls in place of the recorded ones. What follows from that
// is the same for all changes: waits count the requests between again, and each rank's times go with its calls.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "replay/changes/change.hpp"

namespace leadline::replay {

template <class Value, class Change>
calls::Column<Value> changed(const calls::Column<Value>& column, const Change& change) {
  calls::Column<Value> made;
  for (size_t m = 0; m < column.size(); ++m) {
    Value value = column.of(m);
    change(&value, m);
    made.add(value);
  }
  return made;
}

bool is_local(const TreeLeaf& leaf);
bool is_completion(const TreeLeaf& leaf);  // that completes something
// A call with a message, blocking or not, and starts of persistent ones.
bool is_message(const TreeLeaf& leaf);
bool sends(const TreeLeaf& leaf, size_t member);

// Calls one after another in a body, with those of loops among them.
struct Row {
  std::vector<uint32_t> leaves;
  std::vector<uint32_t> loops;  // by call: the execution of a loop that it was in, numbered from 1; 0: none
};

class Rewriting {
 public:
  explicit Rewriting(TreeClass* of);

  // A copy of the leaf, to be changed; its calls take the place of that leaf's.
  uint32_t copy(uint32_t leaf);
  // A leaf that has no call of the recording.
  uint32_t insert(TreeLeaf leaf);
  bool is_made(uint32_t leaf) const { return leaf >= recorded_; }
  TreeLeaf& made(uint32_t leaf) { return class_.leaves[leaf]; }
  // A completion's parts after these have their ages already.
  void keep_ages_from(uint32_t leaf, size_t part) { told_[leaf] = part; }

  enum class Role : uint8_t { ends, passes, wanted };  // of a leaf, in a row
  // Returns false to leave the row as it is; otherwise `leaves` are the calls in its stead. Each recorded call of the
  // row must be there, itself or as a copy, in the order of the calls of its leaf.
  using Rewrite = std::function<bool(const Row& row, std::vector<uint32_t>* leaves)>;
  // Rows of wanted calls and of those that may stand between, up to where ranks compute. Iterations of a loop are not
  // in one row, unless the loop has no other calls and does not compute.   computes: by leaf.
  void for_each_row(const std::vector<Role>& roles, const std::vector<uint8_t>& computes, const Rewrite& rewrite);

  bool changes() const { return class_.leaves.size() > from_.size() || changed_; }
  // After all of it.
  Refusal finish(const std::vector<TreeMember*>& members, Made* made);

 private:
  void rows_of(uint32_t body, bool in_loop);
  bool computes_before(const Element& e) const;
  bool in_row(const Element& e) const;
  bool opens(const Element& e) const;
  std::vector<Element> opened(uint32_t body) const;
  uint32_t loop_number(const Element& e) const;
  void flatten(uint32_t body, uint32_t loop, Row* row) const;
  Refusal renumber();
  void renew(uint32_t leaf, const std::vector<uint32_t>& ages);
  std::vector<uint8_t> divided() const;
  void fill(TreeMember* member, const std::vector<uint8_t>& divided) const;
  void regroup(TreeMember* member, Made* made) const;

  TreeClass& class_;
  const RecordedShape old_;
  const size_t recorded_;       // leaves
  std::vector<uint32_t> from_;  // by leaf: whose calls it takes; no_index: none
  std::vector<size_t> told_;    // by leaf
  bool changed_ = false;
  // of for_each_row()
  const std::vector<Role>* roles_ = nullptr;
  const std::vector<uint8_t>* computes_ = nullptr;
  const Rewrite* rewrite_ = nullptr;
  std::vector<uint8_t> seen_;
  mutable uint32_t loops_ = 0;
};

// What takes no longer than this and 1 ns for each byte of the message may be packing it, as the pattern of exchanges
// in a row has it.
inline constexpr double packing_ns = 20e3;
// By class and leaf: whether ranks usually compute before its calls, and do not merely pack what is sent.
std::vector<std::vector<uint8_t>> computing_leaves(const Tree& tree);

}  // namespace leadline::replay
