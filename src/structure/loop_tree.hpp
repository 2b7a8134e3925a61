// What a thread did, as the loops of its source: which calls an iteration makes, and how often.
//
// An iteration's calls and inner loops are its *body*, a sequence; equal bodies are one (sequences.hpp), a *variant* of
// the loop. What a loop did from being entered to being left is an *instance*: the sequence of its iterations'
// variants. The root is the thread's whole life. Failed polls are no part of it: they say how long something was waited
// for, not what was done.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "structure/sequences.hpp"
#include "trace/process.hpp"
#include "trace/structure.hpp"

namespace leadline::structure {

struct CallItem {
  trace::Key key;       // `extra` of a list of words: link_interned and its number in LoopTree::words
  bool varies = false;  // only the site, the communicator's flags and the class of call are the same each time
};

struct LoopInstance {
  uint32_t loop = 0;        // of the stream
  Sequence iterations = 0;  // of variants
};

class Item {
 public:
  enum class Kind : uint8_t { call, instance, variant, lost };
  static uint64_t of(Kind kind, uint64_t index) { return static_cast<uint64_t>(kind) << 48 | index; }
  explicit Item(uint64_t id) : id_(id) {}
  Kind kind() const { return static_cast<Kind>(id_ >> 48); }
  // Of a call, of an instance; of a variant the body's sequence; of what was lost, the generation.
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
  uint64_t lost_calls = 0;  // of generations whose order is not known

  // Calls the sequence stands for, by its number.
  std::vector<uint64_t> count_calls() const;
  // How often each sequence occurs, by its number.
  std::vector<uint64_t> count_occurrences() const;
};

// The tree of one thread's calls. Its size and the time it takes follow the trace's, not the number of calls, where
// the program is regular.
LoopTree loop_tree(const trace::Stream& stream);

// The calls in order, `times` of the same in a row.
void for_each_call(const LoopTree& tree, const std::function<void(const CallItem& call, uint64_t times)>& visit);

}  // namespace leadline::structure
