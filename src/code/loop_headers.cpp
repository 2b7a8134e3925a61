// The header of a loop that is entered at several places.
//
// Optimisers copy the beginning of the first iteration to before the loop, or that of an iteration of which they know
// more. Control then enters in the middle of an iteration, and does so more than once if such a copy lies in a loop
// around it. A block that every way from such a place back to it passes shows each iteration once. Of these blocks,
// which come one after the other in each iteration, the header is the one that makes the iterations that begin in the
// middle as whole as possible: the last one before the places of entry, if they are taken to follow the longest stretch
// without any.
#include "code/routine.hpp"

namespace leadline::code {

// Searches among the blocks of a loop. It keeps to what the search for loops no longer needs: of blocks of a loop that
// was found, `low`; of the workspace, `waiting_` and the end of `members_`.
struct Routine::Rounds {
  Routine& r;
  uint32_t loop;
  const uint32_t* blocks;
  uint32_t count;
  uint32_t shared_count = 0;

  // The blocks that all ways pass, in their order, and the number of blocks between each and the next: in pairs.
  uint32_t* shared() const { return r.members_ + r.member_count_; }
  uint32_t* queue() const { return shared() + 2 * uint64_t{count}; }
  uint32_t* path() const { return r.waiting_; }
  bool has_room() const { return r.member_count_ + 3 * uint64_t{count} + 1 <= most_members; }

  template <class Visit>
  void each_next(uint32_t block, Visit visit) const {
    r.successors(block, [&](uint32_t next) {
      if (r.blocks_[next].loop == loop) visit(next);
    });
  }

  // A shortest way from a block back to it, which begins with it. Returns its length.
  uint32_t find_path(uint32_t start) {
    ++r.search_;
    uint32_t done = 0, found = 0;
    queue()[found++] = start;
    uint32_t last = none;
    while (done < found && last == none) {
      const uint32_t b = queue()[done++];
      each_next(b, [&](uint32_t next) {
        if (next == start) {
          last = b;
        } else if (r.blocks_[next].mark != r.search_) {
          r.blocks_[next].mark = r.search_;
          r.blocks_[next].low = b;
          queue()[found++] = next;
        }
      });
    }
    uint32_t length = last == none ? 0 : 1;
    for (uint32_t b = last; b != start && b != none; b = r.blocks_[b].low) ++length;
    uint32_t at = length;
    for (uint32_t b = last; at > 1; b = r.blocks_[b].low) path()[--at] = b;
    path()[0] = start;
    return length;
  }

  // Calls `visit` for each block that all ways from a block back to it pass, beginning with itself, with the number of
  // blocks that lie between it and the next. What is passed before such a block leads to no place behind it.
  template <class Visit>
  void each_on_all_ways(uint32_t start, Visit visit) {
    const uint32_t length = find_path(start);
    for (uint32_t i = 0; i < count; ++i) r.blocks_[blocks[i]].low = none;
    for (uint32_t i = 0; i < length; ++i) r.blocks_[path()[i]].low = i;
    const uint32_t search = ++r.search_;
    uint32_t reached = 0, latest = none, between = 0;
    for (uint32_t i = 0; i < length; ++i) {
      if (reached == i) {
        if (latest != none) visit(latest, between);
        latest = path()[i];
        between = 0;
      }
      uint32_t waiting = 0;
      queue()[waiting++] = path()[i];
      while (waiting) {
        const uint32_t b = queue()[--waiting];
        ++between;
        each_next(b, [&](uint32_t next) {
          Block& n = r.blocks_[next];
          const uint32_t place = next == start ? length : n.low;
          if (place != none) {
            if (place > reached) reached = place;
          } else if (n.mark != search) {
            n.mark = search;
            queue()[waiting++] = next;
          }
        });
      }
    }
    if (latest != none) visit(latest, between);
  }

  void share_all(uint32_t start) {
    shared_count = 0;
    each_on_all_ways(start, [&](uint32_t block, uint32_t between) {
      shared()[2 * shared_count] = block;
      shared()[2 * shared_count++ + 1] = between;
    });
  }

