#include "replay/steady.hpp"

#include <algorithm>
#include <utility>

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
    add(m.is_sent << 2 | m.is_posted << 3 | m.asks << 4 | m.answered << 5 | m.departed << 6 | m.coming << 7 |
        m.buffered << 8 | m.expected << 9 | m.untaken << 10 | uint64_t{m.on_wait} << 32);
    if (m.is_sent) {
      add(uint32_t(state_.ranks[ends.from].sent - m.number));
      add(age(ends.from, m.send_slot));
      time(m.head);
    }
    if (m.is_posted) {
      time(m.posted);
      add(age(ends.to, m.receive_slot));
    }
    if (m.coming && program_.transfers[m.transfer].by_port) time(state_.passages[number].delivered);
  }
  // Of a message that has yet to pass links, or the port of the receiver's node.
  void passage(uint32_t number) {
    message(number);
    add(state_.passages[number].links);
    time(state_.passages[number].delivered);
  }
  // `low_ps`: nothing more happens before; of messages that have yet to pass ports, `head_ps`.
  void rank(const Rank<Instant>& r, int64_t low_ps, int64_t head_ps) {
    for (const Cursor::Place& place : r.cursor.stack()) add(reinterpret_cast<uintptr_t>(place.element));
    add(r.action | uint64_t{r.end} << 32);
    add(r.ended | r.waiting << 1 | uint64_t{r.missing} << 8);
    add(r.open_sends | uint64_t{r.unready} << 32);
    add(r.expected);
    time(r.clock);
    time_after(r.in_call_until, low_ps - 1);
    time_after(r.out_free, low_ps);
    for (const Absence<Instant>& a : r.absences) {
      if (a.to.ps <= low_ps) continue;
      time(a.from_ps);
      time(a.to);
    }
    port(r.in, head_ps);
    for (const Ring& ring : r.ring) requests(ring, r.clock.ps);
    for (const std::vector<uint32_t>* waiting : {&r.to_answer, &r.to_leave}) {
      for (const uint32_t each : *waiting) message(each);
      add(waiting->size());
    }
    for (const uint32_t each : r.leaving) message(each);
  }
  const Hash& hash() const { return hash_; }

 private:
  // And of which kind.
  uint64_t age(uint32_t rank, uint32_t slot) const {
    const Ring* ring = state_.ranks[rank].ring;
    const bool own = slot >= ring[1].base;
    return uint64_t{ring[own].age(slot)} << 1 | own;
  }
  void port(const ReceivingPort<Instant>& port, int64_t low_ps) {
    port.for_each_pause([&](const auto& pause) {
      if (pause.end_ps <= low_ps) return;
      time_after(pause.begin, low_ps);
      time(pause.end_ps);
    });
    time_after(port.free(), low_ps);
  }
  void requests(const Ring& ring, int64_t clock_ps) {
    for (uint32_t age = 1; age <= ring.mask + 1; ++age) {
      const Request<Instant>& request = state_.requests[ring.of_age(age)];
      if (request.state == request::over) continue;
      add(uint64_t{age} << 3 | request.state);
      if (request::plain(request.state) == request::complete) {
        time_after(request.done, clock_ps);
      } else if (request.message != none) {
        message(request.message);
      }
    }
  }

  const Program& program_;
  const State<Instant>& state_;
  const Instant zero_;
  Hash hash_;
};

