#include "replay/engine.hpp"

#include <algorithm>
#include <utility>

#include "replay/meetings.inc"
#include "replay/messages.inc"
#include "replay/waits.inc"

namespace leadline::replay {

namespace {

size_t slots_for(size_t requests) {
  size_t slots = 1;
  while (slots < requests) slots *= 2;
  return slots;
}

}  // namespace

template <class Instant>
Engine<Instant>::Engine(const Program& program, const Options& options)
    : program_(program), steady_(options.skip && program.traced.empty()), seed_(options.seed) {
  state_.channels.resize(program.channels.size());
  state_.in_channels = static_cast<uint32_t>(program.channels.size());
  for (size_t i = 0; i < program.channels.size(); ++i) state_.channels[i].ends = program.channels[i];
  state_.ports.resize(program.nodes);
  state_.links_free.resize(program.links);
  for (const std::vector<uint32_t>& members : program.groups) {
    state_.groups.emplace_back().met.resize(members.size());
  }
  for (const Cost& each : program.costs) costs_.emplace_back(each);
  for (const Transfer& t : program.transfers) {
    transfers_.push_back({OneCost(t.latency), OneCost(t.busy), OneCost(t.half_handshake), OneCost(t.port_busy),
                          OneCost(t.link_busy), OneCost(t.hop), t.eager, t.in_place, t.by_port, t.progresses});
  }
  for (const Shape& shape : program.shapes) shapes_.push_back(joined(shape));
  state_.ranks.reserve(program.ranks.size());
  state_.runnable.resize(program.ranks.size());
  for (const RankProgram& own : program.ranks) {
    state_.runnable.push(static_cast<uint32_t>(state_.ranks.size()));
    OneRank& r = state_.ranks.emplace_back(shapes_[own.shape]);
    make_rings(r, own);
    r.drawn.resize(own.series.size());
    r.chosen.resize(own.choices.size());
    r.clock.ps = own.start_ps;
    if (!r.cursor.at_end()) load(r, own);
  }
  find_in_place();
  state_.traces.resize(program.traced.size());
  for (size_t rank = 0; rank < program.traced.size(); ++rank) {
    state_.traces[rank].wanted = program.traced[rank].wanted;
    state_.traces[rank].after = program.traced[rank].after;
  }
  outcome_.mark_ps.assign(program.marks, std::vector<int64_t>(program.ranks.size(), -1));
}

// As many requests as may be waited for later.
template <class Instant>
void Engine<Instant>::make_rings(OneRank& r, const RankProgram& own) {
  size_t oldest[2] = {1, 1}, made[2] = {1, 1};
  for (size_t call = 0; call + 1 < own.first.size(); ++call) {
    size_t here[2] = {0, 0};
    for (uint32_t i = own.first[call]; i < own.first[call + 1]; ++i) {
      const Action& a = own.actions[i];
      synchronous_ = synchronous_ || a.handshake;
      if (a.kind == Action::Kind::series || a.kind == Action::Kind::choose) steady_.forbid();
      if (a.kind == Action::Kind::send || a.kind == Action::Kind::receive || a.kind == Action::Kind::meet) {
        ++here[a.own];
      } else if (a.kind == Action::Kind::wait || a.kind == Action::Kind::withdraw) {
        ending_.resize(std::max<size_t>(ending_.size(), a.count));
        for (uint32_t w = 0; w < a.count; ++w) oldest[a.own] = std::max<size_t>(oldest[a.own], own.ages[a.at + w]);
      }
    }
    for (int i = 0; i < 2; ++i) made[i] = std::max(made[i], here[i]);
  }
  for (int i = 0; i < 2; ++i) {
    const size_t slots = slots_for(std::max(oldest[i], made[i]));
    r.ring[i].base = static_cast<uint32_t>(state_.requests.size());
    r.ring[i].mask = static_cast<uint32_t>(slots - 1);
    state_.requests.resize(state_.requests.size() + slots);
  }
}

template <class Instant>
void Engine<Instant>::find_in_place() {
  for (const RankProgram& own : program_.ranks) {
    for (const Action& a : own.actions) {
      if (a.kind != Action::Kind::send || a.buffered || !program_.transfers[a.transfer].in_place) continue;
      in_place_ = true;
      state_.ranks[program_.channels[a.at].to].gets_in_place = true;
    }
  }
}

template <class Instant>
Outcome Engine<Instant>::run() {
  for (;;) {
    while (!state_.runnable.empty()) {
      prefetch_next();
      go_on(state_.runnable.pop());
    }
    make_events();
    if (state_.events.empty()) break;
    happen(state_.events.pop());
  }
  outcome_.replayed = state_.replayed;
  outcome_.messages = state_.replayed + steady_.skipped();
  for (const OneRank& r : state_.ranks) {
    outcome_.end_ps.push_back(r.clock.ps);
    outcome_.shares.push_back(r.clock.share());
  }
  for (Trace& trace : state_.traces) outcome_.traces.push_back(std::move(trace.calls));
  outcome_.stuck = stuck();
  return std::move(outcome_);
}

// With many ranks, the replay would wait for the memory of the next one otherwise.
template <class Instant>
void Engine<Instant>::prefetch_next() const {
  constexpr size_t far = 6, near = 3;
  const Worklist& next = state_.runnable;
  if (next.size() > far) {
    const char* r = reinterpret_cast<const char*>(&state_.ranks[next[far]]);
    for (size_t at = 0; at < sizeof(OneRank); at += 64) __builtin_prefetch(r + at, 1);
    __builtin_prefetch(&program_.ranks[next[far]]);
  }
  if (next.size() <= near) return;
  const OneRank& r = state_.ranks[next[near]];
  __builtin_prefetch(program_.ranks[next[near]].actions.data() + r.action);
  for (const Ring& ring : r.ring) __builtin_prefetch(state_.requests.data() + ring.base, 1);
  __builtin_prefetch(r.cursor.stack().data(), 1);
}

// Runs the rank until it must wait for others.
template <class Instant>
void Engine<Instant>::go_on(uint32_t rank) {
  OneRank& r = state_.ranks[rank];
  const RankProgram& own = program_.ranks[rank];
  running_ = rank;
  while (!r.cursor.at_end() && act(rank, r, own)) {
    const size_t begins = r.cursor.next();
    if (r.cursor.at_end()) break;
    load(r, own);
    if (!begins) continue;
    if (!rank) steady_.boundary(program_, &state_, begins);  // may pass iterations of all ranks
    if (steady_.allowed() && std::exchange(r.free_run, true)) {
      // It could go on for all of its iterations, and then no state would ever be that of another one.
      r.turn = true;
      state_.events.push(Event::of_rank(r.clock.ps, Event::Kind::turn, rank));
      break;
    }
  }
  running_ = none;
  if (r.cursor.at_end()) {
    r.ended = true;
    contacts(r, never);
  }
  if (!r.leaving.empty()) leave(rank, r);
  if (r.next_contact != never) note(rank, r);
}

// The rest of the actions of its calls; false: the rank must wait.
template <class Instant>
bool Engine<Instant>::act(uint32_t rank, OneRank& r, const RankProgram& own) {
  const Action* const actions = own.actions.data();
  do {
    const Action *a = actions + r.action, *end = actions + r.end;
    for (; a != end; ++a) {
      if (end - a > ahead) prefetch(a[ahead]);
      switch (a->kind) {
        case Action::Kind::compute:
          r.clock = r.clock.after(a->ps);
          continue;
        case Action::Kind::series:
          draw(r, own, *a);
          continue;
        case Action::Kind::mark:
          mark(rank, r, *a);
          continue;
        case Action::Kind::note:
          a->first ? state_.traces[rank].begin(a->at, r.clock.ps) : state_.traces[rank].end(r.clock.ps);
          continue;
        case Action::Kind::choose: {
          r.back = own.first[call_of(own, static_cast<uint32_t>(a - actions)) + 1];
          r.back_end = r.end;
          const Choice::Range& chosen = range_of(own.choices[a->at], r.chosen[a->at]++);
          a = actions + chosen.begin - 1;  // the next one
          end = actions + (r.end = chosen.end);
          continue;
        }
        case Action::Kind::call:
          enter(r);
          r.clock = r.clock + cost(a->cost);
          break;
        case Action::Kind::send:
          enter(r);
          send(rank, r, *a);
          break;
        case Action::Kind::receive:
          enter(r);
          receive(r, *a);
          break;
        case Action::Kind::meet:
          enter(r);
          meet(rank, r, *a);
          break;
        case Action::Kind::wait:
          if (wait(rank, r, own, *a)) break;
          r.action = static_cast<uint32_t>(a - actions);
          return false;
        case Action::Kind::withdraw:
          enter(r);
          withdraw(rank, r, *a);
          break;
      }
      r.in_call_until = r.clock;
      if (r.clock.ps >= r.next_contact) contacts(r, r.clock.ps);
    }
  } while (go_back(r));
  return true;
}

// After a choice.
template <class Instant>
bool Engine<Instant>::go_back(OneRank& r) const {
  if (r.back == none) return false;
  r.action = std::exchange(r.back, none);
  r.end = r.back_end;
  return true;
}

template <class Instant>
void Engine<Instant>::load(OneRank& r, const RankProgram& own) {
  const Element& calls = r.cursor.calls();
  r.action = own.first[calls.index];
  r.end = own.first[calls.index + calls.calls];
}

template <class Instant>
void Engine<Instant>::draw(OneRank& r, const RankProgram& own, const Action& a) {
  const Series& series = own.series[a.at];
  if (series.ps.empty()) return;
  const int64_t* const ps = &series.ps[place_in(series, r.drawn[a.at]++, seed_)];
  __builtin_prefetch(ps + 8);
  r.clock = r.clock.after(*ps);
}

template <class Instant>
void Engine<Instant>::mark(uint32_t rank, const OneRank& r, const Action& a) {
  int64_t& mark = outcome_.mark_ps[a.at][rank];
  if (!a.first || mark < 0) mark = r.clock.ps;
  if (a.at == 1 && !state_.traces.empty() && !program_.all_traced) state_.traces[rank].close();
}

// Messages are all over memory, and that is what the replay would wait for otherwise.
template <class Instant>
inline void Engine<Instant>::prefetch(const Action& a) const {
  if (a.kind == Action::Kind::send || a.kind == Action::Kind::receive) {
    __builtin_prefetch(&state_.channels[a.at], 1);
  }
}

// What waited for the rank's next call, and where the rank was until then.
template <class Instant>
inline void Engine<Instant>::enter(OneRank& r) {
  if (r.clock.ps <= r.in_call_until.ps) return;
  r.entered = r.clock;
  if (r.expected || r.open_sends || r.gets_in_place) {
    note_absence(r);
  } else {
    r.absences.clear();
  }
  r.in_call_until = r.clock;
  if (r.clock.ps >= r.next_contact) contacts(r, r.clock.ps);
}

template <class Instant>
void Engine<Instant>::note_absence(OneRank& r) {
  r.absences.push_back({r.in_call_until.ps, r.clock});
  if (r.absences.size() < r.prune_at) return;
  const int64_t low_ps = std::min(state_.low_ps(), state_.events.empty() ? never : state_.events.top().at_ps);
  std::erase_if(r.absences, [&](const Absence<Instant>& a) { return a.to.ps < low_ps; });
  r.prune_at = std::max<size_t>(256, 2 * r.absences.size());
}

// The rank has stopped, and something of it waits for a time that others might still come before.
template <class Instant>
void Engine<Instant>::note(uint32_t rank, OneRank& r) {
  if (rank == running_ || std::exchange(r.noted, true)) return;
  noted_.push_back(rank);
}

// Often what these ranks waited for was found out meanwhile.
template <class Instant>
void Engine<Instant>::make_events() {
  const auto make = [this](uint32_t rank, Event::Kind kind, int64_t at_ps, int64_t* known) {
    if (at_ps >= *known) return;
    *known = at_ps;
    state_.events.push(Event::of_rank(at_ps, kind, rank));
  };
  for (const uint32_t rank : noted_) {
    OneRank& r = state_.ranks[rank];
    r.noted = false;
    if (r.waiting) make(rank, Event::Kind::contact, r.next_contact, &r.contact_at);
    if (!r.leaving.empty()) {
      make(rank, Event::Kind::leave, state_.message(r.leaving.front()).head.ps, &r.leave_at);
    }
  }
  noted_.clear();
}

// All ranks are blocked, and nothing can happen before.
template <class Instant>
void Engine<Instant>::happen(const Event& event) {
  if (event.kind() == Event::Kind::arrival) return arrive(event.who);
  OneRank& r = state_.ranks[event.who];
  if (event.kind() == Event::Kind::turn) {
    r.turn = false;
    return state_.runnable.push(event.who);
  }
  int64_t& known = event.kind() == Event::Kind::contact ? r.contact_at : r.leave_at;
  if (event.at_ps != known) return;
  known = never;
  if (event.kind() == Event::Kind::contact) {
    if (r.waiting) contacts(r, event.at_ps);
    if (r.next_contact != never) note(event.who, r);
  } else {
    leave_until(r, event.at_ps, true);
    if (!r.leaving.empty()) note(event.who, r);
  }
}

template <class Instant>
uint32_t Engine<Instant>::call_of(const RankProgram& own, uint32_t action) {
  return static_cast<uint32_t>(std::upper_bound(own.first.begin(), own.first.end(), action) - own.first.begin()) - 1;
}

template <class Instant>
bool Engine<Instant>::wait_of(uint32_t rank, Stuck* why) const {
  const OneRank& r = state_.ranks[rank];
  if (r.ended || !r.waiting) return false;
  const RankProgram& own = program_.ranks[rank];
  const uint32_t call = call_of(own, r.back == none ? r.action : r.back - 1);
  const Action& a = own.actions[r.action];
  const Ring& ring = r.ring[a.own];
  uint32_t slot = none;
  for (uint32_t i = 0; i < a.count && slot == none; ++i) {
    const uint32_t each = ring.of_age(own.ages[a.at + i]);
    if (request::plain(state_.requests[each].state) == request::open) slot = each;
  }
  if (slot == none) return false;
  if (const uint32_t message = state_.requests[slot].message; message != none) {
    const OneMessage& m = state_.message(message);
    const bool receives = m.is_posted && m.receive_slot == slot;
    *why = {rank, receives ? Stuck::On::message_from : Stuck::On::receive_of, receives ? ends(m).from : ends(m).to,
            call};
    return true;
  }
  for (size_t g = 0; g < state_.groups.size(); ++g) {
    for (const Meeting<Instant>& meeting : state_.groups[g].open) {
      for (const auto& w : meeting.waiting) {
        if (w.slot != slot) continue;
        for (uint32_t i = 0; i < meeting.here.size(); ++i) {
          if (meeting.here[i]) continue;
          *why = {rank, Stuck::On::collective, program_.groups[g][i], call};
          return true;
        }
      }
    }
  }
  return false;
}

// From the first rank that did not end, each waits for the next; what comes before the circle is left out.
template <class Instant>
std::vector<Stuck> Engine<Instant>::stuck() const {
  std::vector<Stuck> chain;
  std::vector<size_t> place(state_.ranks.size(), SIZE_MAX);
  for (uint32_t start = 0; start < state_.ranks.size(); ++start) {
    if (state_.ranks[start].ended) continue;
    Stuck why;
    uint32_t rank = start;
    while (place[rank] == SIZE_MAX && wait_of(rank, &why)) {
      place[rank] = chain.size();
      chain.push_back(why);
      rank = why.other;
    }
    if (place[rank] != SIZE_MAX) chain.erase(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(place[rank]));
    break;
  }
  return chain;
}

template class Engine<Plain>;
template class Engine<Traced>;

int64_t Outcome::whole_ps() const { return end_ps.empty() ? 0 : *std::max_element(end_ps.begin(), end_ps.end()); }

Share Outcome::share() const {
  if (shares.empty()) return {};
  return shares[static_cast<size_t>(std::max_element(end_ps.begin(), end_ps.end()) - end_ps.begin())];
}

Outcome replay(const Program& program, const Options& options) {
  return options.sensitivities ? Engine<Traced>(program, options).run() : Engine<Plain>(program, options).run();
}

}  // namespace leadline::replay
