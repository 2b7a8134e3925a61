// Which messages have both of their ends among the calls that are exported, and a number for each of them.
//
// The ends are looked at in a first pass over all processes. A channel's messages are counted alike at both ends, so
// what is kept of each channel are runs of consecutive numbers: as many as there are windows of calls, not messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "calls/traffic.hpp"
#include "interchange/call_stream.hpp"

namespace leadline::interchange {

class Matches {
 public:
  // `process`, `stream`: whose thread's call it is. Threads of a process that share a channel number its messages
  // apart: these are not matched.
  void see(const MessageEnd& end, uint32_t process, size_t stream);
  // The first pass is over.
  void settle();
  // The message's number, from 1; 0: one of its ends is not exported.
  uint64_t number(const MessageEnd& end) const;
  uint64_t messages() const { return messages_; }
  uint64_t unmatched() const { return unmatched_; }  // ends

 private:
  struct Run {
    uint64_t first = 0, end = 0, number = 0;  // numbers in the channel; the first one's own number
  };
  struct End {
    std::vector<Run> runs;
    std::pair<uint32_t, size_t> thread;
    bool several = false;  // threads
  };
  struct Both {
    End sent, received;
    std::vector<Run> runs;
  };
  std::map<calls::Channel, Both> channels_;
  uint64_t messages_ = 0, unmatched_ = 0;
};

}  // namespace leadline::interchange
