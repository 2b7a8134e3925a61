// One tree for the threads of a class: the ranks of a program that go the same way through the same loops.
//
// The tree holds once what the calls of a class have in common: loops, iterations, variants, and leaves, whose calls do
// the same to as many messages and requests. What differs between its members stands beside it, a column for each leaf:
// communicators, partners, tags, sizes and times. A class of a thousand ranks thus costs one tree and its columns, and
// users that need no order walk it without expanding a loop.
//
// Leaves are numbered by call site, and among those of a site in the order in which a thread first makes them. Members
// have the same sites and loops, by the numbers that the caller gives these in the whole run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "calls/thread_calls.hpp"
#include "structure/decoded_call.hpp"
#include "structure/loop_tree.hpp"
#include "structure/timed_tree.hpp"
#include "structure/tree_calls.hpp"
#include "trace/process.hpp"
#include "trace/send_mode.hpp"

namespace leadline::calls {

// A value for each member; it is kept once as long as all have the same.
template <class Value>
class Column {
 public:
  void add(const Value& value) {
    if (members_ && values_.size() == 1 && !(values_.front() == value)) values_.resize(members_, values_.front());
    if (!members_ || values_.size() > 1 || !(values_.front() == value)) values_.push_back(value);
    ++members_;
  }
  const Value& of(size_t member) const { return values_.size() == 1 ? values_.front() : values_[member]; }
  bool alike() const { return values_.size() <= 1; }
  size_t size() const { return members_; }

 private:
  std::vector<Value> values_;
  size_t members_ = 0;
};

// A partner as a value that can be compared.
struct LeafPartner : structure::Partner {
  bool operator==(const LeafPartner& p) const { return peer == p.peer && rank == p.rank && world == p.world; }
};

// A message, collective, one-sided operation or transfer of a leaf's call, on one member.
struct LeafPart {
  uint64_t identity = 0;  // of the communicator, window or file
  LeafPartner partner;
  int32_t tag = 0;
  int64_t posted_bytes = 0, out_bytes = 0, in_bytes = 0;
  bool operator==(const LeafPart&) const = default;
};

// The vectors of a collective whose counts differ by rank.
struct LeafCounts {
  std::vector<int64_t> send, receive;
  bool operator==(const LeafCounts&) const = default;
};

struct Leaf {
  uint32_t site = 0;  // number in the run
  std::string function;
  // As the first member made it, without its vectors; what members differ in is in the columns. A completion's `maker`
  // says how many requests ago the thread made what it completes, and `makers` at which of the run's sites.
  structure::DecodedCall call;
  std::vector<uint32_t> makers;        // by part; structure::no_index: unknown, or another thread made it
  std::vector<trace::SendMode> modes;  // by part, of what it sends
  bool varies = false;                 // a member's calls differ in everything but site, communicator and class
  Column<uint64_t> identity;
  Column<LeafPartner> partner;  // of a collective, its root
  Column<int64_t> posted_bytes;
  std::vector<Column<LeafPart>> parts;
  Column<LeafCounts> counts;
  Column<structure::LeafTimes> times;
};

struct Member {
  uint32_t process = 0;
  size_t stream = 0;
};

// A member of a class: indices.
struct Membership {
  size_t of = 0, member = 0;
};

// A thread's numbers in the run.
struct RunNumbers {
  const std::vector<uint32_t>& sites;
  const std::vector<uint32_t>& loops;
};

// A call of a thread by itself, without times.
Leaf leaf_of(const structure::DecodedCall& call, const trace::Process& process, size_t stream,
             const RunNumbers& numbers);

class ClassTrees {
 public:
  ClassTrees() = default;
  ClassTrees(const ClassTrees&) = delete;
  ClassTrees& operator=(const ClassTrees&) = delete;

  struct Class {
    structure::Sequence root = 0;  // in the tree
    uint64_t lost_calls = 0;       // of a member; their order is unknown
    std::vector<Member> members;
    std::vector<uint32_t> numbers;  // of its leaves in the tree, ascending
    std::vector<Leaf> leaves;       // in the same order

    // nullptr: the leaf is of another class.
    const Leaf* leaf(uint32_t number) const;
  };

  // Adds a thread. `index`: its process's in the run.
  Membership add(const trace::Process& process, uint32_t index, size_t stream, const RunNumbers& numbers);

  const std::vector<Class>& classes() const { return classes_; }
  // Holds the trees of all classes. Of its calls' keys only the site has a meaning, the run's number: leaves say what
  // they do. Its loops have the run's numbers, and equal variants of different classes are one.
  const structure::LoopTree& tree() const { return tree_; }

  // Each leaf of a class once, with the number of times that a member makes it.
  using EachLeaf = std::function<void(uint32_t number, const Leaf& leaf, uint64_t calls)>;
  void for_each_leaf(const Class& of, const EachLeaf& each) const;
  // The leaves' numbers in the order of a member's calls.
  structure::CallsInOrder calls_of(const Class& of) const { return {tree_, of.root}; }
  // To go through the calls of a member's thread by the leaves of its class, with their times and with what varies from
  // call to call (leaf_calls.hpp). `numbers`: as it was added.
  Leaves leaves_of(const Class& of, const RunNumbers& numbers) const { return {&tree_, of.root, &numbers.sites}; }

 private:
  class Adding;
  // Site, how many leaves the thread has there already, and what is the same on all members.
  using Name = std::tuple<uint32_t, uint32_t, std::pair<uint64_t, uint64_t>>;

  structure::LoopTree tree_;
  std::map<Name, uint32_t> leaves_;                                     // numbers
  std::map<std::pair<uint32_t, structure::Sequence>, uint32_t> loops_;  // instances: numbers
  std::map<structure::Sequence, size_t> by_root_;
  std::vector<Class> classes_;
};

}  // namespace leadline::calls
