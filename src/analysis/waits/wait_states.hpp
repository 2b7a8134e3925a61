// Calls that waited for another rank, in a part of the run whose calls' times are known: for whom, and until when.
//
// A receive waits for its sender until the send begins (late sender). A send waits for its receiver until the receive
// is posted, if it cannot end before (late receiver): it did not, and its message is synchronous, or of a size whose
// sends mostly wait when receives come late. A collective waits for the last of the ranks whose data or arrival it
// needs. If a call completes several messages, the last one counts. A fence of a window waits for the last rank, if it
// synchronises: it need not if no operations precede it. The origin of an epoch waits for its target until that exposes
// its window (late post), the target for the origin until that completes its operations (late complete).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
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
  wait_at_fence,
  late_post,
  late_complete,
};
inline constexpr size_t wait_kinds = 10;
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

// The behaviour of calls that need not wait for others when the others came late.
class SeenToReturn {
 public:
  void learn(const Step& step, const Profile& profile, const RunTime& time);
  // Whether sends of that size return without waiting for their receive: when receives came late, they returned for
  // longer than they waited. Sizes above count if they mostly return, since smaller sends then do so, too. A library
  // may send some long messages without waiting as long as it has buffers.
  bool returns_early(int64_t bytes, bool within_host) const;
  // Whether a rank left the fence at this call site before the last one entered it.
  bool left_early(uint32_t site) const { return left_early_.count(site) > 0; }

 private:
  void learn_sends(const Step& step, const Profile& profile, const RunTime& time);
  void learn_fences(const Step& step, const RunTime& time);
  // Of the times by which receives came later than their sends: those after the send had returned, and the others.
  struct Late {
    double returned_ns = 0, waited_ns = 0;
  };
  std::array<std::map<int64_t, Late>, 2> late_;  // between hosts, within a host; by size, in quarters of an octave
  std::set<uint32_t> left_early_;
};

TimedStep wait_states(const Step& step, const Profile& profile, const RunTime& time, const SeenToReturn& seen);

}  // namespace leadline::analysis
