// Loops that may have begun an iteration between two calls without any other call, which no call shows.
#include "recording/source_loops.hpp"

namespace leadline::recording {

void SourceLoops::learn_quiet(uint32_t from_site, uint32_t to_site) {
  Meeting m;
  if (!loud_ || !meet(from_site, to_site, &m)) return;
  const uint64_t from = t_.contexts[m.from].frame, to = t_.contexts[m.to].frame;
  const Known* known = nullptr;
  const auto knows = [&](uint64_t frame) { return known->routine->knows(frame + known->bias); };
  if (!index_.update(t_.contexts)) return;
  index_.each_child(m.context, [&](uint32_t c) {
    const uint64_t by = t_.contexts[c].frame;
    if (c >= loud_count_ || !loud_[c] || by == from || by == to) return true;
    if (!known) {
      known = routine_of(to);
      if (!known || !knows(from) || !knows(to)) return false;
      uint32_t loop = 0;
      const bool stayed = known->routine->way(from + known->bias, to + known->bias, &loop) != code::Routine::Way::out;
      if (!stayed) return false;
      known->routine->find_way(from + known->bias, to + known->bias);
    }
    if (knows(by) && known->routine->always_passes(from + known->bias, to + known->bias, by + known->bias)) {
      index_.each_within(t_.contexts, by - 1, by, [&](uint32_t same) {
        if (same < loud_count_) loud_[same] = 0;
      });
    }
    return true;
  });
  if (known && knows(from) && knows(to)) learn_passed(*known, from, to);
}

void SourceLoops::learn_passed(const Known& known, uint64_t from, uint64_t to) {
  uint64_t headers[16];
  uint32_t loop = 0;
  if (known.routine->way(from + known.bias, to + known.bias, &loop) == code::Routine::Way::out) return;
  const uint32_t room = sizeof(headers) / sizeof(headers[0]);
  const uint32_t n = known.routine->passed_loops(from + known.bias, to + known.bias, headers, room);
  for (uint32_t i = 0; i < n && passed_count_ < most_passed; ++i) {
    known.routine->mark_passed(headers[i]);
    passed_[passed_count_++] = headers[i] - known.bias;
  }
}

void SourceLoops::mark_passed_loops(const Known& known) const {
  for (uint32_t i = 0; i < passed_count_; ++i) known.routine->mark_passed(passed_[i] + known.bias);
}

bool SourceLoops::hush_files(const uint8_t* vain, uint8_t* sure) {
  if (!loud_) return false;
  for (uint32_t s = 1; s < t_.sites.size(); ++s) {
    uint32_t c = t_.sites[s].context;
    if (vain[s] || !has_code(c)) continue;
    if (on_file(s)) {
      sure[c] |= !calls_run_time_library(c);
      continue;
    }
    for (; has_code(c) && sure[c] != 2; c = t_.contexts[c].parent) sure[c] = 2;
  }
  bool some = false;
  for (uint32_t c = 0; c < loud_count_; ++c) {
    some |= loud_[c] && !sure[c];
    loud_[c] &= sure[c] != 0;
  }
  if (some) mark_loud_calls();
  return some;
}

void SourceLoops::mark_silent(uint32_t from_site, uint32_t to_site) {
  Meeting m;
  if (!meet(from_site, to_site, &m)) return;
  const uint64_t from = t_.contexts[m.from].frame, to = t_.contexts[m.to].frame;
  const Known* known = routine_of(to);
  if (!known || !known->routine->knows(from + known->bias) || !known->routine->knows(to + known->bias)) return;
  uint32_t loop = 0;
  switch (known->routine->way(from + known->bias, to + known->bias, &loop)) {
    case code::Routine::Way::onward:  // or by way of an iteration that ends and one that begins without a call
      return mark_silent_from(m.context, *known, from, to, loop);
    case code::Routine::Way::back:
      return mark_silent_from(m.context, *known, from, to, known->routine->outer(loop));
    case code::Routine::Way::out:
      return mark_silent_further(m.context, *known);
  }
}

// The routine was left and entered again, by the innermost loop about its call. Those around that one are meant.
void SourceLoops::mark_silent_further(uint32_t context, const Known& called) {
  if (!makes_calls_of(context, called)) return;
  const LiveContext c = t_.contexts[context];
  const Known* const known = routine_of(c.frame);
  if (!known) return;
  const uint32_t loop = known->routine->loop_of(c.frame + known->bias);
  if (loop) {
    mark_silent_from(c.parent, *known, c.frame, c.frame, known->routine->outer(loop));
  } else {
    mark_silent_further(c.parent, *known);
  }
}

// Loops of the routine, from the given one outwards, and then those about its call.
void SourceLoops::mark_silent_from(uint32_t context, const Known& known, uint64_t from, uint64_t to, uint32_t loop) {
  code::Routine* const routine = known.routine;
  from += known.bias;
  to += known.bias;
  Pin pin(known);
  const bool anew = routine->silently_anew(from, to) && makes_calls_of(context, known);
  for (; loop; loop = routine->outer(loop)) {
    if (!routine->silently_repeats(from, to, loop)) continue;
    if (const uint32_t marked = number(context, known, loop)) t_.loops[marked].silent = 1;
  }
  pin.release();
  if (!anew) return;
  const LiveContext c = t_.contexts[context];
  if (const Known* above = routine_of(c.frame)) {
    mark_silent_from(c.parent, *above, c.frame, c.frame, above->routine->loop_of(c.frame + above->bias));
  }
}

// Whether all that is called by way of the context's frame is called by the one routine. Where it is not, that one or
// the routine it was called from ended with a jump to another.
bool SourceLoops::makes_calls_of(uint32_t context, const Known& called) const {
  if (!has_code(context)) return false;
  if (!index_.update(t_.contexts)) return false;
  bool all = true;
  index_.each_child(context, [&](uint32_t c) {
    all = called.routine->knows(t_.contexts[c].frame + called.bias);
    return all;
  });
  if (!all) return false;
  for (uint32_t s = 1; s < t_.sites.size(); ++s) {
    if (t_.sites[s].context == context) return false;
  }
  return true;
}

}  // namespace leadline::recording
