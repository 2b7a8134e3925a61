// When the one-sided operations of a thread are complete, judging by the order of its calls: at this rank by the end of
// an epoch, by a flush or with the operation's request, at the target by the end of an epoch or a flush.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "structure/decoded_call.hpp"
#include "trace/process.hpp"

namespace leadline::interchange {

class OneSidedOperations {
 public:
  struct Done {
    uint64_t operation = 0;
    bool here = false, there = false;  // where the call completes it
  };
  OneSidedOperations(const trace::Process& process, size_t stream);

  // The thread's next call. Only exported operations are reported as complete.
  void follow(const structure::DecodedCall& call, bool exported);
  // The request of an operation on that window was completed. Returns whether nothing had completed it before.
  bool complete(uint64_t window, uint64_t operation);

  // Of the call: the number of the operation it starts, from 1 (0: it starts none), and those that it completes.
  uint64_t started() const { return started_; }
  const std::vector<Done>& done() const { return done_; }

 private:
  struct Operation {
    uint64_t number;
    int32_t target;
    bool here;  // complete at this rank
  };
  struct Synchronisation {
    bool known = false, all = false, here = false, there = false, ends = false;
  };
  static Synchronisation synchronisation(const std::string& function);
  void synchronise(const structure::DecodedCall& call, const Synchronisation& s, bool exported);

  std::vector<Synchronisation> functions_;
  bool alone_ = true;  // no other thread of the process synchronises
  uint64_t last_ = 0, started_ = 0;
  std::map<uint64_t, std::deque<Operation>> under_way_;  // by window
  std::vector<Done> done_;
};

}  // namespace leadline::interchange