// When the first byte arrives, or may, of messages that have yet to pass a receiving port, if that is before.
template <class Instant>
int64_t first_head(const State<Instant>& state, int64_t low_ps) {
  const auto heed = [&](uint32_t number) {
    const Message<Instant>& m = state.message(number);
    if (m.departed) low_ps = std::min(low_ps, m.head.ps);
  };
  for (const Request<Instant>& request : state.requests) {
    if (request.state != request::over && request.message != none) heed(request.message);
  }
  for (const Channel<Instant>& channel : state.channels) {
    for (uint32_t m = channel.first; m != none; m = state.message(m).next) heed(m);
  }
  return low_ps;
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
typename Steady<Instant>::Snapshot Steady<Instant>::take_quick(const Program& program,
                                                               const State<Instant>& state) const {
  const Instant zero = state.ranks.front().clock;
  Relative<Instant> relative(program, state, zero);
  for (const Rank<Instant>& r : state.ranks) {
    relative.add(r.action);
    relative.time(r.clock);
  }
  return {relative.hash().a(), false, {}, zero, state.replayed + skipped_, {}};
}

template <class Instant>
void Steady<Instant>::take(const Program& program, const State<Instant>& state, Snapshot* snapshot) const {
  Relative<Instant> relative(program, state, snapshot->at);
  const std::vector<Event> events = state.events.all();
  int64_t low_ps = state.low_ps();
  for (const Event& e : events) {
    if (e.kind() == Event::Kind::arrival) low_ps = std::min(low_ps, e.at_ps);
  }
  const int64_t head_ps = first_head(state, low_ps);
  for (const Rank<Instant>& r : state.ranks) {
    relative.rank(r, low_ps, head_ps);
    for (const Cursor::Place& place : r.cursor.stack()) snapshot->left.push_back(place.left);
  }
  for (const Channel<Instant>& channel : state.channels) {
    for (uint32_t m = channel.first; m != none; m = state.message(m).next) relative.message(m);
  }
  for (const Port<Instant>& port : state.ports) {
    relative.time_after(port.out_free, low_ps);
    relative.time_after(port.in_free, low_ps);
  }
  for (const Instant& free : state.links_free) relative.time_after(free, low_ps);
  for (const Group<Instant>& group : state.groups) add_group(&relative, group);
  // Those of ranks follow from what waits for them.
  for (const Event& e : events) {
    if (e.kind() == Event::Kind::arrival) relative.passage(e.who);
  }
  snapshot->hash[0] = relative.hash().a();
  snapshot->hash[1] = relative.hash().b();
  snapshot->whole = true;
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
  Snapshot now = take_quick(program, *state);
  const bool cheap = state->replayed - std::exchange(loop.replayed, state->replayed) >
                     most_snapshots / 4 * (state->channels.size() + state->ranks.size());
  if (cheap) take(program, *state, &now);
  for (auto before = loop.snapshots.rbegin(); before != loop.snapshots.rend(); ++before) {
    if (before->quick != now.quick) continue;
    if (!now.whole) take(program, *state, &now);
    if (!before->whole || before->hash[0] != now.hash[0] || before->hash[1] != now.hash[1]) continue;
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
    for (Instant* at : {&r.clock, &r.entered, &r.in_call_until, &r.out_free, &r.in.free()}) move(at);
    for (int64_t* at_ps : {&r.next_contact, &r.contact_at, &r.leave_at}) *at_ps += *at_ps == never ? 0 : ps;
    for (Absence<Instant>& a : r.absences) {
      a.from_ps += ps;
      move(&a.to);
    }
    r.in.for_each_pause([&](auto& pause) {
      move(&pause.begin);
      pause.end_ps += ps;
    });
    for (Cursor::Place& place : r.cursor.stack()) {
      place.left -= (before.left[place_number] - now.left[place_number]) * periods;
      ++place_number;
    }
  }
  for (Request<Instant>& request : state->requests) move(&request.done);
  for (uint32_t number = 0; number < state->message_count(); ++number) {
    Message<Instant>& m = state->message(number);
    move(&m.posted);
    move(&m.head);
  }
  for (Passage<Instant>& passage : state->passages) move(&passage.delivered);
  for (Instant& at : state->links_free) move(&at);
  for (Port<Instant>& port : state->ports) {
    move(&port.out_free);
    move(&port.in_free);
  }
  for (Group<Instant>& group : state->groups) {
    for (Meeting<Instant>& meeting : group.open) {
      move(&meeting.last);
      move(&meeting.root);
      for (Instant& at : meeting.times) move(&at);
    }
  }
  state->events.delay(ps);
  skipped_ += (now.replayed - before.replayed) * periods;
}

template class Steady<Plain>;
template class Steady<Traced>;

}  // namespace leadline::replay
