#include "collectives/schedule.hpp"

#include <algorithm>

namespace leadline::collectives {

namespace {

bool is_next(const Range& before, const Range& range) {
  return before.space == range.space && before.first + before.count == range.first;
}

// Whether a copy goes on where the step before it, a copy too, ends on both sides.
bool follows(const Step& before, const Range& from, const Range& to) {
  return before.kind == Step::Kind::copy && is_next(before.from, from) && is_next(before.to, to);
}

}  // namespace

uint32_t Schedule::send(Range from, int peer) {
  if (!from.count) return no_request;
  steps.push_back({Step::Kind::send, peer, requests, from, {}});
  return requests++;
}

uint32_t Schedule::receive(Range to, int peer) {
  if (!to.count) return no_request;
  steps.push_back({Step::Kind::receive, peer, requests, {}, to});
  return requests++;
}

uint32_t Schedule::signal(int peer) {
  steps.push_back({Step::Kind::send, peer, requests, {Space::scratch, 0, 0}, {}});
  return requests++;
}

uint32_t Schedule::await(int peer) {
  steps.push_back({Step::Kind::receive, peer, requests, {}, {Space::scratch, 0, 0}});
  return requests++;
}

void Schedule::wait(uint32_t request) {
  if (request != no_request) steps.push_back({Step::Kind::wait, -1, request, {}, {}});
}

void Schedule::wait_from(uint32_t first) {
  for (uint32_t request = first; request < requests; ++request) wait(request);
}

void Schedule::copy(Range from, Range to) {
  if (!to.count) return;
  if (!steps.empty() && from.space != to.space && follows(steps.back(), from, to)) {
    steps.back().from.count += from.count;
    steps.back().to.count += to.count;
    return;
  }
  steps.push_back({Step::Kind::copy, -1, 0, from, to});
}

void Schedule::reduce(Range from, Range to) {
  if (to.count) steps.push_back({Step::Kind::reduce, -1, 0, from, to});
}

void Schedule::native(Range from, Range to) {
  if (to.count) steps.push_back({Step::Kind::native, -1, 0, from, to});
}

void Schedule::together(Operation operation, int root, Range from, Range to) {
  Step step{Step::Kind::together, -1, 0, from, to};
  step.root = root;
  step.operation = operation;
  steps.push_back(step);
}

Range Schedule::reserve(int64_t count) {
  const Range range{Space::scratch, scratch_elements, count};
  scratch_elements += count;
  return range;
}

void Schedule::append(const Schedule& part, const int* members, const Bases& bases) {
  const Range base_of[] = {bases.data, bases.input, {Space::scratch, scratch_elements, 0}};  // as Space is numbered
  for (Step step : part.steps) {
    for (Range* range : {&step.from, &step.to}) {
      const Range& base = base_of[static_cast<int>(range->space)];
      *range = {base.space, base.first + range->first, range->count};
    }
    if (step.peer >= 0) step.peer = members[step.peer];
    step.request += requests;
    const bool in_place = step.from.space == step.to.space && step.from.first == step.to.first;
    if (step.kind != Step::Kind::copy || !in_place) steps.push_back(step);
  }
  requests += part.requests;
  scratch_elements += part.scratch_elements;
}

void Schedule::link() {
  int most = -1;
  for (const Step& step : steps) most = std::max(most, step.peer);
  std::vector<Step*> last_to(static_cast<size_t>(most + 1)), last_from(last_to), receives(requests);
  for (Step& step : steps) {
    if (step.kind == Step::Kind::send) last_to[static_cast<size_t>(step.peer)] = &step;
    if (step.kind == Step::Kind::receive) {
      last_from[static_cast<size_t>(step.peer)] = &step;
      receives[step.request] = &step;
    }
  }
  for (Step* step : last_to)
    if (step) step->last = true;
  for (Step* step : last_from)
    if (step) step->last = true;
  for (Step& step : steps) {
    if (step.kind != Step::Kind::wait || !receives[step.request]) continue;
    const Step& receive = *receives[step.request];
    step.peer = receive.peer;
    step.to = receive.to;
    step.last = receive.last;
  }
}

}  // namespace leadline::collectives
