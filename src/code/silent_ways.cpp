// Ways through a routine without a call that leads to a recorded one. Nothing shows that control took them.
#include "code/routine.hpp"

namespace leadline::code {

void Routine::mark_loud(const uint64_t* returns, uint32_t count) {
  for (uint32_t b = 0; b < block_count_; ++b) blocks_[b].first_loud = blocks_[b].last_loud = 0;
  for (uint32_t l = 1; l <= loop_count_; ++l) loops_[l].loud = false;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t b = block_of_call(returns[i]);
    const uint32_t at = index_of(returns[i] - 1);
    if (b == none || at == none) continue;
    Block& block = blocks_[b];
    if (!block.first_loud || at + 1 < block.first_loud) block.first_loud = at + 1;
    if (at + 1 > block.last_loud) block.last_loud = at + 1;
    for (uint32_t l = block.loop; l && !loops_[l].loud; l = loops_[l].outer) loops_[l].loud = true;
  }
  for (uint32_t l = 1; l <= loop_count_; ++l) loops_[l].loud &= !loops_[l].passed;
}

void Routine::mark_passed(uint64_t header) {
  for (uint32_t l = 1; l <= loop_count_; ++l) {
    if (this->header(l) == header) loops_[l].passed = true, loops_[l].loud = false;
  }
}

// A search among the blocks of one loop (0: of the routine) for a silent way between two calls in it.
struct Routine::Silence {
  Routine& r;
  uint32_t within;
  uint32_t from, to;     // blocks; none
  uint32_t only = none;  // the one loop that counts as loud; 0: no loop does
  uint32_t count = 0;

  bool is_loud(uint32_t loop) const { return r.loops_[loop].loud && (only == none || loop == only); }

  // Loops that the calls are in are left and entered; others repeat.
  bool is_own(uint32_t loop) const {
    return (from != none && r.in_loop(from, loop)) || (to != none && r.in_loop(to, loop));
  }

  // The loop that an edge enters, where it is one that repeats.
  uint32_t enters(uint32_t block, uint32_t next) const {
    uint32_t loop = r.blocks_[next].loop;
    while (loop && r.loops_[loop].outer && !r.in_loop(block, r.loops_[loop].outer)) loop = r.loops_[loop].outer;
    return loop && is_loud(loop) && !r.in_loop(block, loop) && !is_own(loop) ? loop : 0;
  }

  // A loop that tests at its end has another test before it: whether to enter at all. A loop that tests at its
  // beginning needs none.
  bool asks_at_begin(uint32_t header, uint32_t loop) const {
    if (r.blocks_[header].first_loud) return false;
    bool leaves = false;
    r.successors(header, [&](uint32_t next) { leaves |= !r.in_loop(next, loop); });
    return leaves;
  }

  // Whether one of the calls' own loops iterates again is a separate test, whatever comes first in its body.
  bool asks_of_own(uint32_t block) const {
    const uint32_t loop = r.blocks_[block].loop;
    bool leaves = false;
    if (loop && is_own(loop)) r.successors(block, [&](uint32_t next) { leaves |= !r.in_loop(next, loop); });
    return leaves;
  }

  bool enters_own(uint32_t block, uint32_t next) const {
    const uint32_t loop = r.blocks_[next].loop;
    return loop && is_own(loop) && !r.in_loop(block, loop);
  }

  // If one way leads into one of the calls' own loops and the other into a later one, the test is that of the former.
  bool guards(uint32_t block) const {
    if (!r.blocks_[block].near_loop || asks_of_own(block)) return false;
    bool found = false, own = false;
    r.successors(block, [&](uint32_t next) {
      uint32_t header = next, before = block;
      const Block& n = r.blocks_[next];
      if (!enters(before, header) && leads_on(n) && !n.first_loud) {  // what is done once, before the first iteration
        before = next;
        header = n.to[0] != none ? n.to[0] : n.to[1];
      }
      const uint32_t loop = enters(before, header);
      found |= loop && !asks_at_begin(header, loop);
      own |= enters_own(before, header);
    });
    return found && !own;
  }

  // To one other block.
  static bool leads_on(const Block& b) { return (b.to[0] == none) != (b.to[1] == none) && !b.unknown && !b.targets; }

  bool is_blocked(uint32_t block) const {
    if (r.blocks_[block].first_loud) return true;
    for (uint32_t l = r.blocks_[block].loop; l && l != within; l = r.loops_[l].outer) {
      if (is_loud(l) && !is_own(l)) return true;
    }
    return guards(block);
  }

  void begin() {
    ++r.search_;
    count = 0;
  }

  void visit(uint32_t block) {
    if (r.blocks_[block].mark == r.search_) return;
    r.blocks_[block].mark = r.search_;
    r.stack_[count++] = block;
  }

  // Goes on from what was visited, by the edges that `take` lets through.
  template <class Take>
  void go_on(Take take) {
    while (count) {
      const uint32_t b = r.stack_[--count];
      if (b != from && is_blocked(b)) continue;
      r.successors(b, [&](uint32_t next) {
        if ((!within || r.in_loop(next, within)) && take(b, next)) visit(next);
      });
    }
  }
};

// Those for which guards() has to look closer.
void Routine::find_near_loops() {
  const auto enters = [&](uint32_t before, uint32_t next) {
    const uint32_t loop = blocks_[next].loop;
    return loop && !in_loop(before, loop);
  };
  for (uint32_t b = 0; b < block_count_; ++b) {
    bool near = false;
    successors(b, [&](uint32_t next) {
      const Block& n = blocks_[next];
      near |= enters(b, next) || (Silence::leads_on(n) && enters(next, n.to[0] != none ? n.to[0] : n.to[1]));
    });
    blocks_[b].near_loop = near;
  }
}

