// A call with its place in the run, as every user of src/calls gets it. It is valid until the next one is asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "calls/traffic.hpp"
#include "structure/decoded_call.hpp"
#include "trace/reading/series_walk.hpp"

namespace leadline::calls {

class Call {
 public:
  // `inside`: the call is one of the loop's whose iterations are counted.
  Call(const trace::TimedEvent& event, const CallEffects& effects, bool inside, uint64_t iteration, Traffic* traffic)
      : event(event), effects(effects), inside(inside), iteration(iteration), traffic_(*traffic) {}

  const trace::TimedEvent& event;  // its place among the thread's calls, and its times where they were kept
  const CallEffects& effects;      // its messages, its collective, and the requests that it makes and completes
  const bool inside;
  const uint64_t iteration;

  const structure::DecodedCall& decoded() const { return traffic_.decoded(event.event); }
  // Its messages with their numbers in their channels.
  std::vector<MessageHalf> halves() const { return traffic_.halves_of(effects); }
  // Its number on the communicator; 0: it is no collective.
  uint64_t collective_number() const { return traffic_.collective_number(effects); }

 private:
  Traffic& traffic_;
};

}  // namespace leadline::calls
