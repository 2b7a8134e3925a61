// What becomes of messages: matching, handshakes, ports.
#pragma once

#include "replay/engine.hpp"

namespace leadline::replay {

// The message that the action sends or receives: the oldest one of its channel whose other side is known already, or a
// new one.
template <class Instant>
uint32_t Engine<Instant>::match(const Action& a, bool sends) {
  Queue& channel = channels_[a.at];
  if (!channel.empty() && channel.sends != sends) return channel.take();
  uint32_t found;
  if (free_.empty()) {
    found = static_cast<uint32_t>(messages_.size());
    messages_.emplace_back();
    question_at_.emplace_back();
  } else {
    found = free_.back();
    free_.pop_back();
    messages_[found] = {};
  }
  messages_[found].channel = a.at;
  messages_[found].own = a.own;
  channel.sends = sends;
  channel.messages.push_back(found);
  return found;
}

template <class Instant>
void Engine<Instant>::send(uint32_t rank, OneRank& r, const Action& a) {
  r.clock = r.clock + cost(a.cost);
  const uint32_t slot = r.ring[a.own].make();
  const uint32_t number = match(a, true);
  OneMessage& m = messages_[number];
  m.is_sent = true;
  m.sent = r.clock;
  m.number = r.sent++;
  m.transfer = a.transfer;
  m.send_slot = slot;
  m.buffered = a.buffered;
  m.asks = a.handshake || !program_.transfers[a.transfer].eager;
  ++outcome_.replayed;
  OneRequest& request = r.ring[a.own].slots[slot];
  request = {};
  if (m.buffered || !m.asks) {
    request.state = State::complete;
    request.done = r.clock;
  } else {
    request.state = State::open;
    request.message = number;
  }
  if (m.asks) {
    ++r.open_handshakes;
    question_at_[number] = r.clock + program_.transfers[m.transfer].half_handshake;
    events_.push({question_at_[number].ps, Event::Kind::question, number, uint64_t{rank} << 40 | m.number});
    return;
  }
  if (m.expected) {
    m.expected = false;
    --ranks_[ends(m).to].open_handshakes;
  }
  depart(number, r.clock);
}

template <class Instant>
void Engine<Instant>::receive(OneRank& r, const Action& a) {
  r.clock = r.clock + cost(a.cost);
  const uint32_t slot = r.ring[a.own].make();
  const uint32_t number = match(a, false);
  OneMessage& m = messages_[number];
  m.is_posted = true;
  m.posted = r.clock;
  m.receive_slot = slot;
  OneRequest& request = r.ring[a.own].slots[slot];
  request = {};
  request.state = State::open;
  request.message = number;
  request.on_wait = a.on_wait;
  if (m.is_served) {
    request.state = State::complete;
    request.done = later(r.clock, m.arrived);
    return release(number);
  }
  if (m.is_sent && m.asks && m.asked) return answer(number, r.clock);
  if (m.is_sent ? m.asks : synchronous_ || !program_.transfers[a.transfer].eager) {
    m.expected = true;
    ++r.open_handshakes;
  }
}

template <class Instant>
bool Engine<Instant>::in_call(uint32_t rank, int64_t at_ps) const {
  const OneRank& r = ranks_[rank];
  return program_.progress || r.blocked || r.ended || at_ps <= r.in_call_until.ps;
}

// The question has reached the receiver.
template <class Instant>
void Engine<Instant>::question(uint32_t message, int64_t at_ps) {
  OneMessage& m = messages_[message];
  m.asked = true;
  if (!m.is_posted) return;
  if (m.posted.ps >= at_ps) return answer(message, m.posted);
  const uint32_t to = ends(m).to;
  if (in_call(to, at_ps)) return answer(message, question_at_[message]);
  ranks_[to].to_answer.push_back(message);
}

template <class Instant>
void Engine<Instant>::answer(uint32_t message, const Instant& at) {
  OneMessage& m = messages_[message];
  if (m.expected) {
    m.expected = false;
    --ranks_[ends(m).to].open_handshakes;
  }
  question_at_[message] = at + program_.transfers[m.transfer].half_handshake;
  events_.push({question_at_[message].ps, Event::Kind::answer, message, uint64_t{ends(m).from} << 40 | m.number});
}

// The answer has reached the sender.
template <class Instant>
void Engine<Instant>::answered(uint32_t message) {
  OneMessage& m = messages_[message];
  m.answered = true;
  const uint32_t from = ends(m).from;
  if (in_call(from, question_at_[message].ps)) return depart(message, question_at_[message]);
  ranks_[from].to_leave.push_back(message);
}

template <class Instant>
void Engine<Instant>::depart(uint32_t message, const Instant& ready) {
  OneMessage& m = messages_[message];
  const Transfer& t = program_.transfers[m.transfer];
  const auto [from, to] = ends(m);
  OneRank& sender = ranks_[from];
  Instant leaves = later(ready, sender.out_free);
  if (t.by_port) {
    Port<Instant>& node = ports_[program_.ranks[from].node];
    leaves = later(leaves, node.out_free);
    node.out_free = leaves + t.port_busy;
  }
  sender.out_free = leaves + t.busy;
  m.head = leaves + t.latency;
  m.departed = true;
  if (m.asks) {
    --sender.open_handshakes;
    if (!m.buffered) complete(from, m.own, m.send_slot, sender.out_free);
  }
  if (!t.in_order()) return arrive(message, m.head);
  std::vector<Coming>& coming = coming_[port_of(to)];
  coming.push_back({m.head.ps, from, m.number, message});
  std::push_heap(coming.begin(), coming.end(), std::greater<>());
  const OneRank& receiver = ranks_[to];
  if (m.is_posted && receiver.waits_for == m.receive_slot && receiver.waits_own == m.own) wake(to, m.head.ps);
}

// Lets through what arrives up to that time; nothing that is sent later can arrive before.
template <class Instant>
void Engine<Instant>::serve(uint32_t group, int64_t until_ps) {
  std::vector<Coming>& coming = coming_[group];
  while (!coming.empty() && coming.front().head_ps <= until_ps) {
    const uint32_t message = coming.front().message;
    std::pop_heap(coming.begin(), coming.end(), std::greater<>());
    coming.pop_back();
    const OneMessage& m = messages_[message];
    const Transfer& t = program_.transfers[m.transfer];
    OneRank& receiver = ranks_[ends(m).to];
    receiver.in_free = later(m.head, receiver.in_free) + t.busy;
    if (t.by_port) {
      Port<Instant>& node = ports_[program_.ranks[ends(m).to].node];
      node.in_free = later(m.head, node.in_free) + t.port_busy;
      receiver.in_free = later(receiver.in_free, node.in_free);
    }
    arrive(message, receiver.in_free);
  }
}

template <class Instant>
void Engine<Instant>::arrive(uint32_t message, const Instant& at) {
  OneMessage& m = messages_[message];
  m.is_served = true;
  m.arrived = at;
  if (!m.is_posted) return;
  complete(ends(m).to, m.own, m.receive_slot, later(at, m.posted));
  release(message);
}

template <class Instant>
void Engine<Instant>::release(uint32_t message) {
  free_.push_back(message);
}

// --- Meetings: collectives that no schedule describes
// -----------------------------------------------------------------

template <class Instant>
void Engine<Instant>::meet(uint32_t rank, OneRank& r, const Action& a) {
  Group<Instant>& group = groups_[a.at];
  const uint32_t member = a.count;
  const size_t members = group.met.size();
  const uint64_t number = group.met[member]++ - group.closed;
  while (group.open.size() <= number) {
    group.open.emplace_back();
    group.open.back().times.resize(members);
    group.open.back().here.resize(members);
  }
  const uint32_t slot = r.ring[a.own].make();
  r.ring[a.own].slots[slot] = {State::open, 0, none, {}};
  Meeting<Instant>& meeting = group.open[number];
  meeting.last = meeting.came ? later(meeting.last, r.clock) : r.clock;
  ++meeting.came;
  meeting.times[member] = r.clock;
  meeting.here[member] = true;
  if (member == a.root) {
    meeting.root = r.clock;
    meeting.root_came = true;
  }
  meeting.waiting.push_back({member, rank, slot, a.cost, a.meeting, a.own, member == a.root});
  finish(group, meeting);
  while (!group.open.empty() && group.open.front().came == members && group.open.front().waiting.empty()) {
    group.open.pop_front();
    ++group.closed;
  }
}

template <class Instant>
void Engine<Instant>::finish(Group<Instant>& group, Meeting<Instant>& meeting) {
  const bool all = meeting.came == group.met.size();
  size_t kept = 0;
  for (const auto& w : meeting.waiting) {
    Instant at = meeting.times[w.member];
    bool known = all;
    switch (w.kind) {
      case Action::Meeting::all:
        if (all) at = meeting.last;
        break;
      case Action::Meeting::to_root:  // a rank that is not the root waits for nobody
        known = all || !w.is_root;
        if (w.is_root && all) at = meeting.last;
        break;
      case Action::Meeting::from_root:
        known = meeting.root_came;
        if (known) at = later(at, meeting.root);
        break;
      case Action::Meeting::prefix:
        known = true;
        for (uint32_t i = 0; i <= w.member; ++i) {
          known = known && meeting.here[i];
          at = later(at, meeting.times[i]);
        }
        break;
    }
    if (!known) {
      meeting.waiting[kept++] = w;
      continue;
    }
    complete(w.rank, w.own, w.slot, at + cost(w.cost));
  }
  meeting.waiting.resize(kept);
}

}  // namespace leadline::replay
