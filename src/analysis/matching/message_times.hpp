// When messages were sent and received, in as much of the run as has the times of its calls: from them follows what a
// message takes on its way, and what its calls cost besides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/matching/step_reader.hpp"
#include "analysis/profile.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

// Times are the run's. Calls are the same one where it does several of these.
struct MessageTime {
  int64_t bytes = 0;
  bool within_host = false;
  uint32_t from = 0, to = 0;              // processes
  uint32_t send_site = 0, done_site = 0;  // of the call that sends, and of that which completes the receive
  uint32_t done = 0;                      // number of the latter: it may complete several
  double send_begin_ns = 0, send_end_ns = 0;
  double sent_begin_ns = 0, sent_end_ns = 0;  // of the call that completes the send
  double posted_ns = 0;                       // begin of the call that posts the receive
  double done_begin_ns = 0, done_end_ns = 0;  // of the call that completes it
};

class MessageTimes {
 public:
  // The profile has all processes of the run and outlives this.   most: messages, about.
  MessageTimes(const Profile& profile, uint64_t most);
  bool wanted() const { return whole_.wanted() || iterations_.wanted(); }
  // All processes again, in the profile's order.
  void add(const trace::Process& process, uint32_t index);
  // Once, after the last process: of the whole run, or of as many iterations of its main loop as `most` allows, but
  // one.
  std::vector<MessageTime> find();

 private:
  const Profile& profile_;
  StepReader whole_, iterations_;
};

}  // namespace leadline::analysis
