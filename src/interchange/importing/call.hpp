// A call as an archive has it: between the events of its beginning and its end, and what it did in between.
#pragma once

#include <cstdint>
#include <vector>

#include "interchange/importing/archive_map.hpp"
#include "interchange/importing/events.hpp"

namespace leadline::interchange::importing {

struct Call {
  const Routine* routine = nullptr;
  uint32_t context = 0, region = 0;
  uint64_t begin = 0, end = 0;
  uint32_t untold = 0;  // effects that a later event tells more of
  std::vector<Effect> effects;

  const Effect* find(Effect::Kind kind) const {
    for (const Effect& e : effects) {
      if (e.kind == kind) return &e;
    }
    return nullptr;
  }
};

// What an archive lacks, or has but a run cannot express: the name in the message, and how often it occurred.
#define LEADLINE_MISSING(X)                                                                               \
  X(unknown_records)  /* of kinds that are not read */                                                    \
  X(outside_calls)    /* messages and the like outside of a call */                                       \
  X(nested_calls)     /* calls within calls, as libraries make them */                                    \
  X(unbalanced)       /* regions left without having been entered, or never left */                       \
  X(unknown_comms)    /* messages and collectives on communicators that are not described */              \
  X(no_message)       /* sends, receives and one-sided operations of which the archive has no message */  \
  X(no_collective)    /* collectives of which it has neither communicator nor bytes */                    \
  X(unknown_requests) /* completions of requests that nothing made */                                     \
  X(open_requests)    /* nonblocking receives and collectives whose completion came too late, or never */ \
  X(starts)           /* starts of persistent requests that nothing created */                            \
  X(left_over)        /* further messages of a call that can have one */                                  \
  X(no_completion)    /* calls that complete requests, of which the archive does not say which */         \
  X(no_transfer)      /* file calls without the name of the file */                                       \
  X(threads)          /* beyond those that a trace can have */                                            \
  X(other_locations)  /* locations with events that are no threads */                                     \
  X(no_start)         /* processes without MPI_Init */                                                    \
  X(without_path)     /* calls within no routine */

struct Missing {
#define LEADLINE_MISSING_MEMBER(name) uint64_t name = 0;
  LEADLINE_MISSING(LEADLINE_MISSING_MEMBER)
#undef LEADLINE_MISSING_MEMBER
};

template <class Visit>
void for_each_missing(const Missing& missing, const Visit& visit) {
#define LEADLINE_MISSING_VISIT(name) visit(#name, missing.name);
  LEADLINE_MISSING(LEADLINE_MISSING_VISIT)
#undef LEADLINE_MISSING_VISIT
}

}  // namespace leadline::interchange::importing
