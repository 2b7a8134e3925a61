// One call: what the wrappers know of it.
#pragma once

#include <cstdint>

#include "recorder/thread.hpp"

namespace leadline::recorder {

struct Call {
  Thread& thread;
  const Traits& traits;
  Word* args;
  Caller caller;
  Fn fn;
  bool large;                 // counts are MPI_Count
  bool while_paused = false;  // nothing but what later calls need is kept
  int rc = 0;
  Ticks begin = 0, end = 0;
  // Kept from before the call:
  uint64_t handle = 0;          // of what it frees, completes or starts
  uint64_t* handles = nullptr;  // of the requests it may complete
  Word own_statuses = 0;        // ours in place of MPI_STATUS(ES)_IGNORE
  uint32_t site = not_sited;    // where it is known before the call

  static constexpr uint32_t not_sited = UINT32_MAX - 1;
  const Roles& roles() const { return traits.roles; }
  Word arg(int8_t role) const { return args[role]; }
  int32_t int_arg(int8_t role) const { return static_cast<int32_t>(args[role]); }
  int64_t count_arg(int8_t role) const {
    return large ? static_cast<int64_t>(args[role]) : static_cast<int32_t>(args[role]);
  }
};

// The same for the functions programs call most, with all that is known of the function at compile time: their
// recording functions (record_hot.hpp) are made for each and go into the wrapper.
template <Fn function, bool large_counts>
struct HotCall {
  static constexpr const Traits& traits = recorder::traits[static_cast<int>(function)];
  static constexpr Fn fn = function;
  Thread& thread;
  Word* args;
  Caller caller;
  uint32_t site;
  uint32_t assumed_gap = 0;  // > 0: the begin was not stamped
  int rc = 0;
  Ticks begin = 0, end = 0;
  uint64_t handle = 0;
  Word own_statuses = 0;

  static constexpr const Roles& roles() { return traits.roles; }
  Word arg(int8_t role) const { return args[role]; }
  int32_t int_arg(int8_t role) const { return static_cast<int32_t>(args[role]); }
  int64_t count_arg(int8_t role) const {
    return large_counts ? static_cast<int64_t>(args[role]) : static_cast<int32_t>(args[role]);
  }
};

}  // namespace leadline::recorder
