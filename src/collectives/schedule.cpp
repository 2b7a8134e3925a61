#include "collectives/schedule.hpp"

namespace leadline::collectives {

uint32_t Schedule::send(Range from, int peer) {
  steps.push_back({Step::Kind::send, peer, requests, from, {}});
  return requests++;
}

uint32_t Schedule::receive(Range to, int peer) {
  steps.push_back({Step::Kind::receive, peer, requests, {}, to});
  return requests++;
}

void Schedule::wait(uint32_t request) { steps.push_back({Step::Kind::wait, -1, request, {}, {}}); }

void Schedule::copy(Range from, Range to) { steps.push_back({Step::Kind::copy, -1, 0, from, to}); }

void Schedule::reduce(Range from, Range to) { steps.push_back({Step::Kind::reduce, -1, 0, from, to}); }

void Schedule::native(Range from, Range to) { steps.push_back({Step::Kind::native, -1, 0, from, to}); }

}  // namespace leadline::collectives