bool Routine::silently_repeats(uint64_t from_return, uint64_t to_return, uint32_t loop) {
  Silence way{*this, loop, block_of_call(from_return), block_of_call(to_return)};
  const uint32_t from = way.from, to = way.to;
  if (from == none || to == none) return false;
  if (blocks_[from].last_loud > index_of(from_return - 1) + 1) return false;
  if (blocks_[to].first_loud && blocks_[to].first_loud < index_of(to_return - 1) + 1) return false;
  // Back to its headers first,
  uint32_t* const headers = members_;
  uint32_t header_count = 0;
  const auto closes_it = [&](uint32_t b, uint32_t next) { return blocks_[next].heads == loop && in_loop(b, loop); };
  way.begin();
  way.visit(from);
  way.go_on([&](uint32_t b, uint32_t next) {
    if (!closes_it(b, next)) return true;
    if (header_count < most_blocks) headers[header_count++] = next;
    return false;
  });
  // and from there to the call.
  way.begin();
  way.from = none;
  bool found = false;
  for (uint32_t i = 0; i < header_count; ++i) {
    found |= headers[i] == to;
    way.visit(headers[i]);
  }
  way.go_on([&](uint32_t b, uint32_t next) {
    if (closes_it(b, next)) return false;
    found |= next == to;
    return true;
  });
  return found;
}

bool Routine::silently_anew(uint64_t from_return, uint64_t to_return) {
  Silence way{*this, 0, block_of_call(from_return), block_of_call(to_return)};
  const uint32_t from = way.from, to = way.to;
  if (from == none || to == none) return false;
  if (blocks_[from].last_loud > index_of(from_return - 1) + 1) return false;
  if (blocks_[to].first_loud && blocks_[to].first_loud < index_of(to_return - 1) + 1) return false;
  bool left = blocks_[from].leaves;
  way.begin();
  way.visit(from);
  way.go_on([&](uint32_t, uint32_t next) {
    left |= blocks_[next].leaves && !way.is_blocked(next);
    return true;
  });
  if (!left) return false;
  way.begin();
  way.from = none;
  way.visit(entry_);
  bool found = entry_ == to;
  way.go_on([&](uint32_t, uint32_t next) {
    found |= next == to;
    return true;
  });
  return found;
}

// A loop that must have run by the assumption, while no call of it was seen, contradicts it.
uint32_t Routine::passed_loops(uint64_t from_return, uint64_t to_return, uint64_t* headers, uint32_t room) {
  Silence way{*this, 0, block_of_call(from_return), block_of_call(to_return)};
  const uint32_t from = way.from, to = way.to;
  if (from == none || to == none) return 0;
  if (blocks_[from].last_loud > index_of(from_return - 1) + 1) return 0;
  if (blocks_[to].first_loud && blocks_[to].first_loud < index_of(to_return - 1) + 1) return 0;
  const auto is_open = [&](uint32_t only) {
    bool found = false;
    way.only = only;
    way.begin();
    way.visit(from);
    way.go_on([&](uint32_t, uint32_t next) {
      found |= next == to;
      return !found;
    });
    return found;
  };
  if (is_open(none) || !is_open(0)) return 0;
  uint32_t n = 0;
  for (uint32_t l = 1; l <= loop_count_ && n < room; ++l) {
    if (loops_[l].loud && !way.is_own(l) && !is_open(l)) headers[n++] = header(l);
  }
  return n;
}

// One way is enough to rule out most of the calls that are asked for.
void Routine::find_way(uint64_t from_return, uint64_t to_return) {
  const uint32_t from = block_of_call(from_return), to = block_of_call(to_return);
  found_way_ = false;
  if (from == none || to == none) return;
  ++search_;
  uint32_t count = 0;
  const auto enter_from = [&](uint32_t b) {
    successors(b, [&](uint32_t next) {
      if (blocks_[next].mark == search_) return;
      blocks_[next].mark = search_;
      blocks_[next].low = b;  // whence
      found_way_ |= next == to;
      stack_[count++] = next;
    });
  };
  enter_from(from);
  while (count && !found_way_) enter_from(stack_[--count]);
  if (!found_way_) return;
  for (uint32_t b = 0; b < block_count_; ++b) blocks_[b].number = 0;
  for (uint32_t b = blocks_[to].low; b != from; b = blocks_[b].low) blocks_[b].number = 1;
}

bool Routine::always_passes(uint64_t from_return, uint64_t to_return, uint64_t by_return) {
  const uint32_t from = block_of_call(from_return), to = block_of_call(to_return), by = block_of_call(by_return);
  if (from == none || to == none || by == none) return false;
  const uint32_t from_at = index_of(from_return - 1), to_at = index_of(to_return - 1), by_at = index_of(by_return - 1);
  if (by_at == from_at || by_at == to_at) return false;
  if (from == to && from_at < to_at) return by == from && from_at < by_at && by_at < to_at;
  if (by == from && from_at < by_at) return true;
  if (by == to) return by_at < to_at;
  if (found_way_ && !blocks_[by].number) return false;
  Silence way{*this, 0, from, to};
  way.begin();
  bool avoided = false;
  const auto enter = [&](uint32_t next) {
    if (next == by) return;
    avoided |= next == to;
    way.visit(next);
  };
  successors(from, enter);
  while (way.count && !avoided) successors(stack_[--way.count], enter);
  return !avoided;
}

}  // namespace leadline::code
