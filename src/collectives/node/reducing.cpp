// Reductions. Contributions are combined from the highest rank down, in the same way for every element, so that their
// order is kept and all ranks have the same result, bit for bit.
//
// Short ones: every rank puts its contribution into the segment, and who gets the result combines them itself. Long
// ones go in rounds: each rank combines a part of the round for all, so that it need not put its own contribution to
// that part. While a round is combined, the next is filled and the last taken.
//
// The result of a part takes the place of what the next rank has contributed to it. That rank takes the result from its
// own ring and fills the same place again: with two ranks, a cache line goes there and back once in a round, and each
// takes it for writing at once. If the results were in the ring of the rank that combines them, as many lines more
// would go from one to the other, and each a second time before it can be written.
#include <string.h>

#include <algorithm>

#include "collectives/node/team.hpp"

namespace leadline::collectives::node {

class Reducing {
 public:
  Reducing(Team& team, const Work& work, const Means& means)
      : team_(team),
        work_(work),
        means_(means),
        span_(means.span ? means.span : means.extent),
        to_root_(facts_of(work.operation).received.root_only) {}

  int run() {
    const int64_t bytes = work_.count * means_.extent;
    const bool is_short = bytes + span_ <= slot_bytes;
    Slot& slot = team_.begin(means_);
    slot.bytes = bytes;
    if (is_short) put(work_.input, in(&slot), work_.count);
    team_.publish(&slot);
    if (team_.size() == 1) {
      if (has_result(me()) && work_.data != work_.input) put(work_.input, work_.data, work_.count);
    } else if (is_short) {
      if (has_result(me())) reduce_short(&slot, bytes);
    } else {
      team_.meet_all(bytes, means_, &error_);
      if (!error_) reduce_by_rounds();
    }
    team_.end();
    return error_;
  }

 private:
  int me() const { return team_.rank(); }
  bool has_result(int rank) const { return !to_root_ || rank == work_.root; }
  int64_t bytes_of(int64_t count) const { return count * means_.extent; }
  // Elements lie around their addresses, if their datatype says so.
  char* in(Slot* slot) const { return (is_inlined() ? slot->inlined : slot->data) + means_.before; }
  bool is_inlined() const { return bytes_of(work_.count) + span_ - means_.extent <= int64_t{sizeof(Slot::inlined)}; }

  void note(int error) {
    if (error && !error_) error_ = error;
  }

  void put(const char* from, char* to, int64_t count) {
    if (means_.packed)
      memcpy(to, from, static_cast<size_t>(bytes_of(count)));
    else
      note(means_.copy(means_.state, from, to, count));
  }

  // of(rank): its operand. The last step alone writes to `to`, which may be one of the operands of that step or of an
  // earlier one; what comes before it goes to `between`, which may not.
  template <class Of>
  void combine(Of of, char* between, char* to, int64_t count) {
    const int last = team_.size() - 1;
    if (means_.combine) {
      const char* upper = of(last);
      for (int rank = last - 1; rank >= 0; --rank) {
        char* const into = rank ? between : to;
        means_.combine(of(rank), upper, into, count);
        upper = into;
      }
      return;
    }
    put(of(last), between, count);
    for (int rank = last - 1; rank >= 0; --rank) note(means_.reduce(means_.state, of(rank), between, count));
    if (to != between) put(between, to, count);
  }

  void reduce_short(Slot* own, int64_t bytes) {
    const char* operands[most_ranks];
    for (int i = 1; i < team_.size(); ++i) {
      const int rank = (me() + i) % team_.size();
      Slot& slot = const_cast<Slot&>(team_.meet(rank, means_));
      note(error_of(slot.bytes, bytes, means_));
      operands[rank] = in(&slot);
    }
    if (error_) return;
    operands[me()] = in(own);  // the input may be where the result goes
    combine([&](int rank) { return operands[rank]; }, work_.data, work_.data, work_.count);
  }

  // --- By rounds

  // A piece at a time: what was combined is copied from the nearest cache, while the next lines come.
  static constexpr int64_t piece_bytes = 2048;

  // f(first, count) of elements. Lines of `owned` that this rank is to write later are asked for ahead of it.
  template <class F>
  void by_pieces(const char* owned, int64_t count, F f) const {
    const int64_t each = means_.packed ? std::max<int64_t>(piece_bytes / means_.extent, 1) : count;
    if (owned) take_for_writing(owned, bytes_of(std::min(each, count)));
    for (int64_t first = 0; first < count; first += each) {
      const int64_t length = std::min(each, count - first), after = first + length;
      if (owned && after < count) take_for_writing(owned + bytes_of(after), bytes_of(std::min(each, count - after)));
      f(first, length);
    }
  }

