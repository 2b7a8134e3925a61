// What each call of a process sends, receives and takes part in, and its number in the channel or on the communicator.
//
// Numbers count from the process's first call. Calls are counted one by one in their order, or many at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analysis/measure.hpp"
#include "analysis/open_receives.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

using Channel = std::tuple<uint64_t, int32_t, int32_t, int32_t>;  // communicator, source, dest, tag

// One half of a message with its number in the channel.
struct Part {
  bool sends = false;
  Channel channel;
  uint64_t number = 0;
};

// What a call does, and its counters.
struct Acts {
  struct Half {
    bool sends;
    Channel channel;
    uint32_t counter;
  };
  trace::Key key;
  bool known = false;
  std::vector<Half> halves;
  std::optional<uint32_t> collective;
  uint64_t comm = 0;
};

class Traffic {
 public:
  Traffic(const trace::Process& process, size_t stream)
      : process_(process), measurer_(process, stream), receives_(process, stream) {}

  // Whether calls may be passed in no order.
  bool may_pass() const { return receives_.by_site(); }
  // Counts equal calls that are passed.
  void pass(const trace::Event& event);
  // Counts the call; what it does stands until the next one.
  const Acts& count(const trace::Event& event);

  // Of the call just counted. Where a channel comes more than once, the last of its messages has the channel's number.
  std::vector<Part> parts_of(const Acts& acts) const;
  uint64_t collective_number(const Acts& acts) const { return acts.collective ? counts_[*acts.collective] : 0; }

  // The counts at some place, to go back to.
  struct Mark {
    std::vector<uint64_t> counts;
    ProcessReceives::Mark receives;
  };
  Mark mark() const { return {counts_, receives_.mark()}; }
  void go_back(const Mark& mark);

 private:
  void of(const trace::Event& e, Acts* parts);
  uint64_t identity(uint32_t comm) const;
  void add(bool sends, uint32_t comm, int32_t peer, int32_t tag, Acts* parts);
  void completed(const trace::Event& e, Acts* parts);
  void all_completed(const trace::Event& e, Acts* parts);
  static bool receives_later(trace::CallClass c);
  void start_one(trace::CallClass creator, uint32_t comm, int32_t peer, int32_t tag, Acts* parts);
  void started(const trace::Event& e, Acts* parts);
  void all_started(const trace::Event& e, Acts* parts);
  uint32_t counter(std::map<Channel, uint32_t>* counters, const Channel& channel);

  const trace::Process& process_;
  Measurer measurer_;
  std::vector<uint64_t> counts_;
  std::map<Channel, uint32_t> sent_, received_;
  std::unordered_map<uint64_t, uint32_t> collectives_;
  ProcessReceives receives_;
  std::vector<Acts> known_;  // by position
  size_t generation_ = 0;
  Acts other_;
};

}  // namespace leadline::analysis
