// The state of a replay: of ranks, messages under way, ports and meetings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "replay/cursor.hpp"
#include "replay/events.hpp"
#include "replay/instant.hpp"
#include "replay/port.hpp"
#include "replay/program.hpp"
#include "replay/replay.hpp"

namespace leadline::replay {

inline constexpr uint32_t none = UINT32_MAX;
inline constexpr int64_t never = INT64_MAX;

// A request is over as soon as it can no longer make a wait longer, as that of an eager send at once.
namespace request {
inline constexpr uint8_t over = 0, open = 1;
inline constexpr uint8_t coming = 2;    // it is known when its message arrives
inline constexpr uint8_t complete = 3;  // it is known when
inline constexpr uint8_t awaited = 4;   // and the wait is under way
inline uint8_t plain(uint8_t state) { return state & 3; }
}  // namespace request

template <class Instant>
struct Request {
  Instant done;             // of a complete one
  uint32_t message = none;  // of an open or coming one
  uint8_t state = request::over;
};

// A rank's requests by age: where they are among those of all ranks. Those of calls and those of the schedules of
// collectives are counted apart.
struct Ring {
  uint32_t base = 0, mask = 0, made = 0;  // mask + 1 slots, a power of two

  uint32_t make() { return base + (made++ & mask); }
  uint32_t of_age(uint32_t age) const { return base + ((made - age) & mask); }
  uint32_t age(uint32_t slot) const { return (made - (slot - base)) & mask; }
};

template <class Instant>
struct Message {
  Instant posted;
  // When its question arrives; once it is answered, when the answer arrives; then when it is ready to leave; once it
  // has left, when its first byte arrives.
  Instant head;
  uint32_t number = 0;  // among the sender's
  uint32_t channel = 0;
  uint32_t transfer = 0;
  uint32_t send_slot = none, receive_slot = none;  // among the requests
  uint32_t on_wait = 0;                            // cost
  uint32_t next = none;                            // in the channel's queue
  bool used : 1 = false;
  bool is_sent : 1 = false, is_posted : 1 = false;
  bool buffered : 1 = false;
  bool asks : 1 = false, answered : 1 = false;
  bool departed : 1 = false, coming : 1 = false;  // coming: the receiver may know when it arrives
  bool expected : 1 = false;                      // the receiver counts it among its open handshakes
  bool untaken : 1 = false;                       // sent in place, and its receiver has not been in a call since

  // Field by field: a whole message would be put together elsewhere first, and the processor wait for that.
  void begin(uint32_t in_channel) {
    channel = in_channel;
    send_slot = receive_slot = next = none;
    on_wait = 0;
    used = true;
    is_sent = is_posted = buffered = asks = answered = departed = coming = false;
    expected = untaken = false;
    posted = head = {};
  }
};

// A channel: its messages of which one side is known, in order, and room for one message, since more are rare. One line
// of the cache.
template <class Instant>
struct alignas(64) Channel {
  Message<Instant> message;
  uint32_t first = none, last = none;
  Ends ends;
};
static_assert(sizeof(Channel<Plain>) == 64);

// Between two calls, a rank is in none. Kept as long as a handshake may ask where the rank was.
template <class Instant>
struct Absence {
  int64_t from_ps = 0;
  Instant to;
};

// Messages that are to leave a rank's port, in the order in which they became ready.
class Leaving {
 public:
  bool empty() const { return begin_ == all_.size(); }
  const uint32_t* begin() const { return all_.data() + begin_; }
  const uint32_t* end() const { return all_.data() + all_.size(); }
  uint32_t front() const { return all_[begin_]; }
  void pop() {
    if (++begin_ == all_.size()) {
      all_.clear();
      begin_ = 0;
    } else if (begin_ > 64 && begin_ * 2 > all_.size()) {
      all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(begin_));
      begin_ = 0;
    }
  }
  template <class Before>
  void insert(uint32_t message, const Before& before) {
    all_.push_back(message);
    for (size_t at = all_.size() - 1; at > begin_ && before(message, all_[at - 1]); --at)
      std::swap(all_[at], all_[at - 1]);
  }

 private:
  std::vector<uint32_t> all_;
  size_t begin_ = 0;
};

template <class Instant>
struct Rank {
  explicit Rank(const Shape& shape) : cursor(shape) {}

  Instant clock;
  Instant entered;        // its last call that did not follow another one at once
  Instant in_call_until;  // as far as is known: of a wait under way, its begin
  Instant out_free;
  int64_t next_contact = never;        // of to_answer and to_leave, the first
  uint32_t action = 0, end = 0;        // of the calls under way
  uint32_t back = none, back_end = 0;  // of the calls after one that had a choice
  uint32_t missing = 0;                // requests of the wait whose end is not known
  uint32_t open_sends = 0;             // handshakes whose messages have not left
  uint32_t unready = 0;                // of these, those of which it is not known when they may
  uint32_t expected = 0;               // posted receives that may be asked
  uint32_t sent = 0;
  bool ended = false;
  bool waiting = false;  // the action under way is a wait that has begun
  bool turn = false;     // waits for its turn
  bool free_run = true;  // has not waited since its loop's last iteration began
  bool noted = false;    // among those whose events are to be made
  Cursor cursor;
  Ring ring[2];
  ReceivingPort<Instant> in;
  Leaving leaving;
  bool gets_in_place = false;                 // messages whose senders may ask at any time where the rank was
  std::vector<uint32_t> to_answer, to_leave;  // messages that wait for the rank to be in a call
  std::vector<Absence<Instant>> absences;
  size_t prune_at = 256;                         // absences
  int64_t contact_at = never, leave_at = never;  // events
  std::vector<uint64_t> drawn;                   // values, by series
  std::vector<uint64_t> chosen;                  // calls, by choice

