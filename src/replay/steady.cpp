#include "replay/steady.hpp"

#include <algorithm>

namespace leadline::replay {

namespace {

constexpr size_t most_snapshots = 16;      // the longest period
constexpr uint64_t tried_at_first = 64;    // boundaries; later some each time their number has doubled
constexpr uint64_t fewest_iterations = 4;  // there is nothing to gain below

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
  Relative(const Program& program, const State<Instant>& state, const Instant& zero)
      : program_(program), state_(state), zero_(zero) {}

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
  void time(int64_t at_ps) { add(static_cast<uint64_t>(at_ps - zero_.ps)); }
  // A time that only matters if it is later than others, which are at `low` or later: all earlier values are
  // equivalent.
  void time_after(const Instant& at, int64_t low_ps) {
    if (at.ps > low_ps) return time(at);
    add(0x6a09e667f3bcc909);
  }
  void message(uint32_t number) {
    const Message<Instant>& m = state_.message(number);
    const Ends& ends = program_.channels[m.channel];
    add(uint64_t{m.channel} << 32 | m.transfer);
    add(m.send_is_own | m.receive_is_own << 1 | m.is_sent << 2 | m.is_posted << 3 | m.asks << 4 | m.asked << 5 |
        m.departed << 6 | m.is_served << 7 | m.buffered << 8 | m.expected << 9 | uint64_t{m.on_wait} << 32);
    if (m.is_sent) {
      add(state_.ranks[ends.from].sent - m.number);
      add(age(ends.from, m.send_is_own, m.send_slot));
      if (m.asks && !m.departed) time(state_.question_at[number]);
    }
    if (m.is_posted) {
      time(m.posted);
      add(age(ends.to, m.receive_is_own, m.receive_slot));
    }
    if (m.departed) time(m.head);
  }
  void rank(const Rank<Instant>& r, int64_t low_ps) {
    for (const Cursor::Place& place : r.cursor.stack()) add(reinterpret_cast<uintptr_t>(place.element));
    add(r.action | uint64_t{r.end} << 32);
    add(r.begun | r.blocked << 1 | r.ended << 2 | r.waiting << 3 | uint64_t{r.open_handshakes} << 8);
    if (r.waiting) {
      add(uint64_t{r.missing} << 1 | r.serves);
      if (r.serves) time(r.last_head_ps);
      if (r.missing) time(std::max(r.wake_ps, state_.now_ps));
    }
    time(r.clock);
    time_after(r.in_call_until, state_.now_ps - 1);
    time_after(r.out_free, state_.now_ps);
    time_after(r.in_free, low_ps);
    for (const Ring<Instant>& ring : r.ring) requests(ring, r.clock.ps);
    for (const std::vector<uint32_t>* waiting : {&r.to_answer, &r.to_leave}) {
      for (const uint32_t each : *waiting) message(each);
      add(waiting->size());
    }
  }
  const Hash& hash() const { return hash_; }

 private:
  uint64_t age(uint32_t rank, bool own, uint32_t slot) const {
    const Ring<Instant>& ring = state_.ranks[rank].ring[own];
    return (ring.made - slot) & (ring.states.size() - 1);
  }
  // Of those that are not complete, the rest is that of their messages.
  void requests(const Ring<Instant>& ring, int64_t clock_ps) {
    for (uint64_t age = 1; age <= ring.states.size(); ++age) {
      const uint32_t slot = ring.of_age(age);
      const uint8_t state = ring.states[slot];
      if (state == request::over) continue;
      const bool complete = request::plain(state) == request::complete;
      add(age << 3 | state | (complete ? uint64_t{ring.slots[slot].on_wait} << 32 : 0));
      if (complete) time_after(ring.slots[slot].done, clock_ps);
    }
  }

