#include "replay/engine.hpp"

#include <algorithm>

#include "replay/messages.inc"

namespace leadline::replay {

namespace {

size_t slots_for(size_t requests) {
  size_t slots = 1;
  while (slots < requests) slots *= 2;
  return slots;
}

}  // namespace

template <class Instant>
Engine<Instant>::Engine(const Program& program, const Options& options) : program_(program), steady_(options.skip) {
  state_.channels.resize(program.channels.size());
  state_.ports.resize(program.nodes);
  state_.arrivals.resize(program.ports ? program.nodes : program.ranks.size());
  for (const std::vector<uint32_t>& members : program.groups) {
    state_.groups.emplace_back().met.resize(members.size());
  }
  for (const Transfer& t : program.transfers) {
    if (t.in_order()) least_latency_ps_ = std::min(least_latency_ps_, t.latency.ps);
  }
  state_.ranks.reserve(program.ranks.size());
  for (const RankProgram& own : program.ranks) {
    const auto rank = static_cast<uint32_t>(state_.ranks.size());
    OneRank& r = state_.ranks.emplace_back(program.shapes[own.shape]);
    make_rings(r, own);
    r.drawn.resize(own.series.size());
    r.chosen.resize(own.choices.size());
    r.clock.ps = own.start_ps;
    state_.events.push(Event::of_rank(own.start_ps, rank));
    if (!r.cursor.at_end()) load(r, own);
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
        for (uint32_t w = 0; w < a.count; ++w) oldest[a.own] = std::max<size_t>(oldest[a.own], own.ages[a.at + w]);
      }
    }
    for (int i = 0; i < 2; ++i) made[i] = std::max(made[i], here[i]);
  }
  for (int i = 0; i < 2; ++i) r.ring[i].resize(slots_for(std::max(oldest[i], made[i])));
}

template <class Instant>
Outcome Engine<Instant>::run() {
  while (!state_.events.empty()) {
    const Event event = state_.events.pop();
    state_.now_ps = event.at_ps;
    switch (event.kind()) {
      case Event::Kind::question:
        question(event.who, event.at_ps);
        break;
      case Event::Kind::answer:
        answered(event.who);
        break;
      case Event::Kind::rank:
        go_on(event.who);
        break;
    }
  }
  outcome_.replayed = state_.replayed;
  outcome_.messages = state_.replayed + steady_.skipped();
  for (const OneRank& r : state_.ranks) {
    outcome_.end_ps.push_back(r.clock.ps);
    outcome_.shares.push_back(r.clock.share());
  }
  outcome_.stuck = stuck();
  return std::move(outcome_);
}

// Runs the rank until it must wait for others or for its turn.
template <class Instant>
void Engine<Instant>::go_on(uint32_t rank) {
  OneRank& r = state_.ranks[rank];
  const RankProgram& own = program_.ranks[rank];
  r.blocked = false;
  while (!r.cursor.at_end()) {
    for (; r.action < r.end; ++r.action, r.begun = false) {
      const Action& a = own.actions[r.action];
      prefetch(own, r.action + 8);
      if (a.kind == Action::Kind::series) {
        draw(r, own, a);
      } else if (a.kind == Action::Kind::choose) {
        const Choice::Range& chosen = range_of(own.choices[a.at], r.chosen[a.at]++);
        r.action = chosen.begin - 1;  // the next one
        r.end = chosen.end;
      } else if (!perform(rank, r, a)) {
        return;
      }
    }
    const size_t begins = r.cursor.next();
    if (!r.cursor.at_end()) load(r, own);
    if (begins && !rank) steady_.boundary(program_, &state_, begins);  // may pass iterations of all ranks
  }
  r.ended = true;
  enter(r);
}

template <class Instant>
void Engine<Instant>::load(OneRank& r, const RankProgram& own) {
  const uint32_t call = r.cursor.call();
  r.action = own.first[call];
  r.end = own.first[call + 1];
}