  bool blocked() const { return waiting && missing; }
  // Of a time up to in_call_until, or of a rank that stays in its call.
  Instant first_in_call(const Instant& at) const {
    for (size_t i = absences.size(); i && absences[i - 1].to.ps > at.ps; --i) {
      if (absences[i - 1].from_ps < at.ps) return absences[i - 1].to;
    }
    return at;
  }
};

template <class Instant>
struct Port {
  Instant out_free, in_free;  // of the node
};

// A message between nodes.
template <class Instant>
struct Passage {
  Instant delivered;   // all of it, as far as links and ports are passed
  uint32_t links = 0;  // passed
};

// One meeting of a group.
template <class Instant>
struct Meeting {
  uint32_t came = 0;
  Instant last, root;
  bool root_came = false;
  std::vector<Instant> times;  // by member
  std::vector<uint8_t> here;
  struct Waiting {
    uint32_t member, rank, slot, cost;
    Action::Meeting kind;
    bool is_root;
  };
  std::vector<Waiting> waiting;
};

template <class Instant>
struct Group {
  std::vector<uint64_t> met;  // by member
  std::deque<Meeting<Instant>> open;
  uint64_t closed = 0;
};

// Ranks that may go on, first come, first served. Each is in it once.
class Worklist {
 public:
  void resize(size_t ranks) { all_.resize(ranks + 1); }
  bool empty() const { return begin_ == end_; }
  size_t size() const { return end_ >= begin_ ? end_ - begin_ : end_ + all_.size() - begin_; }
  uint32_t operator[](size_t i) const { return all_[begin_ + i < all_.size() ? begin_ + i : begin_ + i - all_.size()]; }
  void push(uint32_t rank) {
    all_[end_] = rank;
    if (++end_ == all_.size()) end_ = 0;
  }
  uint32_t pop() {
    const uint32_t rank = all_[begin_];
    if (++begin_ == all_.size()) begin_ = 0;
    return rank;
  }

 private:
  std::vector<uint32_t> all_;
  size_t begin_ = 0, end_ = 0;
};

// The last calls of a rank before the end of the main loop; `wanted` of them, with `after` that come after these.
struct Trace {
  std::vector<TracedCall> calls;
  size_t wanted = 0, after = 0;
  bool closed = false;

  void begin(uint32_t call, int64_t at_ps) {
    if (closed) return;
    if (calls.size() > 2 * (wanted + after) + 64) keep(wanted + after);
    calls.push_back({call, at_ps, at_ps, 0});
  }
  void end(int64_t at_ps) {
    if (!closed && !calls.empty()) calls.back().end_ps = at_ps;
  }
  void wait(int64_t ps) {
    if (!closed && !calls.empty()) calls.back().waited_ps += ps;
  }
  void close() {
    if (closed) return;
    closed = true;
    calls.resize(calls.size() - std::min(after, calls.size()));
    keep(wanted);
  }
  void keep(size_t last) {
    if (calls.size() > last) calls.erase(calls.begin(), calls.end() - static_cast<std::ptrdiff_t>(last));
  }
};

template <class Instant>
struct State {
  std::vector<Rank<Instant>> ranks;
  std::vector<Channel<Instant>> channels;
  std::vector<Request<Instant>> requests;  // of all ranks
  std::vector<Message<Instant>> more;      // messages that found their channel's room in use
  std::vector<uint32_t> free;              // of these
  std::vector<Passage<Instant>> passages;  // by message, of those that pass the ports of nodes
  std::vector<Port<Instant>> ports;        // of nodes
  std::vector<Instant> links_free;         // of the links between switches
  std::vector<Group<Instant>> groups;
  Worklist runnable;
  Events events;
  std::vector<Trace> traces;  // by rank; empty: none is wanted
  uint64_t replayed = 0;      // messages

  uint32_t in_channels = 0;  // messages; those come first
  size_t message_count() const { return in_channels + more.size(); }
  Message<Instant>& message(uint32_t number) {
    return number < in_channels ? channels[number].message : more[number - in_channels];
  }
  const Message<Instant>& message(uint32_t number) const {
    return number < in_channels ? channels[number].message : more[number - in_channels];
  }

  // Nothing that is yet to be found out happens before that and the arrivals to come: ranks that are blocked go on
  // because others do something.
  int64_t low_ps() const {
    int64_t low = never;
    for (const Rank<Instant>& r : ranks) {
      if (!r.ended && !r.blocked()) low = std::min(low, r.clock.ps);
      low = std::min(low, r.next_contact);
      if (!r.leaving.empty()) low = std::min(low, message(r.leaving.front()).head.ps);
    }
    return low;
  }
};

}  // namespace leadline::replay
