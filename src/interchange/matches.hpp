// Which messages have both of their ends among the calls that are exported, and a number for each of them.
//
// The ends are looked at in a first pass over all processes. Both ends of a channel number its messages alike, so each
// channel needs only runs of consecutive numbers, as many as there are windows of calls, and runs of messages of one
// size as far as there is room.
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
  // What the sender posted for the message; bytes_unknown: its send was not seen, or sizes changed too often.
  int64_t sent_bytes(const MessageEnd& end) const;
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
  struct Size {
    uint64_t first = 0;  // number in the channel, from which on messages have it
    int64_t bytes = structure::bytes_unknown;
  };
  struct Both {
    End sent, received;
    std::vector<Run> runs;
    std::vector<Size> sizes;  // ascending
  };
  static constexpr size_t most_sizes = size_t{1} << 20;
  void keep_size(const MessageEnd& end, Both* both);

  std::map<calls::Channel, Both> channels_;
  size_t sizes_ = 0;
  uint64_t messages_ = 0, unmatched_ = 0;
};

}  // namespace leadline::interchange
