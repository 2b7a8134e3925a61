// A thread's calls as the loops of its source: which calls an iteration makes, and how often.
//
// An iteration's calls and inner loops are its *body*, a sequence; equal ones are one (sequences.hpp), a *variant* of
// the loop. An *instance* covers a loop from entry to exit: the sequence of its iterations' variants. The root is the
// thread's whole life. Failed polls are left out: they show how long the program waited, not its work.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "structure/sequences.hpp"
#include "trace/process.hpp"
#include "trace/structure.hpp"

namespace leadline::structure {

struct CallItem {
  trace::Key key;       // if `extra` is a list of words: link_interned and the list's number in LoopTree::words
  bool varies = false;  // only the site, the communicator's flags and the class of call are the same each time
};

struct LoopInstance {
  uint32_t loop = 0;        // number in the stream
  Sequence iterations = 0;  // a sequence of variants
};

class Item {
 public:
  enum class Kind : uint8_t { call, instance, variant, lost };
  static uint64_t of(Kind kind, uint64_t index) { return static_cast<uint64_t>(kind) << 48 | index; }
  explicit Item(uint64_t id) : id_(id) {}
  Kind kind() const { return static_cast<Kind>(id_ >> 48); }
  // For a call or an instance, its number; for a variant, the body's sequence; for lost calls, the generation.
  uint32_t index() const { return static_cast<uint32_t>(id_); }

 private:
  uint64_t id_;
};

struct LoopTree {
  Sequences sequences;
  std::vector<CallItem> calls;
  std::vector<std::vector<int64_t>> words;
  std::vector<LoopInstance> instances;
  Sequence root = 0;
  uint64_t lost_calls = 0;  // calls of generations whose order is unknown

  // The number of calls that the sequence stands for, by its number.
  std::vector<uint64_t> count_calls() const;
  // The number of times each sequence occurs, by its number.
  std::vector<uint64_t> count_occurrences() const;
  // The number of times each instance occurs, by its number.
  std::vector<uint64_t> count_instances() const;
};

// The calls in order; `times` counts equal calls in a row.
void for_each_call(const LoopTree& tree, const std::function<void(const CallItem& call, uint64_t times)>& visit);

}  // namespace leadline::structure
