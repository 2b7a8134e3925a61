#include "replay/steady.hpp"

#include <algorithm>

#include "replay/engine.hpp"

namespace leadline::replay {

namespace {

constexpr size_t most_snapshots = 16;    // the longest period
constexpr uint64_t tried_at_first = 64;  // boundaries; later some each time their number has doubled
constexpr uint64_t fewest_trips = 4;     // not worth trying below

class Hash {
 public:
  void add(uint64_t word) {
    a_ = (a_ ^ word) * 0xff51afd7ed558ccd;
    a_ ^= a_ >> 32;
    b_ = (b_ + word) * 0xc4ceb9fe1a85ec53;
    b_ ^= b_ >> 29;
  }
  uint64_t a() const { return a_; }
  uint64_t b() const { return b_; }

 private:
  uint64_t a_ = 0x2545f4914f6cdd1d, b_ = 0x9e3779b97f4a7c15;
};

// Adds the state relative to a time.
template <class Instant>
class Relative {
 public:
  Relative(const Program& program, const std::vector<Rank<Instant>>& ranks,
           const std::vector<Message<Instant>>& messages, const std::vector<Instant>& questions, const Instant& zero,
           int64_t now_ps)
      : program_(program), ranks_(ranks), messages_(messages), questions_(questions), zero_(zero), now_ps_(now_ps) {}

  void add(uint64_t word) { hash_.add(word); }
  void time(const Instant& at) {
    add(static_cast<uint64_t>(at.ps - zero_.ps));
    if constexpr (Instant::traced) {
      const Share share = at.counts - zero_.counts;
      add(static_cast<uint64_t>(share.latencies));
      add(static_cast<uint64_t>(share.overheads));
      add(static_cast<uint64_t>(share.gaps));
      add(static_cast<uint64_t>(share.gap_bytes));
    }
  }
  // A time that only matters if it is later than others, which are at `low` or later: all earlier values are
  // equivalent.
  void time_after(const Instant& at, int64_t low_ps) {
    if (at.ps > low_ps) return time(at);
    add(0x6a09e667f3bcc909);
  }
  void message(uint32_t number) {
    const Message<Instant>& m = messages_[number];
    const Ends& ends = program_.channels[m.channel];
    add(uint64_t{m.channel} << 32 | m.transfer);
    add(m.own | m.is_sent << 1 | m.is_posted << 2 | m.asks << 3 | m.asked << 4 | m.answered << 5 | m.departed << 6 |
        m.is_served << 7 | m.buffered << 8 | m.expected << 9);
    if (m.is_sent) {
      add(ranks_[ends.from].sent - m.number);
      add(age(ends.from, m.own, m.send_slot));
      if (m.asks && !m.departed) time(questions_[number]);
    }
    if (m.is_posted) {
      time(m.posted);
      add(age(ends.to, m.own, m.receive_slot));
    }
    if (m.departed) time(m.head);
    if (m.is_served) time(m.arrived);
  }
  uint64_t age(uint32_t rank, bool own, uint32_t slot) const {
    const Ring<Instant>& ring = ranks_[rank].ring[own];
    return (ring.made - slot) & (ring.slots.size() - 1);
  }
  int64_t now_ps() const { return now_ps_; }
  const Hash& hash() const { return hash_; }

