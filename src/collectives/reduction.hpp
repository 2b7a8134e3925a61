// Code shared by reductions: where the partial result is, and that of recursive halving and doubling.
#pragma once

#include <vector>

#include "collectives/blocks.hpp"

namespace leadline::collectives {

// The same range of `input` moved into `data`, as of a reduction of one process.
void take_input(const Problem& problem, Schedule* schedule);
inline bool has_result(const Problem& problem) {
  return facts_of(problem.operation).has_result(problem.rank == problem.root);
}

// A partial result of runs of ranks, kept in their order. It lies in one of two places of the call's length and moves
// to the other when what came is of higher ranks, which a reduction in place would put first.
class Partial {
 public:
  // Where the rank has no buffer for the result, `home` is scratch of the call's length.
  Partial(const Problem& problem, Schedule* schedule);
  // `from`: what the rank contributes: of the input, or at `home` already.
  Partial(Range from, Range home, Schedule* schedule);

  // Receives the same elements from `peer` and reduces them with those here; `sent` are sent to it meanwhile.
  void exchange(Range sent, Range kept, int peer, bool peer_is_lower);
  void send(Range elements, int peer);
  // Parts of it are put side by side, in this order.
  void rearrange(const std::vector<Range>& parts);
  void settle(Range elements);  // to where the result goes
  Range here(Range elements) const { return at(here_, elements); }
  Range at_home(Range elements) const { return at(home_, elements); }

 private:
  static Range at(Range base, Range elements) { return {base.space, base.first + elements.first, elements.count}; }

  Schedule* schedule_;
  Range here_, home_, other_;
};

// Of p processes, p - 2^k are folded into their neighbours, so that 2^k take part: of the first 2 (p - 2^k) the odd
// ones, or of a pair with the root the root.
class Folding {
 public:
  explicit Folding(const Problem& problem);

  int participants() const { return participants_; }
  int position() const { return position_; }  // among the participants; -1: folded
  int partner() const { return partner_; }    // the other of the pair; -1: none
  int rank_of(int position) const;
  int position_of_root() const;

  // Folded ranks send everything to their partners, which reduce it.
  void fold(const Problem& problem, Partial* partial) const;
  // Those folded get the whole result.
  void unfold(const Problem& problem, Schedule* schedule) const;

 private:
  int participants_ = 1, pairs_ = 0, root_ = -1, position_ = -1, partner_ = -1;
};

}  // namespace leadline::collectives
