#include "code/routine.hpp"

#include "code/x86_64.hpp"

namespace leadline::code {

// --- Bytes: the ranges one behind the other ---

uint32_t Routine::index_of(uint64_t address) const {
  if (ranges_[0].has(address)) return static_cast<uint32_t>(address - ranges_[0].begin);
  if (ranges_[1].has(address)) return sizes_[0] + static_cast<uint32_t>(address - ranges_[1].begin);
  return none;
}

uint64_t Routine::address_of(uint32_t index) const {
  return index < sizes_[0] ? ranges_[0].begin + index : ranges_[1].begin + (index - sizes_[0]);
}

uint64_t Routine::end_of(uint32_t index) const { return ranges_[index < sizes_[0] ? 0 : 1].end; }

bool Routine::read(const CodeMap& code, uint64_t address, const uint64_t* returns, uint32_t count) {
  code_ = code;
  if (!code.find(code.self, address, &ranges_[0])) return false;
  const uint64_t bytes = ranges_[0].end - ranges_[0].begin;
  if (bytes == 0 || bytes > most_bytes / 2) return false;
  sizes_[0] = static_cast<uint32_t>(bytes);
  ok_ = true;
  if (!discover(returns, count) || !make_blocks()) return false;
  connect();
  add_entries(returns, count);
  order();
  find_dominators();
  find_loops();
  return ok_;
}

// --- Instructions ---

bool Routine::discover(const uint64_t* returns, uint32_t count) {
  lead(ranges_[0].begin, false, ranges_[0].begin);
  while (waiting_count_) follow(waiting_[--waiting_count_]);
  for (uint32_t i = 0; i < count && ok_; ++i) {
    const uint32_t index = index_of(returns[i]);
    if (index == none || flags_[index] & instruction) continue;
    lead(returns[i], false, returns[i]);
    while (waiting_count_) follow(waiting_[--waiting_count_]);
  }
  return ok_;
}

// Tail calls leave the routine; a conditional jump out of it goes to a part of it that was moved away.
void Routine::lead(uint64_t target, bool conditional, uint64_t from) {
  uint32_t index = index_of(target);
  if (index == none && conditional && !ranges_[1].end && ranges_[0].has(from)) {
    Range away;
    if (!code_.find(code_.self, target, &away) || away.end - away.begin > most_bytes / 2) return;
    ranges_[1] = away;
    sizes_[1] = static_cast<uint32_t>(away.end - away.begin);
    index = index_of(target);
  }
  if (index == none || flags_[index] & leader) return;
  flags_[index] |= leader;
  if (flags_[index] & instruction) return;
  if (waiting_count_ == most_blocks) {
    ok_ = false;
    return;
  }
  waiting_[waiting_count_++] = index;
}

void Routine::follow(uint32_t index) {
  for (;;) {
    if (flags_[index] & instruction) {
      flags_[index] |= leader;
      return;
    }
    const uint64_t at = address_of(index);
    const Instruction i = decode(at, end_of(index));
    if (!i.length) return;
    flags_[index] |= instruction;
    const uint64_t after = at + i.length;
    if (i.flow == Flow::branch || i.flow == Flow::jump) lead(i.target, i.flow == Flow::branch, at);
    if (i.flow == Flow::jump || i.flow == Flow::unknown || i.flow == Flow::leave) return;
    if (index_of(after) == none || after >= end_of(index)) return;
    index = index_of(after);
    if (i.flow == Flow::branch) flags_[index] |= leader;
  }
}

// --- Blocks ---

bool Routine::make_blocks() {
  const uint32_t bytes = sizes_[0] + sizes_[1];
  for (uint32_t i = 0; i < bytes; ++i) {
    if (!(flags_[i] & leader) || !(flags_[i] & instruction)) continue;
    if (block_count_ == most_blocks) return false;
    blocks_[block_count_++].begin = i;
  }
  return block_count_ > 0;
}

uint32_t Routine::block_at(uint32_t index) const {
  uint32_t low = 0, high = block_count_;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (blocks_[middle].begin <= index) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low ? low - 1 : none;
}

void Routine::connect() {
  const auto starting_at = [&](uint64_t address) {
    const uint32_t index = index_of(address);
    if (index == none || !(flags_[index] & leader) || !(flags_[index] & instruction)) return none;
    return block_at(index);
  };
  for (uint32_t b = 0; b < block_count_; ++b) {
    Block& block = blocks_[b];
    block.to[0] = block.to[1] = none;
    uint32_t index = block.begin;
    for (;;) {
      const uint64_t at = address_of(index), end = end_of(index);
      const Instruction i = decode(at, end);
      block.last = index;
      if (!i.length) break;
      const uint64_t after = at + i.length;
      if (i.flow == Flow::branch || i.flow == Flow::jump) {
        block.to[0] = starting_at(i.target);
        const bool room = exit_count_ < sizeof(exits_) / sizeof(exits_[0]);
        if (index_of(i.target) == none && room) exits_[exit_count_++] = {b, i.target};
      }
      block.unknown = i.flow == Flow::unknown;
      if (i.flow == Flow::jump || i.flow == Flow::unknown || i.flow == Flow::leave || after >= end) break;
      if (i.flow == Flow::branch || starting_at(after) != none) {
        block.to[1] = starting_at(after);
        break;
      }
      index = index_of(after);
      if (!(flags_[index] & instruction)) break;
    }
  }
  entry_ = block_at(0);
}

// What nothing leads to is where the indirect jumps go; where there are none, the routine's begin leads there.
void Routine::add_entries(const uint64_t* returns, uint32_t count) {
  bool unknown = false;
  for (uint32_t b = 0; b < block_count_; ++b) unknown |= blocks_[b].unknown;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t index = index_of(returns[i]);
    const uint32_t b = index == none ? none : block_at(index);
    if (b == none || blocks_[b].begin != index || entry_count_ == sizeof(entries_) / sizeof(entries_[0])) continue;
    bool reached = b == entry_;
    for (uint32_t from = 0; from < block_count_ && !reached; ++from) {
      reached = from != b && (blocks_[from].to[0] == b || blocks_[from].to[1] == b);
    }
    if (!reached) entries_[entry_count_++] = b;
  }
  if (!unknown && entry_count_) blocks_[entry_].unknown = true;
}

