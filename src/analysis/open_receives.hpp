// Receives from anybody, or with any tag, that are not completed yet. A call that completes several requests reports
// which request each was, and its message's source and tag, but not its communicator.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/measure.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

// Calls `made` for each request that a call makes or starts: its key, and the call that made it. A persistent request
// is made by its creation, and starts anew.
void for_each_request(const trace::Key& key, const int64_t* words, size_t word_count, const Measurer& measurer,
                      const std::function<void(const trace::Key& request, Measurer::Maker maker)>& made);

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

  struct Receive {
    uint32_t site, comm;
  };
  struct Mark {
    uint64_t requests = 0;
    std::unordered_map<uint64_t, Receive> open;
  };
  Mark mark() const { return {requests_, open_}; }
  void go_back(const Mark& mark) {
    requests_ = mark.requests;
    open_ = mark.open;
  }

 private:
  void made(const trace::Key& maker, uint32_t site);

  const Measurer measurer_;
  uint64_t requests_ = 0;
  std::unordered_map<uint64_t, Receive> open_;
};

// The receives of all threads of a process. One thread is followed; the others are read when one of their receives is
// asked for.
class ProcessReceives {
 public:
  ProcessReceives(const trace::Process& process, size_t stream);

  // Whether each call site's receives are all on one communicator and all of a kind. If so, the calls need not be
  // followed in their order.
  bool by_site() const { return by_site_; }
  void follow(const trace::Event& event) {
    if (!by_site_) own_.follow(event);
  }
  // The communicator of one request that a call on a list completes, by its link (trace::listed_link); 0: the request
  // was no receive from anybody or with any tag.
  uint32_t communicator(int64_t link);

  // What was followed so far, to go back to.
  using Mark = OpenReceives::Mark;
  Mark mark() const { return own_.mark(); }
  void go_back(const Mark& mark) { own_.go_back(mark); }

 private:
  const trace::Process& process_;
  size_t stream_;
  Measurer measurer_;
  OpenReceives own_;
  bool by_site_ = true;
  std::map<std::pair<size_t, uint32_t>, uint32_t> sites_;  // stream and site: the communicator, 0: no such receives
  std::unordered_map<size_t, std::unique_ptr<OpenReceives>> others_;
};

}  // namespace leadline::analysis
