// Receives from anybody, or with any tag, that are not completed yet. A call that completes several requests reports
// which request each was, and its message's source and tag, but not its communicator.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analysis/measure.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

// The receives of one thread: its requests are numbered from 1 in the order in which they become active.
class OpenReceives {
 public:
  OpenReceives(const trace::Process& process, size_t stream) : measurer_(process, stream) {}

  // The thread's next call.
  void follow(const trace::Event& event);
  // The communicator that the request was made on; 0 if it is no such receive of that site.
  uint32_t communicator(uint64_t number, uint32_t site) const;
  // The number of requests so far.
  uint64_t requests() const { return requests_; }

 private:
  struct Receive {
    uint32_t site, comm;
  };
  void made(const trace::Key& maker, uint32_t site);

  Measurer measurer_;
  uint64_t requests_ = 0;
  std::unordered_map<uint64_t, Receive> open_;
};

// The receives of all threads of a process. One thread is followed; the others are read when one of their receives is
// asked for.
class ProcessReceives {
 public:
  ProcessReceives(const trace::Process& process, size_t stream)
      : process_(process), stream_(stream), measurer_(process, stream), own_(process, stream) {}

  void follow(const trace::Event& event) { own_.follow(event); }
  // The communicator of one request that a call on a list completes, by its link (trace::listed_link); 0: the request
  // was no receive from anybody or with any tag.
  uint32_t communicator(int64_t link);

 private:
  const trace::Process& process_;
  size_t stream_;
  Measurer measurer_;
  OpenReceives own_;
  std::unordered_map<size_t, std::unique_ptr<OpenReceives>> others_;
};

}  // namespace leadline::analysis