template <class Visit>
void Routine::successors(uint32_t block, Visit visit) {
  const Block& b = blocks_[block];
  for (unsigned i = 0; i < 2; ++i) {
    if (b.to[i] != none) visit(b.to[i], b.back[i]);
  }
  for (uint32_t i = 0; b.unknown && i < entry_count_; ++i) {
    if (entries_[i] != block) visit(entries_[i], false);
  }
}

// Reverse postorder, by a depth-first search that keeps, for each block on its way, how many successors it has tried.
void Routine::order() {
  uint32_t depth = 0, done = block_count_;
  const auto enter = [&](uint32_t b) {
    blocks_[b].mark = 1;
    stack_[2 * depth] = b;
    stack_[2 * depth++ + 1] = 0;
  };
  enter(entry_);
  while (depth) {
    const uint32_t b = stack_[2 * depth - 2];
    uint32_t tried = stack_[2 * depth - 1]++, next = none, number = 0;
    successors(b, [&](uint32_t to, bool) {
      if (number++ == tried) next = to;
    });
    if (tried >= number) {
      ordered_[--done] = b;
      --depth;
    } else if (!blocks_[next].mark) {
      enter(next);
    }
  }
  ordered_count_ = block_count_ - done;
  for (uint32_t i = 0; i < ordered_count_; ++i) {
    ordered_[i] = ordered_[done + i];
    blocks_[ordered_[i]].order = i + 1;
  }
  search_ = 1;
}

void Routine::find_dominators() {
  // Who leads to whom, by counting first.
  for (uint32_t i = 0; i < ordered_count_; ++i) {
    successors(ordered_[i], [&](uint32_t to, bool) { ++blocks_[to].first_from; });
  }
  uint64_t sum = 0;
  for (uint32_t b = 0; b < block_count_; ++b) {
    sum += blocks_[b].first_from;
    blocks_[b].first_from = static_cast<uint32_t>(sum);
  }
  if (sum > sizeof(from_) / sizeof(from_[0])) {
    ok_ = false;
    return;
  }
  from_count_ = static_cast<uint32_t>(sum);
  for (uint32_t i = 0; i < ordered_count_; ++i) {
    successors(ordered_[i], [&](uint32_t to, bool) { from_[--blocks_[to].first_from] = ordered_[i]; });
  }
  for (uint32_t b = 0; b < block_count_; ++b) blocks_[b].dominator = none;
  blocks_[entry_].dominator = entry_;
  const auto both = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (blocks_[a].order > blocks_[b].order) a = blocks_[a].dominator;
      while (blocks_[b].order > blocks_[a].order) b = blocks_[b].dominator;
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 1; i < ordered_count_; ++i) {
      const uint32_t b = ordered_[i];
      uint32_t dominator = none;
      for (uint32_t f = blocks_[b].first_from; f < end_of_from(b); ++f) {
        if (blocks_[from_[f]].dominator == none) continue;
        dominator = dominator == none ? from_[f] : both(from_[f], dominator);
      }
      if (dominator == blocks_[b].dominator) continue;
      blocks_[b].dominator = dominator;
      changed = true;
    }
  }
}

bool Routine::dominates(uint32_t over, uint32_t block) const {
  while (blocks_[block].order > blocks_[over].order) block = blocks_[block].dominator;
  return block == over;
}

// --- Loops ---

// Blocks of the loop, which end up in stack_; marks them.
uint32_t Routine::body_of(uint32_t header) {
  ++search_;
  uint32_t count = 0;
  const auto take = [&](uint32_t b) {
    if (blocks_[b].mark == search_ || !blocks_[b].order) return;
    blocks_[b].mark = search_;
    stack_[count++] = b;
  };
  take(header);
  for (uint32_t f = blocks_[header].first_from; f < end_of_from(header); ++f) {
    if (dominates(header, from_[f])) take(from_[f]);
  }
  for (uint32_t at = 1; at < count; ++at) {
    const uint32_t b = stack_[at];
    for (uint32_t f = blocks_[b].first_from; f < end_of_from(b); ++f) take(from_[f]);
  }
  return count;
}

