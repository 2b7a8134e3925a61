// The state of a replay: of ranks, messages under way, ports and meetings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "replay/arrivals.hpp"
#include "replay/cursor.hpp"
#include "replay/events.hpp"
#include "replay/instant.hpp"
#include "replay/program.hpp"

namespace leadline::replay {

inline constexpr uint32_t none = UINT32_MAX;

// A request is over as soon as it can no longer make a wait longer, as that of an eager send at once.
namespace request {
inline constexpr uint8_t over = 0, open = 1;
inline constexpr uint8_t departed = 2;  // its message is on its way to the receiver
inline constexpr uint8_t complete = 3;
inline constexpr uint8_t awaited = 4;  // and the wait is under way
inline uint8_t plain(uint8_t state) { return state & 3; }
}  // namespace request

template <class Instant>
struct Request {
  Instant done;             // of a departed one: when the first byte arrives
  uint32_t on_wait = 0;     // cost, of a complete one
  uint32_t message = none;  // of an open one
};

// Requests by age. Those of calls and those of the schedules of collectives are counted apart.
template <class Instant>
struct Ring {
  std::vector<uint8_t> states;  // a power of two
  std::vector<Request<Instant>> slots;
  uint64_t made = 0;

  void resize(size_t size) {
    states.resize(size);
    slots.resize(size);
  }
  uint32_t make() { return static_cast<uint32_t>(made++ & (states.size() - 1)); }
  uint32_t of_age(uint64_t age) const { return static_cast<uint32_t>((made - age) & (states.size() - 1)); }
};

template <class Instant>
struct Message {
  Instant posted;
  Instant head;         // when its first byte arrives; once it is served, when it has arrived
  uint64_t number = 0;  // among the sender's
  uint32_t channel = 0;
  uint32_t transfer = 0;
  uint32_t send_slot = none, receive_slot = none;
  uint32_t on_wait = 0;  // cost
  uint32_t next = none;  // in the channel's queue
  bool used = false;
  bool send_is_own = false, receive_is_own = false;  // of a schedule
  bool is_sent = false, is_posted = false;
  bool buffered = false;
  bool asks = false, asked = false, departed = false, is_served = false;
  bool expected = false;  // the receiver counts it among its open handshakes
};

// A channel: its messages of which one side is known, in order, and room for one message, since more are rare.
template <class Instant>
struct Channel {
  Message<Instant> message;
  uint32_t first = none, last = none;
};

template <class Instant>
struct Rank {
  explicit Rank(const Shape& shape) : cursor(shape) {}

  Instant clock, out_free, in_free, in_call_until;
  uint32_t action = 0, end = 0;  // of the call under way
  uint32_t open_handshakes = 0;
  bool begun = false;  // the action under way had its turn
  bool blocked = false, ended = false;
  bool waiting = false;                   // the action under way is a wait that has begun
  bool serves = false;                    // the port has yet to let messages of the wait through
  bool leaves = false;                    // there are messages in to_answer or to_leave
  uint32_t missing = 0;                   // requests of the wait whose end is not known
  int64_t last_head_ps = 0, wake_ps = 0;  // of the wait: when the last message arrives; not over before
  uint64_t sent = 0;
  Ring<Instant> ring[2];
  Cursor cursor;
  std::vector<uint32_t> to_answer, to_leave;  // messages that wait for the rank's next call
  std::vector<uint64_t> drawn;                // values, by series
  std::vector<uint64_t> chosen;               // calls, by choice
};

template <class Instant>
struct Port {
  Instant out_free, in_free;  // of the node
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
    bool own, is_root;
  };
  std::vector<Waiting> waiting;
};

template <class Instant>
struct Group {
  std::vector<uint64_t> met;  // by member
  std::deque<Meeting<Instant>> open;
  uint64_t closed = 0;
};

template <class Instant>
struct State {
  std::vector<Rank<Instant>> ranks;
  std::vector<Channel<Instant>> channels;
  std::vector<Message<Instant>> more;  // messages that found their channel's room in use
  std::vector<uint32_t> free;          // of these
  std::vector<Instant> question_at;    // by message: of its question or answer under way
  std::vector<Port<Instant>> ports;    // of nodes
  std::vector<Arrivals> arrivals;      // by port
  std::vector<Group<Instant>> groups;
  Events events;
  int64_t now_ps = 0;
  uint64_t replayed = 0;  // messages

  // Those in channels come first.
  size_t message_count() const { return channels.size() + more.size(); }
  Message<Instant>& message(uint32_t number) {
    return number < channels.size() ? channels[number].message : more[number - channels.size()];
  }
  const Message<Instant>& message(uint32_t number) const {
    return number < channels.size() ? channels[number].message : more[number - channels.size()];
  }
};

}  // namespace leadline::replay
