// Calls while recording is paused. They are passed on. The recorder keeps only what later calls need: communicators,
// windows and files that are made or freed, persistent requests, matched messages, and which requests are under way.
#pragma once

#include "recorder/wrappers/record.hpp"

namespace leadline::recorder {

// What is done with the calls of a class meanwhile: `paused` in api/semantics.toml.
constexpr bool always_recorded(CallClass c) { return facts_of(c).paused == WhilePaused::recorded; }

// Calls that make requests. If made while paused, the recorder only notes that their completion has no known maker.
constexpr bool makes_request(CallClass c) { return facts_of(c).paused == WhilePaused::entered; }

constexpr bool completes_requests(CallClass c) { return facts_of(c).paused == WhilePaused::completed; }

// Made once and used often: recorded in full, except for the event itself.
constexpr bool makes_or_frees(CallClass c) { return facts_of(c).paused == WhilePaused::kept; }

// Whether anything is to be done at all.
constexpr bool leaves_traces(CallClass c) {
  return facts_of(c).paused != WhilePaused::passed && facts_of(c).paused != WhilePaused::recorded;
}

// The request at the address has just been made, by a call that is not among the events.
void enter_while_paused(Thread& t, Word address);
void before_paused_call(Call& call);
void after_paused_call(Call& call);

}  // namespace leadline::recorder