template <class Instant>
void Engine<Instant>::draw(OneRank& r, const RankProgram& own, const Action& a) {
  const Series& series = own.series[a.at];
  if (series.ps.empty()) return;
  r.clock = r.clock.after(series.ps[place_in(series, r.drawn[a.at]++)]);
}

// Messages are all over memory, and that is what the replay would wait for otherwise.
template <class Instant>
void Engine<Instant>::prefetch(const RankProgram& own, size_t action) const {
  if (action >= own.actions.size()) return;
  const Action& a = own.actions[action];
  if (a.kind == Action::Kind::send || a.kind == Action::Kind::receive) {
    __builtin_prefetch(&state_.channels[a.at], 1);
  }
}

// Whether nothing that other ranks do earlier can change what the call does.
template <class Instant>
bool Engine<Instant>::may_act(uint32_t rank, const OneRank& r, const Action& a) {
  const bool shared = a.kind == Action::Kind::send && program_.transfers[a.transfer].by_port;
  if ((!r.open_handshakes && !shared) || state_.events.empty()) return true;
  return !(state_.events.top() < Event::of_rank(r.clock.ps, rank));
}

template <class Instant>
bool Engine<Instant>::perform(uint32_t rank, OneRank& r, const Action& a) {
  if (a.kind == Action::Kind::compute) {
    r.clock = r.clock.after(a.ps);
    return true;
  }
  if (a.kind == Action::Kind::mark) {
    int64_t& mark = outcome_.mark_ps[a.at][rank];
    if (!a.first || mark < 0) mark = r.clock.ps;
    return true;
  }
  if (!r.begun) {
    if (!may_act(rank, r, a)) {
      state_.events.push(Event::of_rank(r.clock.ps, rank));
      return false;
    }
    r.begun = true;
    enter(r);
  }
  switch (a.kind) {
    case Action::Kind::call:
      r.clock = r.clock + cost(a.cost);
      break;
    case Action::Kind::send:
      send(rank, r, a);
      break;
    case Action::Kind::receive:
      receive(r, a);
      break;
    case Action::Kind::meet:
      meet(rank, r, a);
      break;
    case Action::Kind::wait:
      if (!wait(rank, r, a)) return false;
      break;
    case Action::Kind::withdraw:
      withdraw(rank, r, a);
      break;
    case Action::Kind::compute:
    case Action::Kind::series:
    case Action::Kind::choose:
    case Action::Kind::mark:
      break;
  }
  r.in_call_until = r.clock;
  return true;
}

// What waited for the rank's next call.
template <class Instant>
void Engine<Instant>::enter(OneRank& r) {
  if (!r.leaves) return;
  r.leaves = false;
  for (const uint32_t message : r.to_answer) answer(message, r.clock);
  r.to_answer.clear();
  for (const uint32_t message : r.to_leave) depart(message, r.clock);
  r.to_leave.clear();
}

template <class Instant>
bool Engine<Instant>::wait(uint32_t rank, OneRank& r, const Action& a) {
  const RankProgram& own = program_.ranks[rank];
  if (!r.waiting) {
    begin_wait(r, own, a);
    if (r.missing) {
      r.blocked = true;
      return false;
    }
  }
  done_.clear();
  if (r.serves) {
    if (!safe(r.last_head_ps)) {
      r.blocked = true;
      state_.events.push(Event::of_rank(r.last_head_ps, rank));
      return false;
    }
    settling_ = rank;
    serve(port_of(rank), r.last_head_ps);
    settling_ = none;
  }
  r.waiting = false;
  settle(r, own, a);
  return true;
}

