// The loops of one routine, from its machine code.
//
// Decodes the routine along its jumps, forms basic blocks, and finds its loops. A loop is a largest set of blocks from
// each of which control can get to all others. Its headers are the blocks that are entered from outside; or one block,
// if none of these is reached twice without it: then some lie in the middle of an iteration (loop_headers.cpp). If the
// edges to them are removed, each such set that remains is a loop within it. A loop is therefore one loop however many
// ways lead into it: optimisers make several where the first iterations differ. Calls are known by their return
// addresses, as they are on the stack. A switch leads to the entries of its table (jump_tables.hpp). Code that only
// another indirect jump reaches is entered at the return addresses asked for. Sources: Tarjan, "Depth-first search and
// linear graph algorithms", 1972; Steensgaard, "Sequentializing program dependence graphs for irreducible programs",
// 1993.
//
// Runs inside the recorded program: it allocates nothing, and reads no byte outside the ranges it is given. A routine
// is read in a workspace, which is large; what questions need of it is small, and can be kept elsewhere.
#pragma once

#include <cstdint>

#include "code/code_map.hpp"

namespace leadline::code {

class JumpTables;

class Routine {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  class Workspace;

  // `address`: any in the routine. `returns`: addresses that calls in it return to; the first `loud` of them are those
  // of its loud calls, which were seen to lead to recorded ones. The object must be zeroed before, and the workspace,
  // of which a part also serves the questions. False: too large, or no code that can be decoded.
  bool read(const CodeMap& code, uint64_t address, const uint64_t* returns, uint32_t count, uint32_t loud,
            Workspace* workspace);
  // Moves what was read to zeroed memory of that size, aligned for numbers of 8 bytes.
  uint64_t kept_bytes() const;
  void keep(void* memory);
  // Clears the workspace after read(), for the next routine.
  void leave(Workspace* workspace) const;

  // Other calls are loud than when the routine was read.
  void mark_loud(const uint64_t* returns, uint32_t count);
  // The loop with that header is known to be passed without a call now and then: its calls show nothing.
  void mark_passed(uint64_t header);

  const Range& range() const { return ranges_[0]; }
  bool has(uint64_t address) const { return index_of(address) != none; }

  // The innermost loop a call lies in, by the address it returns to; 0: in none. Loops are numbered from 1.
  uint32_t loop_of(uint64_t return_address) const;
  // Whether the call could be in its code, by the address alone.
  bool may_have(uint64_t return_address) const {
    return return_address - ranges_[0].begin <= sizes_[0] || return_address - ranges_[1].begin <= sizes_[1];
  }
  // Whether the routine's code has the call at all.
  bool knows(uint64_t return_address) const { return block_of_call(return_address) != none; }
  uint32_t outer(uint32_t loop) const { return loops_[loop].outer; }
  // Its first header.
  uint64_t header(uint32_t loop) const { return address_of(loops_[loop].header); }
  // The jump back to it, the last one where there are several: it mostly belongs to the loop's statement.
  uint64_t latch(uint32_t loop) const { return address_of(loops_[loop].latch); }
  uint32_t loops() const { return loop_count_; }

  // What happens on the way from one call to another.
  enum class Way : uint8_t {
    onward,  // repeats no loop that both calls are in
    back,    // repeats one
    out,     // leaves the routine
  };
  // `loop`: the one it repeats, the innermost that both are in.
  Way way(uint64_t from_return, uint64_t to_return, uint32_t* loop);

  // Silent ways pass no loud call. A loop with loud calls is assumed to run whenever control comes to it, because every
  // rank has a neighbour to exchange with, unless it was marked as passed. From one call to another, one iteration of
  // the loop that encloses both.
  bool silently_repeats(uint64_t from_return, uint64_t to_return, uint32_t loop);
  // From one call out of the routine, and from its begin to another call. Tail calls pass for silent.
  bool silently_anew(uint64_t from_return, uint64_t to_return);