  const Program& program_;
  const State<Instant>& state_;
  const Instant zero_;
  Hash hash_;
};

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
typename Steady<Instant>::Snapshot Steady<Instant>::take(const Program& program, State<Instant>* state) const {
  Snapshot snapshot;
  const Instant zero = state->ranks.front().clock;
  Relative<Instant> relative(program, *state, zero);
  relative.time(state->now_ps);
  int64_t low_ps = state->now_ps;
  for (Arrivals& arrivals : state->arrivals) {
    arrivals.sort();
    if (arrivals.size()) low_ps = std::min(low_ps, arrivals.begin()->head_ps);
    relative.add(arrivals.size());
    for (const Coming& c : arrivals) relative.message(c.message);
  }
  for (const Rank<Instant>& r : state->ranks) {
    relative.rank(r, low_ps);
    for (const Cursor::Place& place : r.cursor.stack()) snapshot.left.push_back(place.left);
  }
  for (const Channel<Instant>& channel : state->channels) {
    for (uint32_t m = channel.first; m != none; m = state->message(m).next) relative.message(m);
  }
  for (const Port<Instant>& port : state->ports) {
    relative.time_after(port.out_free, state->now_ps);
    relative.time_after(port.in_free, low_ps);
  }
  for (const Group<Instant>& group : state->groups) add_group(&relative, group);
  for (const Event& e : state->events.all()) {
    relative.time(e.at_ps);
    relative.add(static_cast<uint64_t>(e.kind()));
    if (e.kind() == Event::Kind::rank) {
      relative.add(e.who);
    } else {
      relative.message(e.who);
    }
  }
  snapshot.hash[0] = relative.hash().a();
  snapshot.hash[1] = relative.hash().b();
  snapshot.at = zero;
  snapshot.replayed = state->replayed + skipped_;
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
void Steady<Instant>::boundary(const Program& program, State<Instant>* state, size_t depth) {
  if (!allowed_) return;
  const Cursor::Place& place = state->ranks.front().cursor.stack()[depth - 1];
  if (loops_.size() > depth) loops_.resize(depth);
  if (loops_.size() < depth) loops_.resize(depth);
  Loop& loop = loops_[depth - 1];
  if (loop.element != place.element) {
    loop = {};
    loop.element = place.element;
  }
  ++loop.boundaries;
  if (place.left < fewest_iterations || !wanted(loop)) return;
  const Snapshot now = take(program, state);
  for (auto before = loop.snapshots.rbegin(); before != loop.snapshots.rend(); ++before) {
    if (before->hash[0] != now.hash[0] || before->hash[1] != now.hash[1]) continue;
    const uint64_t number = periods(*before, now);
    if (!number) continue;
    pass(state, *before, now, number);
    loop = {};
    return;
  }
  if (loop.snapshots.size() == most_snapshots) loop.snapshots.erase(loop.snapshots.begin());
  loop.snapshots.push_back(now);
}

template <class Instant>
uint64_t Steady<Instant>::periods(const Snapshot& before, const Snapshot& now) const {
  if (before.left.size() != now.left.size()) return 0;
  uint64_t most = UINT64_MAX;
  for (size_t i = 0; i < now.left.size(); ++i) {
    if (before.left[i] == now.left[i]) continue;
    if (before.left[i] < now.left[i]) return 0;
    const uint64_t each = before.left[i] - now.left[i];
    // A loop must not end within: each period begins with more iterations than it takes.
    most = std::min(most, now.left[i] > each ? (now.left[i] - 1) / each : 0);
  }
  return most == UINT64_MAX ? 0 : most;
}

template <class Instant>
void Steady<Instant>::pass(State<Instant>* state, const Snapshot& before, const Snapshot& now, uint64_t periods) {
  const auto times = static_cast<int64_t>(periods);
  const int64_t ps = (now.at.ps - before.at.ps) * times;
  const Share share = (now.at.share() - before.at.share()) * times;
  const auto move = [&](Instant* at) { shift(at, ps, share); };
  size_t place_number = 0;
  for (Rank<Instant>& r : state->ranks) {
    for (Instant* at : {&r.clock, &r.in_call_until, &r.out_free, &r.in_free}) move(at);
    r.last_head_ps += ps;
    r.wake_ps += ps;
    for (Ring<Instant>& ring : r.ring) {
      for (Request<Instant>& request : ring.slots) move(&request.done);
    }
    for (Cursor::Place& place : r.cursor.stack()) {
      place.left -= (before.left[place_number] - now.left[place_number]) * periods;
      ++place_number;
    }
  }
  for (uint32_t number = 0; number < state->message_count(); ++number) {
    Message<Instant>& m = state->message(number);
    move(&m.posted);
    move(&m.head);
  }
  for (Instant& at : state->question_at) move(&at);
  for (Port<Instant>& port : state->ports) {
    move(&port.out_free);
    move(&port.in_free);
  }
  for (Arrivals& arrivals : state->arrivals) arrivals.delay(ps);
  for (Group<Instant>& group : state->groups) {
    for (Meeting<Instant>& meeting : group.open) {
      move(&meeting.last);
      move(&meeting.root);
      for (Instant& at : meeting.times) move(&at);
    }
  }
  state->events.delay(ps);
  state->now_ps += ps;
  skipped_ += (now.replayed - before.replayed) * periods;
}

template class Steady<Plain>;
template class Steady<Traced>;

}  // namespace leadline::replay
