// A part of the run on all ranks, call by call: its messages from end to end, its collectives, and the calls that
// complete its requests. It is one iteration of the main loop, or the first calls of every rank. Messages are matched
// as in matching/.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "analysis/matching/traffic.hpp"
#include "analysis/profile.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

struct StepCall {
  uint32_t process = 0;
  uint32_t site = 0;  // number in the profile
  trace::CallClass cls = trace::CallClass::other;
  double begin_ns = 0, end_ns = 0, gap_ns = 0;  // in the process's own time; the gap is before the call. 0: not timed
};

struct StepMessage {
  static constexpr uint32_t none = UINT32_MAX;
  uint32_t send = none, receive = none;            // the calls that send it, and that post its receive
  uint32_t send_done = none, receive_done = none;  // the calls that complete these (the same ones if they block)
  int64_t bytes = 0;
  bool wildcard = false;
};

struct Step {
  bool found = false;
  bool timed = false;  // the times of its calls are known
  uint64_t iteration = 0;
  std::vector<StepCall> calls;                        // by process, in order
  std::vector<uint32_t> first;                        // by process: its first call; one more than there are processes
  std::vector<StepMessage> messages;                  // those with both ends
  std::map<uint32_t, std::vector<uint32_t>> sent_at;  // by call site: the messages that it sends
  uint64_t unmatched = 0;                             // ends without the other one
  std::vector<std::vector<uint32_t>> collectives;
};

// Reads such a part of processes that are added in the profile's order. Of iterations, it takes one whose calls' times
// were kept on all of them; if there is none, the second one, without times. First calls are read without times.
class StepReader {
 public:
  enum class Part : uint8_t { iteration, first_calls };
  StepReader(const Profile& profile, Part part);
  void add(const trace::Process& process, uint32_t index);
  Step finish();

 private:
  using Name = std::pair<Channel, uint64_t>;
  struct End {
    uint32_t posted = StepMessage::none, done = StepMessage::none;
    int64_t bytes = 0;
    bool wildcard = false;
  };
  static constexpr size_t most_calls = size_t{1} << 22;   // of the step
  static constexpr size_t most_walked = size_t{1} << 24;  // before it on a process, if it is not timed
  static constexpr size_t most_first = size_t{1} << 20;   // first calls of all processes together
  class Reading;
  void walk(const trace::Process& process, const ProcessLoop& loop, Reading* reading);

  void walk_first(const trace::Process& process, size_t stream, Reading* reading);

  const Profile& profile_;
  Part part_;
  std::vector<const ProcessLoop*> loops_;
  uint64_t usual_ = 0;
  bool wanted_ = false;
  Step step_;
  std::map<Name, std::pair<End, End>> ends_;  // of the sender and of the receiver
  std::map<std::pair<uint64_t, uint64_t>, std::vector<uint32_t>> collectives_;
};

}  // namespace leadline::analysis