  // Keeps those that all ways from this block pass, too.
  void share(uint32_t start) {
    uint32_t* const common = path();  // overwritten only where it was read
    uint32_t found = 0;
    each_on_all_ways(start, [&](uint32_t block, uint32_t) { common[found++] = block; });
    const uint32_t search = ++r.search_;
    for (uint32_t i = 0; i < found; ++i) r.blocks_[common[i]].mark = search;
    uint32_t kept = 0, before = 0;
    for (uint32_t i = 0; i < shared_count; ++i) {
      const uint32_t block = shared()[2 * i], between = shared()[2 * i + 1];
      if (r.blocks_[block].mark == search) {
        shared()[2 * kept] = block;
        shared()[2 * kept++ + 1] = between;
      } else if (kept) {
        shared()[2 * kept - 1] += between;
      } else {
        before += between;  // comes after the last
      }
    }
    if (kept) shared()[2 * kept - 1] += before;
    shared_count = kept;
  }

  // The number of the first of them that is reached from a block.
  uint32_t first_reached(uint32_t block) {
    ++r.search_;
    uint32_t waiting = 0, found = r.blocks_[block].low;
    queue()[waiting++] = block;
    while (waiting && found == none) {
      each_next(queue()[--waiting], [&](uint32_t next) {
        if (r.blocks_[next].mark == r.search_) return;
        r.blocks_[next].mark = r.search_;
        if (r.blocks_[next].low != none) found = r.blocks_[next].low;
        queue()[waiting++] = next;
      });
    }
    return found;
  }

  // Of those where entries begin, or that entries follow, the one that the most blocks without any precede.
  uint32_t choose(const uint32_t* entered, uint32_t ways) {
    for (uint32_t i = 0; i < count; ++i) r.blocks_[blocks[i]].low = none;
    for (uint32_t i = 0; i < shared_count; ++i) r.blocks_[shared()[2 * i]].low = i;
    uint32_t at[most_entered], follows[most_entered], at_count = 0, follow_count = 0;
    for (uint32_t i = 0; i < ways; ++i) {
      const uint32_t number = first_reached(entered[i]);
      if (number == none) return none;
      if (shared()[2 * number] == entered[i]) {
        at[at_count++] = number;
      } else {
        follows[follow_count++] = (number + shared_count - 1) % shared_count;
      }
    }
    const auto has = [](const uint32_t* numbers, uint32_t n, uint32_t number) {
      for (uint32_t i = 0; i < n; ++i) {
        if (numbers[i] == number) return true;
      }
      return false;
    };
    uint32_t best = none;
    uint64_t most = 0;
    for (uint32_t i = 0; i < at_count + follow_count; ++i) {
      const uint32_t number = i < at_count ? at[i] : follows[i - at_count];
      uint64_t blocks_before = 0;
      for (uint32_t n = 0, now = number; n < shared_count; ++n) {
        now = (now + shared_count - 1) % shared_count;
        if (has(follows, follow_count, now)) break;
        blocks_before += shared()[2 * now + 1];
        if (has(at, at_count, now)) break;
      }
      const uint32_t block = shared()[2 * number];
      const bool better = blocks_before > most ||
                          (blocks_before == most && (best == none || r.blocks_[block].begin < r.blocks_[best].begin));
      if (!better) continue;
      best = block;
      most = blocks_before;
    }
    return best;
  }
};

uint32_t Routine::header_of_all(uint32_t loop, const uint32_t* blocks, uint32_t count, const uint32_t* entered,
                                uint32_t ways) {
  Rounds rounds{*this, loop, blocks, count};
  if (!rounds.has_room()) return none;
  rounds.share_all(entered[0]);
  for (uint32_t i = 1; i < ways && rounds.shared_count; ++i) rounds.share(entered[i]);
  return rounds.shared_count ? rounds.choose(entered, ways) : none;
}

}  // namespace leadline::code
