// Walks the calling thread's stack by the program's unwind tables without trusting them. The unwinder that comes with
// compilers trusts them: an odd but legal rule, or damaged tables, make it read wherever they point, and we would crash
// the program. Here every word of the stack that is read lies in the stack's mapping, above the frame before it, and in
// memory that is there; tables are read as table_reader.hpp says. Where a frame cannot be followed, the path ends.
#pragma once

#include <cstdint>

#include "recorder/call_paths/frame_rules.hpp"
#include "recorder/call_paths/frame_search.hpp"
#include "recorder/call_paths/stack_bounds.hpp"

namespace leadline::recorder {

// Rules are kept for places they were asked for: reading them costs some microseconds. Not for several threads at once.
class Unwinder {
 public:
  struct Frame {
    uint64_t address;   // return address
    uint64_t slot;      // where on the stack it stands
    uint64_t function;  // begin of the code that it lies in, 0: the unwind tables do not know it
  };
  enum class End : uint8_t {
    outermost,  // nothing lies further out, according to the tables
    no_tables,  // they do not know the code
    lost,       // the frame's caller cannot be told, or is on another stack
    signal,     // a signal came: where it did is no place in the program
    stopped,    // by `visit`
  };
  // Passes the frames, the innermost first, which is the one that called walk(); false of `visit` ends that.
  End walk(bool (*visit)(void* self, const Frame& frame), void* self);

  // Whether the last walk was on the stack that the thread was started with, which stays as long as the thread. One
  // that the program made may be unmapped at any time.
  bool on_own_stack() const { return on_own_stack_; }

  // Other code may have replaced unloaded code.
  void forget() {
    count_ = 0;
    search_.forget();
  }

 private:
  struct Row {
    uint64_t lookup;
    FrameRules rules;
  };
  static constexpr unsigned most_rows = 1024, index_bits = 12;
  static constexpr unsigned most_stack_pages = 32;

  struct Walk;
  const FrameRules* rules_at(uint64_t lookup);

  StackBounds stacks_;
  FrameSearch search_;
  Row rows_[most_rows] = {};
  uint16_t index_[1u << index_bits] = {};  // of rows
  unsigned count_ = 0;
  uint64_t stack_pages_[most_stack_pages] = {};  // numbers of those that can be read
  uint64_t known_stack_ = 0;                     // the end of the stack that they are of, 0: of none
  bool on_own_stack_ = false;
};

}  // namespace leadline::recorder
