// Operations that move blocks as they are, and the barrier, which moves none. A rank puts a block for all, or a block
// for each, into the segment, and takes those that are for it from the others.
#include <string.h>

#include <algorithm>

#include "collectives/node/team.hpp"

namespace leadline::collectives::node {

class Moving {
 public:
  Moving(Team& team, const Work& work, const Means& means)
      : team_(team),
        work_(work),
        means_(means),
        facts_(facts_of(work.operation)),
        bytes_(facts_.has_data ? work.count * means.extent : 0),
        pieces_(facts_.contributed.block_per_rank && facts_.has_data ? team.size() : 1) {
    base_ = facts_.has_one_buffer() ? work.data : work.input;
  }

  int run() {
    const bool is_short = bytes_ * pieces_ <= slot_bytes;
    Slot& slot = team_.begin(means_);
    slot.bytes = bytes_;
    if (is_short && puts(me()) && bytes_) memcpy(data_of(&slot), base_, static_cast<size_t>(bytes_ * pieces_));
    team_.publish(&slot);
    int error = 0;
    if (is_short) {
      error = take_short();
    } else {
      team_.meet_all(bytes_, means_, &error);
      if (!error) pass();
    }
    team_.end();
    return error;
  }

 private:
  int me() const { return team_.rank(); }
  bool is_root(int rank) const { return rank == work_.root; }
  bool puts(int rank) const { return facts_.contributes(is_root(rank)); }
  bool takes(int rank) const { return facts_.has_result(is_root(rank)) && !(facts_.has_one_buffer() && puts(rank)); }
  bool is_each() const { return pieces_ > 1; }
  char* data_of(Slot* slot) const {
    return bytes_ * pieces_ <= int64_t{sizeof(slot->inlined)} ? slot->inlined : slot->data;
  }
  char* to(int from) const { return work_.data + (facts_.received.block_per_rank ? from * bytes_ : 0); }
  int64_t piece_for(int rank) const { return is_each() ? rank * bytes_ : 0; }

  void keep_own() const {
    if (!puts(me()) || !takes(me()) || !bytes_) return;
    const char* const from = base_ + piece_for(me());
    if (from != to(me())) memmove(to(me()), from, static_cast<size_t>(bytes_));
  }

  // Each other rank that puts something; beginning with the next, so that they don't all read one.
  template <class F>
  void for_each_source(F f) const {
    for (int i = 1; i < team_.size(); ++i) {
      const int source = (me() + i) % team_.size();
      if (puts(source)) f(source);
    }
  }

  int take_short() const {
    int error = 0;
    if (!takes(me())) return 0;
    for_each_source([&](int source) {
      Slot& slot = const_cast<Slot&>(team_.meet(source, means_));
      if (const int told = error_of(slot.bytes, bytes_, means_)) {
        error = told;
      } else if (bytes_) {
        memcpy(to(source), data_of(&slot) + piece_for(me()), static_cast<size_t>(bytes_));
      }
    });
    keep_own();
    return error;
  }

  void wait_for_takers(int64_t rounds) const {
    if (!puts(me())) return;
    for (int other = 0; other < team_.size(); ++other)
      if (other != me() && takes(other))
        team_.wait_for(team_.place(other).progress.finished, team_.counted(rounds), means_);
  }

  // By way of the rings.
  void pass() const {
    const int64_t length = std::max(round_bytes / pieces_ / line_bytes, int64_t{1}) * line_bytes;
    const int64_t rounds = (bytes_ + length - 1) / length;
    keep_own();
    for (int64_t round = 0; round <= rounds; ++round) {
      if (round < rounds && puts(me())) put(round, length);
      if (round > 0 && takes(me())) take(round - 1, length);
    }
  }

  int64_t length_of(int64_t round, int64_t length) const { return std::min(length, bytes_ - round * length); }

  void put(int64_t round, int64_t length) const {
    if (round >= rounds_in_ring) wait_for_takers(round - rounds_in_ring + 1);
    char* const at = team_.own().ring[round % rounds_in_ring];
    for (int piece = 0; piece < pieces_; ++piece) {
      if (is_each() && piece == me()) continue;
      memcpy(at + piece * length, base_ + piece * bytes_ + round * length,
             static_cast<size_t>(length_of(round, length)));
    }
    team_.own().progress.filled.store(team_.counted(round + 1), std::memory_order_release);
  }

  void take(int64_t round, int64_t length) const {
    for_each_source([&](int source) {
      const Place& place = team_.place(source);
      team_.wait_for(place.progress.filled, team_.counted(round + 1), means_);
      const char* const at = place.ring[round % rounds_in_ring] + (is_each() ? me() * length : 0);
      memcpy(to(source) + round * length, at, static_cast<size_t>(length_of(round, length)));
    });
    team_.own().progress.finished.store(team_.counted(round + 1), std::memory_order_release);
  }

  Team& team_;
  const Work& work_;
  const Means& means_;
  const OperationFacts& facts_;
  const int64_t bytes_;  // of a block
  const int pieces_;     // blocks that a rank puts: one for each rank, or one for all
  const char* base_;     // of what it contributes
};

int move(Team& team, const Work& work, const Means& means) { return Moving(team, work, means).run(); }

}  // namespace leadline::collectives::node
