// A recorded run as a program for the replay: class trees, the times before and of their calls, and the cost of each
// call in a network.
//
// Without a network, calls cost what they cost in the recording where they did not wait: posting a message its mean
// time, a receive, wait or collective the shortest one of its kind. Messages take a latency that is given, and nothing
// else, since within a node it is the ranks that copy.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "calls/class_trees.hpp"
#include "network/network.hpp"
#include "replay/copies.hpp"
#include "replay/program.hpp"
#include "replay/tree.hpp"
#include "trace/process.hpp"

namespace leadline::replay {

// What a recorded run's own messages say about their costs (leadline/predict/message_costs.py), where no network is
// given.
struct MessageCosts {
  struct Receive {
    double whole_ns = 0;    // of the call, once all that it receives has arrived
    double message_ns = 0;  // of that, what is its messages' own: of the rest, calls that are made one share one
  };
  static constexpr int any_size = -1;
  std::map<std::pair<uint32_t, int>, Receive> receives;  // by call site and bits of the bytes
  double call_ns = 0;                                    // of a wait, without its messages
  double after_send = 0;  // the part of a send's time that comes after its message has left
  // Of messages that wait for their receiver: the calls of either end, and by size how long both are busy with it.
  double long_send_ns = 0, long_receive_ns = 0;
  std::map<int64_t, double> long_busy_ns;
  double long_start_ns = 0;  // of that time, what does not grow with the bytes; at most `most_start` of it
  double together = 1;       // factor of that time, where both ends copy at once that did so in turn
  static constexpr double most_start = 0.8;

  bool has_long() const { return !long_busy_ns.empty(); }
  // Between two sizes that are known in proportion; beyond these as much more for each byte as the nearest one takes.
  double busy_ns(int64_t bytes) const {
    auto known = long_busy_ns.lower_bound(bytes);
    if (known != long_busy_ns.end() && known != long_busy_ns.begin()) {
      const auto& [shorter, less_ns] = *std::prev(known);
      const auto part = static_cast<double>(bytes - shorter) / static_cast<double>(known->first - shorter);
      return less_ns + part * (known->second - less_ns);
    }
    if (known == long_busy_ns.end()) --known;
    const double start_ns = std::min(long_start_ns, most_start * known->second);
    return start_ns + (known->second - start_ns) * static_cast<double>(bytes) /
                          static_cast<double>(std::max<int64_t>(known->first, 1));
  }
};

struct Settings {
  uint64_t steps = 0;                             // of the main loop; 0: as recorded
  bool last_repeats = false;                      // of more steps: an iteration that only the last one is like, too
  double compute = 1;                             // what computation between calls is multiplied with
  bool ideal = false;                             // messages and collectives cost nothing
  uint64_t seed = 0;                              // of iterations that are drawn; 0: as recorded
  const network::Network* network = nullptr;      // nullptr: as recorded
  int64_t eager_bytes = INT64_MAX;                // without a network
  int64_t copied_bytes = INT64_MAX;               // without a network: longer eager messages are sent in place
  double latency_ns = 0;                          // without a network
  double collective_ns = 0;                       // without a network: what a collective call takes beyond its messages
  int64_t forced_eager_bytes = -1;                // a limit for all messages; -1: none
  MessageCosts messages;                          // without a network
  bool forced_progress = false;                   // long messages move while ranks compute, whatever the network says
  bool quick_windows = false;                     // one-sided calls take no time: a bound
  bool old_windows = false;                       // none takes longer than the cheapest calls of its function
  bool trace = false;                             // a late iteration of the main loop, call by call
  bool trace_all = false;                         // with `trace`: all calls
  uint32_t cost_level = 0;                        // without a network, below Recorded::cost_levels
  double copy_per_byte_ns = 0.1;                  // assumed of a call, where the recording has one size of message only
  Copies copies;                                  // of what is packed: once together, once apart
  std::map<std::string, std::string> algorithms;  // by operation, instead of the ones that are usual
};

// What the replay does not reproduce.
struct Differences {
  uint64_t lost = 0;       // stretches of calls without order
  uint64_t varying = 0;    // calls with messages whose partners and sizes are unknown
  uint64_t unknown = 0;    // messages and collectives whose partners or communicator are unknown
  uint64_t wildcards = 0;  // nonblocking receives from any source, which are posted when they are waited for
  uint64_t one_sided = 0;  // calls that take as long as they did
  uint64_t threads = 0;    // further threads with calls, which are left out
  uint64_t unusable = 0;   // calls of collectives that the given algorithm cannot be used for
  uint64_t untimed = 0;    // calls whose own times were not kept
  double waits_in_gaps_ns = 0;
};

// Times of a rank in the recording, in nanoseconds of the run; NaN: not kept.
struct RecordedTimes {
  double begin_ns = 0, loop_begin_ns = 0, loop_end_ns = 0, end_ns = 0;
};

class Recorded {
 public:
  // What a call costs that does not wait is not recorded by itself: it may be the shortest of its kind, or one of
  // structure::low_parts, of the rank and place where these are least.
  static constexpr uint32_t cost_levels = 1 + structure::low_parts.size();
  using Costs = std::array<double, cost_levels>;

