#include "code/routine.hpp"

#include <string.h>

#include "code/ending_calls.hpp"
#include "code/imported_calls.hpp"
#include "code/jump_tables.hpp"
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

bool Routine::read(const CodeMap& code, uint64_t address, const uint64_t* returns, uint32_t count, uint32_t loud,
                   Workspace* workspace) {
  Workspace& w = *workspace;
  flags_ = w.flags;
  blocks_ = w.blocks;
  entries_ = w.entries;
  targets_ = w.targets;
  exits_ = w.exits;
  from_ = w.from;
  loops_ = w.loops;
  stack_ = w.stack;
  members_ = w.members;
  waiting_ = w.waiting;
  switches_ = w.switches;
  way_ = w.way;
  code_ = code;
  if (!code.find(code.self, address, &ranges_[0])) return false;
  const uint64_t bytes = ranges_[0].end - ranges_[0].begin;
  if (bytes == 0 || bytes > most_bytes / 2) return false;
  sizes_[0] = static_cast<uint32_t>(bytes);
  ok_ = true;
  if (!discover(returns, count) || !make_blocks()) return false;
  connect();
  if (!ok_) return false;
  add_entries(returns, count);
  list_predecessors();
  for (uint32_t b = 0; b < block_count_; ++b) members_[b] = b;
  member_count_ = block_count_;
  if (ok_) split(0, members_, block_count_);
  find_near_loops();
  mark_loud(returns, loud);
  return ok_;
}

// --- Memory ---

uint64_t Routine::kept_bytes() const {
  const uint64_t numbers = uint64_t{entry_count_} + target_count_ + from_count_;
  return exit_count_ * sizeof(Exit) + block_count_ * sizeof(Block) + (loop_count_ + 1) * sizeof(Loop) +
         numbers * sizeof(uint32_t) + sizes_[0] + sizes_[1];
}

template <class Item>
void Routine::move(Item** items, uint32_t count, char** to) {
  memcpy(*to, *items, count * sizeof(Item));
  *items = reinterpret_cast<Item*>(*to);
  *to += count * sizeof(Item);
}

// Each kind of item is aligned at least as those that follow.
void Routine::keep(void* memory) {
  char* to = static_cast<char*>(memory);
  move(&exits_, exit_count_, &to);
  move(&blocks_, block_count_, &to);
  move(&loops_, loop_count_ + 1, &to);
  move(&entries_, entry_count_, &to);
  move(&targets_, target_count_, &to);
  move(&from_, from_count_, &to);
  move(&flags_, sizes_[0] + sizes_[1], &to);
}

void Routine::leave(Workspace* workspace) const {
  memset(workspace->flags, 0, sizes_[0] + sizes_[1]);
  memset(workspace->blocks, 0, block_count_ * sizeof(Block));
  memset(workspace->loops, 0, (loop_count_ + 1) * sizeof(Loop));
}

// --- Instructions ---

bool Routine::discover(const uint64_t* returns, uint32_t count) {
  JumpTables tables;
  lead(ranges_[0].begin, false, ranges_[0].begin);
  follow_all(&tables);
  for (uint32_t i = 0; i < count && ok_; ++i) {
    const uint32_t index = index_of(returns[i]);
    if (index == none || begins_instruction(index)) continue;
    lead(returns[i], false, returns[i]);
    follow_all(&tables);
  }
  return ok_;
}

void Routine::follow_all(JumpTables* tables) {
  while (waiting_count_) follow(waiting_[--waiting_count_], tables);
}

// Whether the routine contains it, or the part of the routine that was moved away, which is found in this way.
bool Routine::has_or_finds(uint64_t target, uint64_t from) {
  if (has(target)) return true;
  if (ranges_[1].end || !ranges_[0].has(from)) return false;
  Range away;
  if (!code_.find(code_.self, target, &away) || away.end - away.begin > most_bytes / 2) return false;
  ranges_[1] = away;
  sizes_[1] = static_cast<uint32_t>(away.end - away.begin);
  return has(target);
}

// Tail calls leave the routine; a conditional jump out of it goes to a part of it that was moved away.
void Routine::lead(uint64_t target, bool conditional, uint64_t from) {
  if (conditional && !has_or_finds(target, from)) return;
  const uint32_t index = index_of(target);
  if (index == none || flags_[index] & leader) return;
  flags_[index] |= leader;
  if (begins_instruction(index)) return;
  if (waiting_count_ == most_blocks) {
    ok_ = false;
    return;
  }
  waiting_[waiting_count_++] = index;
}