 private:
  const Program& program_;
  const std::vector<Rank<Instant>>& ranks_;
  const std::vector<Message<Instant>>& messages_;
  const std::vector<Instant>& questions_;
  const Instant zero_;
  const int64_t now_ps_;
  Hash hash_;
};

template <class Instant>
void add_rank(Relative<Instant>* state, const Rank<Instant>& r, int64_t low_ps) {
  for (const Cursor::Place& place : r.cursor.stack()) state->add(reinterpret_cast<uintptr_t>(place.element));
  state->add(r.action | uint64_t{r.end} << 32);
  state->add(r.begun | r.blocked << 1 | r.ended << 2 | r.waits_own << 3 | uint64_t{r.open_handshakes} << 8);
  const Ring<Instant>& waited = r.ring[r.waits_own];
  state->add(r.waits_for == none ? UINT64_MAX : (waited.made - r.waits_for) & (waited.slots.size() - 1));
  state->time(r.clock);
  state->time_after(r.in_call_until, state->now_ps() - 1);
  state->time_after(r.out_free, state->now_ps());
  state->time_after(r.in_free, low_ps);
  for (const Ring<Instant>& ring : r.ring) {
    for (uint64_t age = 1; age <= ring.slots.size(); ++age) {
      const Request<Instant>& request = ring.slots[ring.of_age(static_cast<uint32_t>(age))];
      if (request.state == Request<Instant>::State::empty) continue;
      const bool complete = request.state == Request<Instant>::State::complete;
      state->add(age << 2 | complete << 1 | uint64_t{request.on_wait} << 32);
      if (complete) state->time_after(request.done, r.clock.ps);
    }
  }
  for (const uint32_t message : r.to_answer) state->message(message);
  state->add(r.to_answer.size());
  for (const uint32_t message : r.to_leave) state->message(message);
  state->add(r.to_leave.size());
}

template <class Instant>
void add_group(Relative<Instant>* state, const Group<Instant>& group) {
  for (const uint64_t met : group.met) state->add(met - group.closed);
  for (const Meeting<Instant>& meeting : group.open) {
    state->add(meeting.came);
    for (size_t i = 0; i < meeting.here.size(); ++i) {
      state->add(meeting.here[i]);
      if (meeting.here[i]) state->time(meeting.times[i]);
    }
    for (const auto& w : meeting.waiting) state->add(uint64_t{w.rank} << 32 | w.cost);
  }
}

template <class Instant>
void shift(Instant* at, int64_t ps, const Share& share) {
  at->ps += ps;
  if constexpr (Instant::traced) at->counts = at->counts + share;
}

}  // namespace

template <class Instant>
typename Steady<Instant>::Snapshot Steady<Instant>::take(Engine<Instant>* engine) {
  Snapshot snapshot;
  const Instant zero = engine->ranks_.front().clock;
  Relative<Instant> state(engine->program_, engine->ranks_, engine->messages_, engine->question_at_, zero,
                          engine->now_ps_);
  state.add(static_cast<uint64_t>(engine->now_ps_ - zero.ps));
  int64_t low_ps = engine->now_ps_;
  for (std::vector<Coming>& coming : engine->coming_) {
    std::sort(coming.begin(), coming.end(), [](const Coming& a, const Coming& b) { return b > a; });  // still a heap
    if (!coming.empty()) low_ps = std::min(low_ps, coming.front().head_ps);
    state.add(coming.size());
    for (const Coming& c : coming) state.message(c.message);
  }
  for (const Rank<Instant>& r : engine->ranks_) {
    add_rank(&state, r, low_ps);
    for (const Cursor::Place& place : r.cursor.stack()) snapshot.trips.push_back(place.left);
  }
  for (const Queue& channel : engine->channels_) {
    if (channel.empty()) continue;
    for (size_t i = channel.next; i < channel.messages.size(); ++i) state.message(channel.messages[i]);
  }
  for (const Port<Instant>& port : engine->ports_) {
    state.time_after(port.out_free, engine->now_ps_);
    state.time_after(port.in_free, low_ps);
  }
  for (const Group<Instant>& group : engine->groups_) add_group(&state, group);
  auto events = engine->events_;
  for (; !events.empty(); events.pop()) {
    const Event& e = events.top();
    state.add(static_cast<uint64_t>(e.at_ps - zero.ps));
    state.add(static_cast<uint64_t>(e.kind));
    if (e.kind == Event::Kind::rank) {
      state.add(e.who);
    } else {
      state.message(e.who);
    }
  }
  snapshot.hash[0] = state.hash().a();
  snapshot.hash[1] = state.hash().b();
  snapshot.at = zero;
  snapshot.replayed = engine->outcome_.replayed + skipped_;
  return snapshot;
}

template <class Instant>
bool Steady<Instant>::wanted(const Loop& loop) const {
  if (loop.boundaries <= tried_at_first) return true;
  uint64_t power = tried_at_first;
  while (power * 2 <= loop.boundaries) power *= 2;
  return loop.boundaries - power < most_snapshots + 1;
}

template <class Instant>
void Steady<Instant>::boundary(Engine<Instant>* engine, size_t depth) {
  if (!allowed_) return;
  const Cursor::Place& place = engine->ranks_.front().cursor.stack()[depth - 1];
  if (loops_.size() > depth) loops_.resize(depth);
  if (loops_.size() < depth) loops_.resize(depth);
  Loop& loop = loops_[depth - 1];
  if (loop.element != place.element) {
    loop = {};
    loop.element = place.element;
  }
  ++loop.boundaries;
  if (place.left < fewest_trips || !wanted(loop)) return;
  const Snapshot now = take(engine);
  for (auto before = loop.snapshots.rbegin(); before != loop.snapshots.rend(); ++before) {
    if (before->hash[0] != now.hash[0] || before->hash[1] != now.hash[1]) continue;
    const uint64_t number = periods(*before, now);
    if (!number) continue;
    pass(engine, *before, now, number);
    loop = {};
    return;
  }
  if (loop.snapshots.size() == most_snapshots) loop.snapshots.erase(loop.snapshots.begin());
  loop.snapshots.push_back(now);
}

template <class Instant>
uint64_t Steady<Instant>::periods(const Snapshot& before, const Snapshot& now) const {
  if (before.trips.size() != now.trips.size()) return 0;
  uint64_t most = UINT64_MAX;
  for (size_t i = 0; i < now.trips.size(); ++i) {
    if (before.trips[i] == now.trips[i]) continue;
    if (before.trips[i] < now.trips[i]) return 0;
    const uint64_t each = before.trips[i] - now.trips[i];
    // No loop may end within a period: each period begins with more iterations than it takes.
    most = std::min(most, now.trips[i] > each ? (now.trips[i] - 1) / each : 0);
  }
  return most == UINT64_MAX ? 0 : most;
}

template <class Instant>
void Steady<Instant>::pass(Engine<Instant>* engine, const Snapshot& before, const Snapshot& now, uint64_t periods) {
  const auto times = static_cast<int64_t>(periods);
  const int64_t ps = (now.at.ps - before.at.ps) * times;
  const Share share = (now.at.share() - before.at.share()) * times;
  const auto move = [&](Instant* at) { shift(at, ps, share); };
  size_t trip = 0;
  for (Rank<Instant>& r : engine->ranks_) {
    for (Instant* at : {&r.clock, &r.in_call_until, &r.out_free, &r.in_free}) move(at);
    for (Ring<Instant>& ring : r.ring) {
      for (Request<Instant>& request : ring.slots) move(&request.done);
    }
    for (Cursor::Place& place : r.cursor.stack()) {
      place.left -= (before.trips[trip] - now.trips[trip]) * periods;
      ++trip;
    }
  }
  for (Message<Instant>& m : engine->messages_) {
    for (Instant* at : {&m.sent, &m.posted, &m.head, &m.arrived}) move(at);
  }
  for (Instant& at : engine->question_at_) move(&at);
  for (Port<Instant>& port : engine->ports_) {
    move(&port.out_free);
    move(&port.in_free);
  }
  for (std::vector<Coming>& coming : engine->coming_) {
    for (Coming& c : coming) c.head_ps += ps;
  }
  for (Group<Instant>& group : engine->groups_) {
    for (Meeting<Instant>& meeting : group.open) {
      move(&meeting.last);
      move(&meeting.root);
      for (Instant& at : meeting.times) move(&at);
    }
  }
  std::vector<Event> events;
  for (; !engine->events_.empty(); engine->events_.pop()) events.push_back(engine->events_.top());
  for (Event& e : events) {
    e.at_ps += ps;
    engine->events_.push(e);
  }
  engine->now_ps_ += ps;
  skipped_ += (now.replayed - before.replayed) * periods;
}

template class Steady<Plain>;
template class Steady<Traced>;

}  // namespace leadline::replay
