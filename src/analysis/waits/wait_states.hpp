// Calls that waited for another rank, in a part of the run whose calls' times are known: for whom, and until when.
//
// A receive waits for its sender until the send begins (late sender). A send waits for its receiver until the receive
// is posted, if it cannot end before (late receiver): it did not, and its message is synchronous, or larger than any
// that did. A collective waits for the
// last of the ranks whose data or arrival it needs. Of several messages that a call completes, the last one counts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/clocks.hpp"
#include "analysis/matching/step.hpp"
#include "analysis/profile.hpp"

namespace leadline::analysis {

enum class WaitKind : uint8_t {
  none,
  late_sender,
  late_receiver,
  wait_at_barrier,
  wait_at_n_to_n,
  early_reduce,
  late_broadcast,
};
inline constexpr size_t wait_kinds = 7;
const char* name_of(WaitKind kind);

// By call of the step. Times are the run's.
struct CallWait {
  WaitKind kind = WaitKind::none;
  uint32_t culprit = UINT32_MAX;  // the call that was waited for
  double begin_ns = 0, end_ns = 0;
  double waited_ns() const { return end_ns - begin_ns; }
};

struct TimedStep {
  const Step* step = nullptr;
  std::vector<double> begin_ns, end_ns;  // by call, in the run's time
  std::vector<CallWait> waits;           // by call
};

// The largest message whose send ended before its receive was posted: sends of that size do not wait for it.
struct BufferedSends {
  std::array<int64_t, 2> largest{};  // between hosts, within a host
  void learn(const Step& step, const Profile& profile, const RunTime& time);
};

TimedStep wait_states(const Step& step, const Profile& profile, const RunTime& time, const BufferedSends& sends);

}  // namespace leadline::analysis
