// Finds the loop of a program's steps in a sequence of calls.
//
// A call made once in every step comes at regular distances, and these distances make up (nearly) the whole sequence.
// Calls of an inner loop differ: their short distances leave out the rest of the step. Other calls that come as often
// belong to the same level. If there are several levels (a solver within a step; output every so many steps), the inner
// one is taken unless the outer one has twice as many different calls. If collectives of all ranks are among the
// candidates, only they decide, since all ranks see the same sequence of them.
#pragma once

#include <cstdint>

#include "recording/live.hpp"
#include "trace/scratchpad.hpp"

namespace leadline::recording {

struct FoundLoop {
  uint32_t anchor = 0;   // position; the first with its key
  bool after = false;    // an iteration ends with the anchor
  uint64_t start = 0;    // the entry that the first iteration begins with
  uint64_t skipped = 0;  // occurrences of the anchor before that
  double period = 0;     // calls
};

// The properties of a call that follow from its function.
struct CallKinds {
  const SeriesState* state;
  const LiveSite* sites;
  uint64_t site_count;
  // Whether all ranks of the world take part.
  bool is_collective(const trace::Key& key) const {
    return (key.comm & trace::comm_mask) == world_communicator && is_marked(state->collective, key);
  }
  // Files are read and written at any distance, so they do not identify an iteration.
  bool is_on_file(const trace::Key& key) const { return is_marked(state->files, key); }

 private:
  template <size_t N>
  bool is_marked(const uint8_t (&functions)[N], const trace::Key& key) const {
    if (key.site >= site_count) return false;
    const uint32_t function = sites[key.site].function;
    return function < 8 * N && functions[function / 8] >> (function % 8) & 1;
  }
};

// `first_of[p]`: the first position with the key of position p (positions_by_key). False: there is none.
bool find_loop(const SeriesEntry* entries, uint64_t n, const Position* positions, uint64_t position_count,
               const uint32_t* first_of, const CallKinds& kinds, FoundLoop* found);

// Fills `first_of`. False: no memory.
bool positions_by_key(const Position* positions, uint64_t count, uint32_t* first_of);

}  // namespace leadline::recording