// Counts the requests whose end is not known yet. Who makes it known counts down; then it is the rank's turn.
template <class Instant>
void Engine<Instant>::begin_wait(OneRank& r, const RankProgram& own, const Action& a) {
  Ring<Instant>& ring = r.ring[a.own];
  r.waiting = true;
  r.serves = false;
  r.missing = 0;
  r.last_head_ps = r.wake_ps = 0;
  const uint32_t* ages = own.ages.data() + a.at;
  for (uint32_t i = 0; i < a.count; ++i) {
    const uint32_t slot = ring.of_age(ages[i]);
    uint8_t& state = ring.states[slot];
    if (state == request::open) {
      state |= request::awaited;
      ++r.missing;
    } else if (state == request::departed) {
      state |= request::awaited;
      r.serves = true;
      r.last_head_ps = std::max(r.last_head_ps, ring.slots[slot].done.ps);
    }
  }
}

// All requests of the wait are complete. Those that were before it began cost their processor time in any order.
template <class Instant>
void Engine<Instant>::settle(OneRank& r, const RankProgram& own, const Action& a) {
  Ring<Instant>& ring = r.ring[a.own];
  const uint32_t* ages = own.ages.data() + a.at;
  const size_t served = done_.size();
  r.clock = r.clock + cost(a.cost);
  for (uint32_t i = 0; i < a.count; ++i) {
    const uint32_t slot = ring.of_age(ages[i]);
    if (request::plain(ring.states[slot]) != request::complete) continue;
    ring.states[slot] = request::over;
    const OneRequest& request = ring.slots[slot];
    if (request.done.ps <= r.clock.ps) {
      r.clock = r.clock + cost(request.on_wait);
    } else {
      done_.emplace_back(request.done, request.on_wait);
    }
  }
  if (done_.size() != served) {
    std::stable_sort(done_.begin(), done_.end(), [](const auto& x, const auto& y) { return x.first.ps < y.first.ps; });
  }
  for (const auto& [done, on_wait] : done_) r.clock = later(r.clock, done) + cost(on_wait);
}

// The end of a request that the rank waits for, or the time at which its message will arrive.
template <class Instant>
void Engine<Instant>::know(uint32_t rank, int64_t at_ps) {
  OneRank& r = state_.ranks[rank];
  r.wake_ps = std::max(r.wake_ps, at_ps);
  if (--r.missing) return;
  state_.events.push(Event::of_rank(std::max(r.wake_ps, state_.now_ps), rank));
}

template <class Instant>
void Engine<Instant>::complete(uint32_t rank, bool own, uint32_t slot, const Instant& done, uint32_t on_wait) {
  Ring<Instant>& ring = state_.ranks[rank].ring[own];
  uint8_t& state = ring.states[slot];
  const bool was_missing = state == (request::open | request::awaited);
  state = request::complete | (state & request::awaited);
  ring.slots[slot] = {done, on_wait, none};
  if (was_missing) know(rank, done.ps);
}

template <class Instant>
bool Engine<Instant>::wait_of(uint32_t rank, Stuck* why) const {
  const OneRank& r = state_.ranks[rank];
  if (r.ended || !r.waiting) return false;
  const uint32_t call = r.cursor.call();
  const RankProgram& own = program_.ranks[rank];
  const Action& a = own.actions[r.action];
  const Ring<Instant>& ring = r.ring[a.own];
  uint32_t slot = none;
  for (uint32_t i = 0; i < a.count && slot == none; ++i) {
    const uint32_t each = ring.of_age(own.ages[a.at + i]);
    if (request::plain(ring.states[each]) == request::open) slot = each;
  }
  if (slot == none) return false;
  if (const uint32_t message = ring.slots[slot].message; message != none) {
    const OneMessage& m = state_.message(message);
    const bool receives = m.is_posted && ends(m).to == rank && m.receive_slot == slot && m.receive_is_own == a.own;
    *why = {rank, receives ? Stuck::On::message_from : Stuck::On::receive_of, receives ? ends(m).from : ends(m).to,
            call};
    return true;
  }
  for (size_t g = 0; g < state_.groups.size(); ++g) {
    for (const Meeting<Instant>& meeting : state_.groups[g].open) {
      for (const auto& w : meeting.waiting) {
        if (w.rank != rank || w.slot != slot || w.own != a.own) continue;
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
