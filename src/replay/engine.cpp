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
Engine<Instant>::Engine(const Program& program, const Options& options)
    : program_(program),
      options_(options),
      channels_(program.channels.size()),
      ports_(program.nodes),
      coming_(program.ports ? program.nodes : program.ranks.size()),
      groups_(program.groups.size()),
      steady_(options.skip) {
  for (const RankProgram& own : program.ranks) {
    const auto rank = static_cast<uint32_t>(ranks_.size());
    OneRank& r = ranks_.emplace_back(program.shapes[own.shape]);
    size_t oldest[2] = {1, 1}, made[2] = {1, 1};
    for (uint32_t call = 0; call + 1 < own.first.size(); ++call) {
      size_t here[2] = {0, 0};
      for (uint32_t i = own.first[call]; i < own.first[call + 1]; ++i) {
        const Action& a = own.actions[i];
        synchronous_ = synchronous_ || a.handshake;
        if (a.kind == Action::Kind::series) steady_.forbid();
        if (a.kind == Action::Kind::send || a.kind == Action::Kind::receive || a.kind == Action::Kind::meet) {
          ++here[a.own];
        } else if (a.kind == Action::Kind::wait) {
          for (uint32_t w = 0; w < a.count; ++w) oldest[a.own] = std::max<size_t>(oldest[a.own], own.ages[a.at + w]);
        }
      }
      for (int i = 0; i < 2; ++i) made[i] = std::max(made[i], here[i]);
    }
    for (int i = 0; i < 2; ++i) r.ring[i].slots.resize(slots_for(std::max(oldest[i], made[i])));
    r.drawn.resize(own.series.size());
    r.clock.ps = own.start_ps;
    events_.push({own.start_ps, Event::Kind::rank, rank, rank});
    if (!r.cursor.at_end()) load(r, own);
  }
  for (size_t i = 0; i < groups_.size(); ++i) groups_[i].met.resize(program.groups[i].size());
  outcome_.mark_ps.assign(program.marks, std::vector<int64_t>(program.ranks.size(), -1));
}

