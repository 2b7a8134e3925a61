// What each call of a process sends, receives and takes part in, and its number in the channel or on the communicator.
//
// Numbers count from the process's first call. Calls are counted one by one in their order, or many at once.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "calls/channels.hpp"
#include "structure/call_decoder.hpp"
#include "structure/requests.hpp"
#include "trace/process.hpp"

namespace leadline::calls {

// One half of a message with its number in the channel.
struct MessageHalf {
  bool sends = false;
  Channel channel;
  uint64_t number = 0;
};

// What a call does, and its counters.
struct CallEffects {
  struct Half {
    bool sends;
    Channel channel;
    uint32_t counter;
  };
  trace::Key key;
  bool known = false;
  std::vector<Half> halves;
  // A request that the call makes or starts, or completes: the site that made it, how many requests ago.
  struct Request {
    uint32_t site;
    uint64_t age;
  };
  std::optional<uint32_t> collective;
  uint64_t comm = 0;
  std::vector<Request> made, completed;  // the age of one that is made is 0
  int64_t out_bytes = 0, in_bytes = 0;   // that leave and reach the rank; structure::bytes_unknown
};

class Traffic {
 public:
  Traffic(const trace::Process& process, size_t stream)
      : process_(process),
        decoder_(process, stream),
        sites_(process),
        requests_(process, stream, structure::Requests::Keep::wildcards) {
    for (const trace::Function& f : process.functions) fences_.push_back(f.name == "MPI_Win_fence");
  }

  // Whether calls may be passed in any order.
  bool may_pass() const { return sites_.alike(); }
  // Counts equal calls that are passed.
  void pass(const trace::Event& event);
  // Counts the call; its effects are valid until the next one.
  const CallEffects& count(const trace::Event& event);

  // The call just counted. Messages that it completes are named as they are counted.
  const structure::DecodedCall& decoded(const trace::Event& event);
  // Of the call just counted. Where a channel comes more than once, the last of its messages has the channel's number.
  std::vector<MessageHalf> halves_of(const CallEffects& effects) const;
  uint64_t collective_number(const CallEffects& effects) const {
    return effects.collective ? counts_[*effects.collective] : 0;
  }

  // The counts at some place, to go back to.
  struct Mark {
    std::vector<uint64_t> counts;
    structure::Requests::Mark requests;
  };
  Mark mark() const { return {counts_, requests_.mark()}; }
  void go_back(const Mark& mark);

 private:
  void decode(const trace::Event& event);
  void find_effects(CallEffects* effects);
  bool by_all() const;
  void add(bool sends, const structure::CallPart& part, CallEffects* effects);
  void add_requests(CallEffects* effects) const;
  void add_bytes(CallEffects* effects) const;
  CallEffects& effects_at(uint32_t position);

  const trace::Process& process_;
  structure::CallDecoder decoder_;
  structure::RequestSites sites_;
  structure::ProcessRequests requests_;  // followed unless call sites say enough
  structure::DecodedCall call_;
  bool is_decoded_ = false;   // `call_` is the call just counted
  std::vector<bool> fences_;  // by function
  std::vector<uint64_t> counts_;
  Channels channels_;
  std::unordered_map<uint64_t, uint32_t> collectives_;
  // What calls do at the positions that were visited again: an irregular program visits most of them once.
  static constexpr uint32_t never = 0, once = 1, again = 2;
  std::vector<uint32_t> known_at_;  // by position: how often it was visited; from `again` on, index in known_
  std::deque<CallEffects> known_;
  size_t generation_ = 0;
  CallEffects other_;
};

}  // namespace leadline::calls
