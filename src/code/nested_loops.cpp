// The loops of a routine's blocks, and the loops within them.
#include "code/routine.hpp"
#include "code/x86_64.hpp"

namespace leadline::code {

bool Routine::in_loop(uint32_t block, uint32_t loop) const {
  uint32_t l = blocks_[block].loop;
  while (l && l != loop) l = loops_[l].outer;
  return l == loop;
}

// Whether the edge goes back to a header from within its loop.
bool Routine::closes(uint32_t from, uint32_t to) const { return blocks_[to].heads && in_loop(from, blocks_[to].heads); }

// Finds the loops among the blocks of one, or of the whole routine, and then those within them.
void Routine::split(uint32_t loop, const uint32_t* blocks, uint32_t count) {
  const uint32_t first_loop = loop_count_;
  const uint32_t kept = member_count_;
  do {
    member_count_ = kept;
    before_search_ = last_number_;
    for (uint32_t i = 0; i < count && ok_; ++i) {
      if (blocks_[blocks[i]].number <= before_search_) search_from(blocks[i], loop);
    }
  } while (ok_ && loop && joins(loop, first_loop, blocks, count));
  // The blocks that take_loop() has listed: their number, then the blocks.
  uint32_t at = kept;
  for (uint32_t l = first_loop + 1, end = loop_count_; l <= end && ok_; ++l) {
    const uint32_t size = members_[at];
    split(l, &members_[at + 1], size);
    at += size + 1;
  }
  member_count_ = kept;
}

// Makes a loop and one within it one loop if its header only leads to the other's, and it can end in that one alone:
// where an iteration has used registers that the next one needs, compilers restore them in front of the loop's
// beginning. Loops numbered from `first` on lie in it; they are looked for once more.
bool Routine::joins(uint32_t outer, uint32_t first, const uint32_t* blocks, uint32_t count) {
  uint32_t header = none, headers = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Block& b = blocks_[blocks[i]];
    if (b.heads == outer) {
      header = blocks[i];
      ++headers;
    }
    if (b.loop != outer) continue;
    bool ends = b.leaves || b.unknown;
    successors(blocks[i], [&](uint32_t to) { ends |= !in_loop(to, outer); });
    if (ends) return false;
  }
  if (headers != 1 || blocks_[header].loop != outer) return false;
  uint32_t next = none, ways = 0;
  successors(header, [&](uint32_t to) {
    next = to;
    ++ways;
  });
  if (ways != 1 || blocks_[next].heads <= first || makes_a_call(blocks_[header])) return false;
  const uint32_t inner = blocks_[next].heads;
  loops_[outer].header = loops_[inner].header;
  loops_[outer].latch = loops_[inner].latch;
  for (uint32_t i = 0; i < count; ++i) {
    Block& b = blocks_[blocks[i]];
    b.heads = b.heads == inner ? outer : 0;
    b.loop = outer;
  }
  while (loop_count_ > first) loops_[loop_count_--] = {};
  return true;
}

bool Routine::makes_a_call(const Block& block) const {
  for (uint32_t index = block.begin;;) {
    const uint64_t at = address_of(index);
    const Instruction i = decode(at, end_of(index));
    if (i.flow == Flow::call || !i.length) return true;
    if (index == block.last) return false;
    index = index_of(at + i.length);
  }
}

void Routine::search_from(uint32_t start, uint32_t within) {
  uint32_t depth = 0;
  const auto enter = [&](uint32_t b) {
    blocks_[b].number = blocks_[b].low = ++last_number_;
    blocks_[b].waits = true;
    stack_[stack_count_++] = b;
    way_[2 * depth] = b;
    way_[2 * depth++ + 1] = 0;
  };
  enter(start);
  while (depth) {
    const uint32_t b = way_[2 * depth - 2];
    const uint32_t next = successor(b, way_[2 * depth - 1]++);
    if (next == none) {
      --depth;
      if (depth && blocks_[b].low < blocks_[way_[2 * depth - 2]].low) blocks_[way_[2 * depth - 2]].low = blocks_[b].low;
      if (blocks_[b].low == blocks_[b].number) take_loop(b, within);
      continue;
    }
    if (blocks_[next].loop != within || closes(b, next)) continue;
    if (blocks_[next].number <= before_search_) {
      enter(next);
    } else if (blocks_[next].waits && blocks_[next].number < blocks_[b].low) {
      blocks_[b].low = blocks_[next].number;
    }
  }
}

// The blocks from the given one on are such a set; a loop if it is more than one, or one that leads to itself.
void Routine::take_loop(uint32_t first, uint32_t within) {
  uint32_t from = stack_count_;
  while (stack_[from - 1] != first) --from;
  --from;
  const uint32_t size = stack_count_ - from;
  bool again = size > 1;
  successors(first, [&](uint32_t to) { again |= to == first && !closes(first, first); });
  for (uint32_t i = from; i < stack_count_; ++i) blocks_[stack_[i]].waits = false;
  const uint32_t* blocks = stack_ + from;
  stack_count_ = from;
  if (!again) return;
  if (loop_count_ + 1 == most_loops || member_count_ + size + 1 > most_members) {
    ok_ = false;
    return;
  }
  const uint32_t loop = ++loop_count_;
  loops_[loop] = {none, 0, within, false, false};
  members_[member_count_++] = size;
  for (uint32_t i = 0; i < size; ++i) {
    members_[member_count_++] = blocks[i];
    blocks_[blocks[i]].loop = loop;
  }
  find_headers(loop, members_ + member_count_ - size, size);
}

void Routine::find_headers(uint32_t loop, const uint32_t* blocks, uint32_t count) {
  uint32_t entered[most_entered], found = 0;
  Loop& made = loops_[loop];
  for (uint32_t i = 0; i < count; ++i) {
    Block& b = blocks_[blocks[i]];
    bool from_outside = blocks[i] == entry_;
    each_from(blocks[i], [&](uint32_t from) { from_outside |= blocks_[from].loop != loop; });
    if (!from_outside) continue;
    b.heads = loop;
    if (b.begin < made.header) made.header = b.begin;
    if (found < most_entered) entered[found] = blocks[i];
    ++found;
  }
  if (found > 1 && found <= most_entered) {
    const uint32_t only = header_of_all(loop, blocks, count, entered, found);
    for (uint32_t i = 0; only != none && i < found; ++i) blocks_[entered[i]].heads = 0;
    if (only != none) blocks_[only].heads = loop;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (blocks_[blocks[i]].heads != loop) continue;
    each_from(blocks[i], [&](uint32_t from) {
      if (blocks_[from].loop == loop && blocks_[from].last > made.latch) made.latch = blocks_[from].last;
    });
  }
}

}  // namespace leadline::code