// Where the indirect jump leads, each place once.
void Routine::read_switch(uint32_t index, unsigned length, const JumpTables& tables) {
  if (switch_count_ == most_switches) return;
  Switch& s = switches_[switch_count_];
  s = {index, target_count_, 0};
  bool begun = false;
  const auto holds = [&](uint64_t target) {
    begun |= has(target);
    return begun && has_or_finds(target, address_of(index));
  };
  bool room = true;
  const uint32_t entries = tables.read(code_, address_of(index), length, holds, [&](uint64_t target) {
    const uint32_t to = index_of(target);
    for (uint32_t i = 0; i < s.count; ++i) {
      if (targets_[s.first + i] == to) return;
    }
    room &= s.first + s.count < most_targets;
    if (room) targets_[s.first + s.count++] = to;
  });
  if (!entries || !room) return;
  ++switch_count_;
  target_count_ += s.count;
  for (uint32_t i = 0; i < s.count; ++i) lead(address_of(targets_[s.first + i]), false, address_of(index));
}

void Routine::follow(uint32_t index, JumpTables* tables) {
  tables->forget_bound();
  const uint64_t end = end_of(index);
  for (uint64_t at = address_of(index);; index = static_cast<uint32_t>(index + (flags_[index] & length_bits))) {
    if (begins_instruction(index)) {
      flags_[index] |= leader;
      return;
    }
    const Instruction i = decode(at, end);
    if (!i.length) return;
    flags_[index] |= i.length;
    if (i.flow == Flow::next) {
      tables->note(at, i.length);
    } else if (i.flow == Flow::call) {
      flags_[index] |= call;
      if (never_returns(code_, at, end, i)) {
        flags_[index] |= ending;
        return;
      }
    } else {
      flags_[index] |= turn;
      if (i.flow == Flow::unknown) read_switch(index, i.length, *tables);
      if (i.flow == Flow::branch || i.flow == Flow::jump) lead(i.target, i.flow == Flow::branch, at);
      if (i.flow != Flow::branch) return;
    }
    at += i.length;
    if (at >= end) return;
    if (i.flow == Flow::branch) flags_[index + i.length] |= leader;
  }
}

// --- Blocks ---