  // The headers of loops with loud calls that control must have passed without any, as it came from one call to the
  // other within the routine and made none between. Returns how many.
  uint32_t passed_loops(uint64_t from_return, uint64_t to_return, uint64_t* headers, uint32_t room);

  // Whether control that comes from one call to another without leaving the routine passes a third one on its way,
  // whichever way it takes. find_way() between the two has to come first.
  void find_way(uint64_t from_return, uint64_t to_return);
  bool always_passes(uint64_t from_return, uint64_t to_return, uint64_t by_return);

  // Where the routine may jump to, after the call or (0) at all, instead of returning: tail calls. Returns how many.
  // A target of 0 is one that only a register or memory knows.
  uint32_t tail_calls(uint64_t from_return, uint64_t* targets, uint32_t room);

 private:
  static constexpr uint32_t most_bytes = 1u << 20, most_blocks = 1u << 14, most_loops = 1u << 10;
  static constexpr uint32_t most_switches = 256, most_targets = 8192, most_entries = 256, most_exits = 256;
  static constexpr uint32_t most_entered = 16;  // places at which a loop with one header is entered
  static constexpr uint32_t most_edges = 4 * most_blocks, most_members = 2 * most_blocks;
  // Of a byte: where an instruction begins, its length, and whether it is a call or goes elsewhere than to the next one
  // (ending: a call that never returns). leader: a block begins there.
  enum : uint8_t { length_bits = 15, leader = 16, ending = 32, call = 64, turn = 128 };
  struct Block {
    uint32_t begin, last;            // indices of bytes: of the first instruction and the last
    uint32_t to[2];                  // blocks; none
    uint32_t first_from;             // in from_
    uint32_t loop;                   // innermost
    uint32_t heads;                  // loop that it is a header of
    uint32_t mark;                   // of the last search that came by
    uint32_t number, low;            // of the search for loops
    uint32_t first_loud, last_loud;  // indices of the bytes that loud calls in it return to, + 1; 0: none
    uint32_t first_target, targets;  // in targets_, if it ends with a switch
    bool unknown;                    // ends with an indirect jump to an unknown target
    bool leaves;                     // ends with a return or a tail call
    bool waits;                      // in that search: its set is not complete
    bool near_loop;                  // may decide whether a loop is entered
  };
  struct Loop {
    uint32_t header, latch, outer;  // the first two: indices of bytes
    bool loud, passed;
  };

  uint32_t index_of(uint64_t address) const;
  uint64_t address_of(uint32_t index) const;
  uint64_t end_of(uint32_t index) const;  // of its range
  bool discover(const uint64_t* returns, uint32_t count);
  void follow(uint32_t index, JumpTables* tables);
  void follow_all(JumpTables* tables);
  void read_switch(uint32_t index, unsigned length, const JumpTables& tables);
  bool has_or_finds(uint64_t target, uint64_t from);
  void lead(uint64_t target, bool conditional, uint64_t from);
  bool make_blocks();
  void may_leave(uint32_t block, uint32_t jump);
  bool turn_off(Block* block, uint32_t index);
  void connect();
  void add_entries(const uint64_t* returns, uint32_t count);
  void list_predecessors();
  void split(uint32_t loop, const uint32_t* blocks, uint32_t count);
  bool joins(uint32_t outer, uint32_t first, const uint32_t* blocks, uint32_t count);
  bool makes_a_call(const Block& block) const;
  void search_from(uint32_t block, uint32_t within);
  void take_loop(uint32_t first, uint32_t within);
  void find_headers(uint32_t loop, const uint32_t* blocks, uint32_t count);
  uint32_t header_of_all(uint32_t loop, const uint32_t* blocks, uint32_t count, const uint32_t* entered, uint32_t ways);
  struct Rounds;
  bool in_loop(uint32_t block, uint32_t loop) const;
  bool closes(uint32_t from, uint32_t to) const;
  uint32_t end_of_from(uint32_t b) const { return b + 1 < block_count_ ? blocks_[b + 1].first_from : from_count_; }
  bool begins_instruction(uint32_t index) const { return flags_[index] & length_bits; }
  bool starts_block(uint32_t index) const { return flags_[index] & leader && begins_instruction(index); }
  uint32_t block_at(uint32_t index) const;
  uint32_t block_of_call(uint64_t return_address) const;
  uint32_t find_block_of_call(uint64_t return_address) const;
  bool reaches(uint32_t from, uint32_t to, uint32_t but_loop);
  struct Silence;
  void find_near_loops();
  template <class Visit>
  void successors(uint32_t block, Visit visit) const;
  uint32_t successor(uint32_t block, uint32_t number) const;  // in the same order; none: no more
  template <class Visit>
  void each_from(uint32_t block, Visit visit) const {
    for (uint32_t f = blocks_[block].first_from; f < end_of_from(block); ++f) visit(from_[f]);
  }