  static void take_for_writing(const char* at, int64_t bytes) {
#ifdef __x86_64__
    for (int64_t i = 0; i < bytes; i += line_bytes) asm volatile("prefetchw %0" : : "m"(at[i]));
#endif
  }

  struct Part {
    int64_t first, count;  // within the round
  };

  // What a rank combines of a round of `count` elements. A root alone does all while that is less than to take the
  // results of others.
  Part part_of(int rank, int64_t count) const {
    if (to_root_ && team_.size() <= 3) return rank == work_.root ? Part{0, count} : Part{0, 0};
    const int64_t line = std::max<int64_t>(line_bytes / means_.extent, 1);
    const int64_t each = (count + team_.size() * line - 1) / (team_.size() * line) * line;
    const int64_t first = std::min(rank * each, count);
    return {first, std::min(each, count - first)};
  }

  struct Round {
    int64_t number, first, count;
  };
  Round round_at(int64_t number) const {
    return {number, number * in_round_, std::min(in_round_, work_.count - number * in_round_)};
  }
  int next(int rank) const { return rank + 1 < team_.size() ? rank + 1 : 0; }
  char* ring(int rank, const Round& round, int64_t element) const {
    return team_.place(rank).ring[round.number % rounds_in_ring] + means_.before + bytes_of(element);
  }

  void reduce_by_rounds() {
    in_round_ = (round_bytes - span_) / means_.extent + 1;
    const int64_t rounds = (work_.count + in_round_ - 1) / in_round_;
    fill(round_at(0));
    for (int64_t number = 0; number <= rounds; ++number) {
      if (number + 1 < rounds) fill(round_at(number + 1));
      if (number < rounds) combine_part(round_at(number));
      if (number > 0) take(round_at(number - 1));
    }
  }

  void fill(const Round& round) {
    if (round.number >= rounds_in_ring) {
      const uint64_t least = team_.counted(round.number - rounds_in_ring + 1);
      for (int rank = 0; rank < team_.size(); ++rank)
        if (rank != me()) team_.wait_for(team_.place(rank).progress.finished, least, means_);
    }
    const Part own = part_of(me(), round.count);
    const char* const from = work_.input + bytes_of(round.first);
    const int64_t after = own.first + own.count;
    if (own.first) put(from, ring(me(), round, 0), own.first);
    if (after < round.count) put(from + bytes_of(after), ring(me(), round, after), round.count - after);
    team_.own().progress.filled.store(team_.counted(round.number + 1), std::memory_order_release);
  }

  void combine_part(const Round& round) {
    const Part own = part_of(me(), round.count);
    if (own.count) {
      for (int i = 1; i < team_.size(); ++i)
        team_.wait_for(team_.place((me() + i) % team_.size()).progress.filled, team_.counted(round.number + 1), means_);
      const char* const input = work_.input + bytes_of(round.first + own.first);
      char* const between = ring(me(), round, own.first);  // nothing was put there
      char* const shared = ring(next(me()), round, own.first);
      char* const result = has_result(me()) ? work_.data + bytes_of(round.first + own.first) : shared;
      const bool others_want_it = !to_root_ || me() != work_.root;
      by_pieces(others_want_it ? shared : nullptr, own.count, [&](int64_t first, int64_t count) {
        const int64_t at = bytes_of(first);
        const auto operand = [&](int rank) { return (rank == me() ? input : ring(rank, round, own.first)) + at; };
        combine(operand, between + at, result + at, count);
        if (result != shared && others_want_it) put(result + at, shared + at, count);
      });
    }
    team_.own().progress.reduced.store(team_.counted(round.number + 1), std::memory_order_release);
  }

  void take(const Round& round) {
    for (int i = 1; i < team_.size() && has_result(me()); ++i) {
      const int rank = (me() + i) % team_.size();
      const Part part = part_of(rank, round.count);
      if (!part.count) continue;
      team_.wait_for(team_.place(rank).progress.reduced, team_.counted(round.number + 1), means_);
      const char* const from = ring(next(rank), round, part.first);
      char* const to = work_.data + bytes_of(round.first + part.first);
      by_pieces(next(rank) == me() ? from : nullptr, part.count,
                [&](int64_t first, int64_t count) { put(from + bytes_of(first), to + bytes_of(first), count); });
    }
    team_.own().progress.finished.store(team_.counted(round.number + 1), std::memory_order_release);
  }

  Team& team_;
  const Work& work_;
  const Means& means_;
  const int64_t span_;
  const bool to_root_;
  int64_t in_round_ = 0;
  int error_ = 0;
};

int reduce(Team& team, const Work& work, const Means& means) { return Reducing(team, work, means).run(); }

}  // namespace leadline::collectives::node