bool Routine::make_blocks() {
  const uint32_t bytes = sizes_[0] + sizes_[1];
  constexpr uint64_t leaders = leader * (UINT64_MAX / 0xff);
  for (uint32_t i = 0; i < bytes; ++i) {
    uint64_t eight = 0;  // the flags are longer than the routine, and zero beyond it
    memcpy(&eight, flags_ + i, sizeof(eight));
    if (!(eight & leaders)) {
      i += sizeof(eight) - 1;
      continue;
    }
    i += static_cast<uint32_t>(__builtin_ctzll(eight & leaders)) / 8;
    if (!starts_block(i)) continue;
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

void Routine::may_leave(uint32_t block, uint32_t jump) {
  if (exit_count_ < most_exits) exits_[exit_count_++] = {jump, block};
}

// Where the block's last instruction leads, but for the next instruction. False: it never leads to that.
bool Routine::turn_off(Block* block, uint32_t index) {
  const Instruction i = decode(address_of(index), end_of(index));
  if (i.flow == Flow::branch || i.flow == Flow::jump) {
    const uint32_t target = index_of(i.target);
    if (target == none) {
      may_leave(static_cast<uint32_t>(block - blocks_), index);
      block->leaves = true;
    } else if (starts_block(target)) {
      block->to[0] = block_at(target);
    }
  }
  block->unknown = i.flow == Flow::unknown;
  for (uint32_t s = 0; s < switch_count_ && i.flow == Flow::unknown; ++s) {
    if (switches_[s].jump != index) continue;
    block->unknown = false;
    block->first_target = switches_[s].first;
    block->targets = switches_[s].count;
  }
  if (block->unknown) may_leave(static_cast<uint32_t>(block - blocks_), index);
  block->leaves |= i.flow == Flow::leave;
  return i.flow == Flow::branch;
}

void Routine::connect() {
  const uint8_t* const flags = flags_;
  const auto starts = [flags](uint32_t index) { return flags[index] & leader && flags[index] & length_bits; };
  for (uint32_t b = 0; b < block_count_; ++b) {
    Block& block = blocks_[b];
    block.to[0] = block.to[1] = none;
    const uint32_t end = block.begin < sizes_[0] ? sizes_[0] : sizes_[0] + sizes_[1];
    uint32_t last = block.begin, next = none;
    for (;;) {
      const uint32_t length = flags[last] & length_bits;
      if (!length) break;  // no code
      const uint32_t after = last + length;
      if (flags[last] & turn && !turn_off(&block, last)) break;
      if (flags[last] & ending || after >= end) break;
      if (flags[last] & turn || starts(after)) {
        next = starts(after) ? after : none;
        break;
      }
      if (!(flags[after] & length_bits)) break;
      last = after;
    }
    block.last = last;
    if (next != none) block.to[1] = b + 1 < block_count_ && blocks_[b + 1].begin == next ? b + 1 : block_at(next);
  }
  entry_ = block_at(0);
  ok_ = ok_ && entry_ != none;  // damaged tables: they name an address within an instruction
  for (uint32_t i = 0; i < target_count_; ++i) {
    targets_[i] = block_at(targets_[i]);
    ok_ = ok_ && targets_[i] != none;
  }
}

// Indirect jumps go to code that nothing else leads to. If there are none, the routine's start leads there.
void Routine::add_entries(const uint64_t* returns, uint32_t count) {
  bool unknown = false;
  for (uint32_t b = 0; b < block_count_; ++b) unknown |= blocks_[b].unknown;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t index = index_of(returns[i]);
    const uint32_t b = index == none ? none : block_at(index);
    if (b == none || blocks_[b].begin != index || entry_count_ == most_entries) continue;
    bool reached = b == entry_;
    for (uint32_t from = 0; from < block_count_ && !reached; ++from) {
      reached = from != b && (blocks_[from].to[0] == b || blocks_[from].to[1] == b);
    }
    if (!reached) entries_[entry_count_++] = b;
  }
  if (!unknown && entry_count_) blocks_[entry_].unknown = true;
}

// By counting first.
void Routine::list_predecessors() {
  for (uint32_t b = 0; b < block_count_; ++b) {
    successors(b, [&](uint32_t to) { ++blocks_[to].first_from; });
  }
  uint64_t sum = 0;
  for (uint32_t b = 0; b < block_count_; ++b) {
    sum += blocks_[b].first_from;
    blocks_[b].first_from = static_cast<uint32_t>(sum);
  }
  if (sum > most_edges) {
    ok_ = false;
    return;
  }
  from_count_ = static_cast<uint32_t>(sum);
  for (uint32_t b = 0; b < block_count_; ++b) {
    successors(b, [&](uint32_t to) { from_[--blocks_[to].first_from] = b; });
  }
}

// --- Questions ---

// The call that returns there. If an indirect jump leads there, only the place where it goes on is known.
uint32_t Routine::block_of_call(uint64_t return_address) const {
  Asked& asked = asked_[return_address % most_asked];
  if (!return_address || asked.return_address != return_address) {
    asked = {return_address, find_block_of_call(return_address)};
  }
  return asked.block;
}

uint32_t Routine::find_block_of_call(uint64_t return_address) const {
  const uint32_t last = index_of(return_address - 1);
  if (last != none) {
    const uint32_t begin = last < sizes_[0] ? 0 : sizes_[0];
    for (uint32_t back = 0; back < length_bits && back <= last - begin; ++back) {
      const uint8_t flags = flags_[last - back];
      if (!(flags & length_bits)) continue;
      if (flags & call && (flags & length_bits) == back + 1) return block_at(last - back);
      break;
    }
  }
  const uint32_t after = index_of(return_address);
  return after != none && begins_instruction(after) ? block_at(after) : none;
}

uint32_t Routine::loop_of(uint64_t return_address) const {
  const uint32_t b = block_of_call(return_address);
  return b == none ? 0 : blocks_[b].loop;
}

// Whether a way exists that iterates neither the loop nor an enclosing one. Loops within it may have to iterate before
// they are left.
bool Routine::reaches(uint32_t from, uint32_t to, uint32_t but_loop) {
  const auto forbidden = [&](uint32_t b, uint32_t to) {
    if (!closes(b, to)) return false;
    uint32_t l = but_loop;
    while (l && l != blocks_[to].heads) l = loops_[l].outer;
    return l != 0;
  };
  ++search_;
  uint32_t count = 0;
  bool found = false;
  met_unknown_ = false;
  const auto expand = [&](uint32_t b) {
    met_unknown_ |= blocks_[b].unknown;
    successors(b, [&](uint32_t next) {
      if (blocks_[next].mark == search_ || forbidden(b, next)) return;
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
  // Through a switch with unknown targets: code that lies further on is assumed to run later.
  if (met_unknown_ && from_return < to_return) return Way::onward;
  return common ? Way::back : Way::out;
}

uint32_t Routine::tail_calls(uint64_t from_return, uint64_t* targets, uint32_t room) {
  const uint32_t from = from_return ? block_of_call(from_return) : entry_;
  uint32_t n = 0;
  for (uint32_t i = 0; from != none && i < exit_count_ && n < room; ++i) {
    if (exits_[i].block != from && !reaches(from, exits_[i].block, 0)) continue;
    targets[n++] = leads_to(code_, address_of(exits_[i].jump), end_of(exits_[i].jump));
  }
  return n;
}

}  // namespace leadline::code
