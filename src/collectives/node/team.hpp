// The ranks of a communicator on one node, which work through memory that they share. All of them call the same
// operations in the same order, and number the calls alike.
//
// A rank that waits here also lets the MPI library go on (`progress`): another one may be in a call of the library that
// needs this rank's help, such as a long message to it, and come here only after that.
//
// In a correct program all ranks have the same sizes. If they do not, every rank that has to do with the one that
// differs gets an error, and none waits for ever.
#pragma once

#include <cstdint>
#include <memory>

#include "collectives/node/combine.hpp"
#include "collectives/node/layout.hpp"
#include "collectives/schedule.hpp"

namespace leadline::collectives::node {

// How a team is made: functions over all ranks of its communicator.
struct Meeting {
  void* state;
  bool (*gather)(void* state, const void* mine, void* all, int bytes);  // all ranks': `all` is as long
  bool (*all_agree)(void* state, bool mine);
};

// What an operation needs of its caller. Codes are those of MPI, 0 for success.
struct Means {
  void* state;
  int (*reduce)(void* state, const void* from, void* to, int64_t count);  // as in Transport
  int (*copy)(void* state, const void* from, void* to, int64_t count);
  void (*progress)(void* state);
  Combine combine;               // nullptr: reduce
  int64_t extent;                // bytes from one element to the next
  int64_t before = 0;            // bytes of an element's data before its address: minus the true lower bound
  int64_t span = 0;              // of an element's data, from first to last byte; 0: the extent
  bool packed = true;            // elements fill their extents: bytes can be copied
  int truncated = 1, other = 1;  // errors: a block is longer than expected, or shorter
};

// The call of one rank: what it contributes and where its result goes; counts in elements of a block.
struct Work {
  Operation operation;
  int root;  // among the team's ranks
  int64_t count;
  const char* input;
  char* data;
};

class Team {
 public:
  // Collective; every rank gets a team, or none does. node_of: by rank; nullptr: all are on one.
  static std::unique_ptr<Team> make(int rank, int processes, const int* node_of, const Meeting& meeting);
  ~Team();

  int size() const { return size_; }
  int rank() const { return rank_; }
  // Whether elements of this kind fit into the segment; the same on all ranks.
  static bool takes(const Means& means);
  int run(const Work& work, const Means& means);
  // The part of a rank that cannot go on, because of an error before: those that need it get that error. code: one of
  // the two of `means`.
  void fail(int code, const Means& means);

 private:
  friend class Moving;
  friend class Reducing;
  Team() = default;
  Place& place(int of) const { return places_[of]; }
  Place& own() const { return places_[rank_]; }
  uint64_t counted(int64_t rounds) const { return (call_ << round_bits) + static_cast<uint64_t>(rounds); }

  // Begins a call: its slot, once all have read what was there.
  Slot& begin(const Means& means);
  void publish(Slot* slot) const { slot->call.store(call_, std::memory_order_release); }
  // The slot of another rank in this call.
  const Slot& meet(int other, const Means& means) const;
  void meet_all(int64_t bytes, const Means& means, int* error) const;
  void end() const { own().done.store(call_, std::memory_order_release); }
  void wait_for(const Counter& counter, uint64_t least, const Means& means) const {
    if (__builtin_expect(counter.load(std::memory_order_acquire) < least, 0)) wait_longer(counter, least, means);
  }
  void wait_longer(const Counter& counter, uint64_t least, const Means& means) const;

  Segment segment_;
  Place* places_ = nullptr;
  int size_ = 0, rank_ = 0;
  bool crowded_ = false;  // more ranks than cores
  uint64_t call_ = 0, all_done_ = 0;
};

// The size that differs is longer or shorter than that of this rank.
inline int error_of(int64_t theirs, int64_t mine, const Means& means) {
  return theirs == mine ? 0 : theirs > mine ? means.truncated : means.other;
}

int move(Team& team, const Work& work, const Means& means);
int reduce(Team& team, const Work& work, const Means& means);

}  // namespace leadline::collectives::node
