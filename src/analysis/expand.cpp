#include "analysis/expand.hpp"

namespace leadline::analysis {

Expansion::Expansion(const trace::Process& process, size_t stream)
    : decoder_(process, stream),
      requests_(process, stream, structure::Requests::Keep::all),
      walker_(process.streams[stream]) {}

bool Expansion::next(Call* call) {
  trace::Event event;
  if (!walker_.next(&event)) return false;
  decoder_.decode(event, call);
  call->times = event.times;
  requests_.follow(call, event.times);
  return true;
}

}  // namespace leadline::analysis