  struct Switch {
    uint32_t jump, first, count;  // index of the byte; targets
  };
  struct Exit {
    uint32_t jump, block;  // index of the byte
  };
  template <class Item>
  void move(Item** items, uint32_t count, char** to);

  CodeMap code_;
  Range ranges_[2];  // the routine; one part that was moved away
  uint32_t sizes_[2];
  uint8_t* flags_;  // by byte
  Block* blocks_;
  uint32_t* entries_;  // blocks that indirect jumps may lead to
  uint32_t* targets_;  // of switches: indices of bytes, then blocks
  Exit* exits_;        // jumps that may lead out of the routine
  uint32_t* from_;
  Loop* loops_;
  uint32_t block_count_, entry_, entry_count_, target_count_, exit_count_, from_count_, loop_count_;
  uint32_t* stack_;    // the workspace's, as the next
  uint32_t* members_;  // of loops whose inside is still to be looked at, one after the other
  uint32_t stack_count_, member_count_;
  uint32_t search_;
  bool found_way_;  // that find_way() looked for; its blocks are marked in `number`
  // While it is read:
  uint32_t* waiting_;
  uint32_t waiting_count_;
  Switch* switches_;
  uint32_t switch_count_;
  uint32_t* way_;                         // of a search: blocks, and how many of their successors were tried
  uint32_t last_number_, before_search_;  // of the search for loops; where the one under way began
  // The blocks of the calls that were asked for last, by their address.
  struct Asked {
    uint64_t return_address;
    uint32_t block;
  };
  static constexpr uint32_t most_asked = 32;
  mutable Asked asked_[most_asked];
  bool met_unknown_;  // the last search came by an indirect jump
  bool ok_;
};

class Routine::Workspace {
  friend class Routine;
  uint8_t flags[most_bytes + sizeof(uint64_t)];
  Block blocks[most_blocks];
  uint32_t entries[most_entries], targets[most_targets], from[most_edges];
  Exit exits[most_exits];
  Loop loops[most_loops];
  uint32_t stack[most_blocks], members[most_members], waiting[most_blocks], way[2 * most_blocks];
  Switch switches[most_switches];
};

template <class Visit>
void Routine::successors(uint32_t block, Visit visit) const {
  const Block& b = blocks_[block];
  for (const uint32_t to : b.to) {
    if (to != none) visit(to);
  }
  for (uint32_t i = 0; i < b.targets; ++i) visit(targets_[b.first_target + i]);
  for (uint32_t i = 0; b.unknown && i < entry_count_; ++i) {
    if (entries_[i] != block) visit(entries_[i]);
  }
}

inline uint32_t Routine::successor(uint32_t block, uint32_t number) const {
  const Block& b = blocks_[block];
  if (number < 2 && b.to[0] != none && (number == 0 || b.to[1] != none)) return b.to[number];
  if (!b.targets && !b.unknown) return number == 0 ? b.to[1] : none;
  uint32_t next = none, n = 0;
  successors(block, [&](uint32_t to) {
    if (n++ == number) next = to;
  });
  return next;
}

}  // namespace leadline::code