  explicit Recorded(uint32_t main_loop) : main_loop_(main_loop) {}
  // For trees that were made otherwise: the times of each rank are all that is known.
  Recorded(uint32_t main_loop, std::vector<RecordedTimes> times) : main_loop_(main_loop), times_(std::move(times)) {}
  Recorded(const Recorded&) = delete;

  // Each rank once, in their order.   begin_ns: of the process, in the run's time.   node: number of its node.
  void add(const trace::Process& process, uint32_t index, const calls::RunNumbers& numbers, double begin_ns,
           uint32_t node);

  const std::vector<RecordedTimes>& times() const { return times_; }
  uint64_t threads() const { return threads_; }  // further ones, with calls
  Tree tree() const;
  // The calls of a rank in the recording, in their order, with the leaf of its class that each is.
  using EachCall = std::function<void(uint32_t leaf, calls::ThreadCalls& call)>;
  void for_each_call(const trace::Process& process, uint32_t rank, const calls::RunNumbers& numbers,
                     const EachCall& each) const;
  uint64_t steps() const { return steps_; }  // of the main loop on rank 0; 0: it was not entered once

  // The kinds of calls whose cost is that of the shortest call of the kind.
  struct Kind {
    std::string function;
    uint32_t parts = 0;
    int bits = 0;  // of the bytes
    bool root = false;
    auto operator<=>(const Kind&) const = default;
  };

 private:
  friend class Translation;
  // The cost of a call that moves more bytes than its kind did: of each function, the least at each size.
  using Sizes = std::map<int64_t, double>;
  void read_times(const trace::Process& process, const calls::ClassTrees::Class& of, const calls::RunNumbers& numbers,
                  double begin_ns, TreeMember* member);
  void add_shortest(const calls::Leaf& leaf, std::vector<float> ns);
  void take_shorter(const Kind& kind, const Costs& costs);
  void find_shortest(const calls::ClassTrees::Class& of, size_t number);

  const uint32_t main_loop_;
  calls::ClassTrees trees_;
  std::vector<TreeMember> members_;  // by rank
  std::vector<RecordedTimes> times_;
  std::map<uint64_t, std::vector<int32_t>> communicators_;  // by identity: members in MPI_COMM_WORLD
  std::map<uint64_t, std::vector<trace::GridSide>> grids_;  // by identity
  std::map<Kind, Costs> shortest_ns_;
  std::map<std::string, Sizes> sizes_;  // by function
  uint64_t steps_ = 0, threads_ = 0;
  size_t varied_ = 0;  // kinds of calls of leaves that vary
};

Recorded::Kind kind_of(const calls::Leaf& leaf, size_t member);
int64_t bytes_of(const calls::Leaf& leaf, size_t member);

}  // namespace leadline::replay