void Routine::find_loops() {
  if (!ok_) return;
  for (uint32_t i = ordered_count_; i-- > 0;) {
    const uint32_t b = ordered_[i];
    for (unsigned e = 0; e < 2; ++e) {
      const uint32_t to = blocks_[b].to[e];
      if (to != none && blocks_[to].order && dominates(to, b)) blocks_[b].back[e] = true;
    }
  }
  for (uint32_t i = 0; i < ordered_count_; ++i) {
    const uint32_t h = ordered_[i];
    bool closes = false;
    uint32_t latch = 0;
    for (uint32_t f = blocks_[h].first_from; f < end_of_from(h); ++f) {
      if (!dominates(h, from_[f])) continue;
      closes = true;
      if (blocks_[from_[f]].last > latch) latch = blocks_[from_[f]].last;
    }
    if (!closes) continue;
    if (loop_count_ + 1 == most_loops) {
      ok_ = false;
      return;
    }
    loops_[++loop_count_] = {h, 0, body_of(h), latch};
  }
  // From the smallest on: who has no loop yet gets this one, and the loops already there that have none around them.
  for (uint32_t i = 0; i < loop_count_; ++i) by_size_[i] = i + 1;
  for (uint32_t i = 1; i < loop_count_; ++i) {
    for (uint32_t j = i; j > 0 && loops_[by_size_[j]].size < loops_[by_size_[j - 1]].size; --j) {
      const uint32_t other = by_size_[j];
      by_size_[j] = by_size_[j - 1];
      by_size_[j - 1] = other;
    }
  }
  for (uint32_t i = 0; i < loop_count_; ++i) {
    const uint32_t l = by_size_[i], count = body_of(loops_[l].header);
    for (uint32_t at = 0; at < count; ++at) {
      uint32_t& innermost = blocks_[stack_[at]].loop;
      if (!innermost) {
        innermost = l;
        continue;
      }
      uint32_t outermost = innermost;
      while (loops_[outermost].outer) outermost = loops_[outermost].outer;
      if (outermost != l) loops_[outermost].outer = l;
    }
  }
}

// --- Questions ---

// The call that ends where it returns to; where an indirect jump leads there, all that is known of it is where it goes
// on.
uint32_t Routine::block_of_call(uint64_t return_address) const {
  const uint32_t index = index_of(return_address - 1);
  if (index != none) {
    for (uint32_t back = 0; back < 15 && back <= index; ++back) {
      if (!(flags_[index - back] & instruction)) continue;
      const uint64_t at = address_of(index - back);
      const Instruction i = decode(at, end_of(index - back));
      if (i.flow == Flow::call && at + i.length == return_address) return block_at(index - back);
      break;
    }
  }
  const uint32_t after = index_of(return_address);
  return after != none && flags_[after] & instruction ? block_at(after) : none;
}

uint32_t Routine::loop_of(uint64_t return_address) const {
  const uint32_t b = block_of_call(return_address);
  return b == none ? 0 : blocks_[b].loop;
}

// Whether there is a way that goes round neither the loop nor one around it. Loops within it may have to be gone round
// to be left.
bool Routine::reaches(uint32_t from, uint32_t to, uint32_t but_round) {
  const auto forbidden = [&](uint32_t header) {
    for (uint32_t l = but_round; l; l = loops_[l].outer) {
      if (loops_[l].header == header) return true;
    }
    return false;
  };
  ++search_;
  uint32_t count = 0;
  bool found = false;
  const auto expand = [&](uint32_t b) {
    successors(b, [&](uint32_t next, bool back) {
      if (blocks_[next].mark == search_ || (back && forbidden(next))) return;
      blocks_[next].mark = search_;
      found |= next == to;
      stack_[count++] = next;
    });
  };
  expand(from);
  while (count && !found) expand(stack_[--count]);
  return found;
}

Routine::Way Routine::way(uint64_t from_return, uint64_t to_return, uint32_t* loop) {
  const uint32_t from = block_of_call(from_return), to = block_of_call(to_return);
  if (from == none || to == none) return Way::out;
  uint32_t common = blocks_[from].loop;
  const auto holds = [&](uint32_t l) {
    uint32_t o = blocks_[to].loop;
    while (o && o != l) o = loops_[o].outer;
    return o == l;
  };
  while (common && !holds(common)) common = loops_[common].outer;
  *loop = common;
  if ((from == to && from_return < to_return) || reaches(from, to, common)) return Way::onward;
  return common ? Way::round : Way::out;
}

bool Routine::ends_in(uint64_t from_return, uint64_t routine) {
  const uint32_t from = block_of_call(from_return);
  for (uint32_t i = 0; from != none && i < exit_count_; ++i) {
    if (exits_[i].target == routine && (exits_[i].block == from || reaches(from, exits_[i].block, 0))) return true;
  }
  return false;
}

}  // namespace leadline::code