template <class Instant>
Outcome Engine<Instant>::run() {
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    now_ps_ = event.at_ps;
    switch (event.kind) {
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
  outcome_.messages = outcome_.replayed + steady_.skipped();
  for (const OneRank& r : ranks_) {
    outcome_.end_ps.push_back(r.clock.ps);
    outcome_.shares.push_back(r.clock.share());
  }
  outcome_.stuck = stuck();
  return std::move(outcome_);
}

// Runs the rank until it must wait for others or for its turn.
template <class Instant>
void Engine<Instant>::go_on(uint32_t rank) {
  OneRank& r = ranks_[rank];
  const RankProgram& own = program_.ranks[rank];
  r.blocked = false;
  while (!r.cursor.at_end()) {
    for (; r.action < r.end; ++r.action, r.begun = false) {
      const Action& a = own.actions[r.action];
      if (a.kind == Action::Kind::series) {
        draw(r, own, a);
      } else if (!perform(rank, r, a)) {
        return;
      }
    }
    const size_t begins = r.cursor.next();
    if (!r.cursor.at_end()) load(r, own);
    if (begins && !rank) steady_.boundary(this, begins);  // may pass iterations of all ranks
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

// Whether nothing that other ranks do earlier can change what the call does.
template <class Instant>
bool Engine<Instant>::may_act(uint32_t rank, const OneRank& r, const Action& a) {
  const bool shared = a.kind == Action::Kind::send && program_.transfers[a.transfer].by_port;
  if ((!r.open_handshakes && !shared) || events_.empty()) return true;
  const Event turn{r.clock.ps, Event::Kind::rank, rank, rank};
  return !(turn > events_.top());
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
      events_.push({r.clock.ps, Event::Kind::rank, rank, rank});
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
    case Action::Kind::compute:
    case Action::Kind::series:
    case Action::Kind::mark:
      break;
  }
  r.in_call_until = r.clock;
  return true;
}

// What waited for the rank's next call.
template <class Instant>
void Engine<Instant>::enter(OneRank& r) {
  if (!r.to_answer.empty()) {
    for (const uint32_t message : r.to_answer) answer(message, r.clock);
    r.to_answer.clear();
  }
  if (!r.to_leave.empty()) {
    for (const uint32_t message : r.to_leave) depart(message, r.clock);
    r.to_leave.clear();
  }
}

template <class Instant>
bool Engine<Instant>::wait(uint32_t rank, OneRank& r, const Action& a) {
  const RankProgram& own = program_.ranks[rank];
  Ring<Instant>& ring = r.ring[a.own];
  // All that are on their way are waited for at once: the last one's turn is everyone's.
  int64_t last_ps = -1;
  for (uint32_t i = r.complete; i < a.count; ++i) {
    const uint32_t slot = ring.of_age(own.ages[a.at + i]);
    OneRequest& request = ring.slots[slot];
    if (request.state != State::open) {
      if (last_ps < 0) r.complete = i + 1;
      continue;
    }
    const OneMessage* m = request.message == none ? nullptr : &messages_[request.message];
    if (!m || !m->departed || m->receive_slot != slot || ends(*m).to != rank) {
      block(r, a.own, slot);
      return false;
    }
    last_ps = std::max(last_ps, m->head.ps);
  }
  if (last_ps >= 0) {
    if (!safe(last_ps)) {
      r.blocked = true;
      events_.push({last_ps, Event::Kind::rank, rank, rank});
      return false;
    }
    serve(port_of(rank), last_ps);
  }
  r.complete = 0;
  settle(rank, r, a);
  return true;
}

// All of its requests are complete.
template <class Instant>
void Engine<Instant>::settle(uint32_t rank, OneRank& r, const Action& a) {
  const RankProgram& own = program_.ranks[rank];
  Ring<Instant>& ring = r.ring[a.own];
  done_.clear();
  bool sorted = true;
  for (uint32_t i = 0; i < a.count; ++i) {
    OneRequest& request = ring.slots[ring.of_age(own.ages[a.at + i])];
    if (request.state != State::complete) continue;
    sorted = sorted && (done_.empty() || done_.back().first.ps <= request.done.ps);
    done_.emplace_back(request.done, request.on_wait);
    request.state = State::empty;
  }
  if (!sorted) {
    std::stable_sort(done_.begin(), done_.end(), [](const auto& x, const auto& y) { return x.first.ps < y.first.ps; });
  }
  r.clock = r.clock + cost(a.cost);
  for (const auto& [done, on_wait] : done_) r.clock = later(r.clock, done) + cost(on_wait);
}

template <class Instant>
void Engine<Instant>::block(OneRank& r, bool own, uint32_t slot) {
  r.blocked = true;
  r.waits_for = slot;
  r.waits_own = own;
}

template <class Instant>
void Engine<Instant>::wake(uint32_t rank, int64_t at_ps) {
  ranks_[rank].waits_for = none;
  events_.push({std::max(at_ps, now_ps_), Event::Kind::rank, rank, rank});
}

template <class Instant>
void Engine<Instant>::complete(uint32_t rank, bool own, uint32_t slot, const Instant& done) {
  OneRank& r = ranks_[rank];
  OneRequest& request = r.ring[own].slots[slot];
  request.state = State::complete;
  request.done = done;
  request.message = none;
  if (r.waits_for == slot && r.waits_own == own) wake(rank, done.ps);
}

template <class Instant>
bool Engine<Instant>::wait_of(uint32_t rank, Stuck* why) const {
  const OneRank& r = ranks_[rank];
  if (r.ended) return false;
  const uint32_t call = r.cursor.call();
  const OneRequest* request = r.waits_for == none ? nullptr : &r.ring[r.waits_own].slots[r.waits_for];
  if (!request) return false;
  if (request->message != none) {
    const OneMessage& m = messages_[request->message];
    const bool receives = m.is_posted && ends(m).to == rank && m.receive_slot == r.waits_for;
    *why = {rank, receives ? Stuck::On::message_from : Stuck::On::receive_of, receives ? ends(m).from : ends(m).to,
            call};
    return true;
  }
  for (size_t g = 0; g < groups_.size(); ++g) {
    for (const Meeting<Instant>& meeting : groups_[g].open) {
      for (const auto& w : meeting.waiting) {
        if (w.rank != rank || w.slot != r.waits_for || w.own != r.waits_own) continue;
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
  std::vector<size_t> place(ranks_.size(), SIZE_MAX);
  for (uint32_t start = 0; start < ranks_.size(); ++start) {
    if (ranks_[start].ended) continue;
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
