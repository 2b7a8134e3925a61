// The state of a replay: of ranks, messages under way, ports and meetings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "replay/cursor.hpp"
#include "replay/instant.hpp"
#include "replay/program.hpp"

namespace leadline::replay {

inline constexpr uint32_t none = UINT32_MAX;

template <class Instant>
struct Request {
  enum class State : uint8_t { empty, open, complete };
  State state = State::empty;
  uint32_t on_wait = 0;     // cost
  uint32_t message = none;  // of an open one
  Instant done;
};

// Requests by age. Those of calls and those of the schedules of collectives are counted apart.
template <class Instant>
struct Ring {
  std::vector<Request<Instant>> slots;  // a power of two
  uint64_t made = 0;

  uint32_t make() { return static_cast<uint32_t>(made++ & (slots.size() - 1)); }
  uint32_t of_age(uint32_t age) const { return static_cast<uint32_t>((made - age) & (slots.size() - 1)); }
};

template <class Instant>
struct Message {
  uint32_t channel = 0;
  uint32_t transfer = 0;
  uint64_t number = 0;  // among the sender's
  Instant sent, posted, head, arrived;
  uint32_t send_slot = none, receive_slot = none;
  bool own = false;  // of a schedule
  bool is_sent = false, is_posted = false;
  bool asks = false, asked = false, answered = false, departed = false, is_served = false;
  bool buffered = false;
  bool expected = false;  // the receiver counts it among its open handshakes
};

// Messages of which one side is known, in order.
struct Queue {
  std::vector<uint32_t> messages;
  size_t next = 0;
  bool sends = false;

  bool empty() const { return next == messages.size(); }
  uint32_t take() {
    const uint32_t found = messages[next++];
    if (empty()) {
      messages.clear();
      next = 0;
    }
    return found;
  }
};

template <class Instant>
struct Rank {
  explicit Rank(const Shape& shape) : cursor(shape) {}

  Cursor cursor;
  uint32_t action = 0, end = 0;  // of the call under way
  bool begun = false;            // the action under way had its turn
  bool blocked = false, ended = false;
  uint32_t waits_for = none;  // slot
  bool waits_own = false;
  uint32_t complete = 0;  // requests of the wait under way that are known to be
  Instant clock, in_call_until, out_free, in_free;
  uint32_t open_handshakes = 0;
  uint64_t sent = 0;
  Ring<Instant> ring[2];
  std::vector<uint32_t> to_answer, to_leave;  // messages that wait for the rank's next call
  std::vector<uint64_t> drawn;                // values, by series
};

// Messages that are on their way to a port.
struct Coming {
  int64_t head_ps;
  uint32_t from;
  uint64_t number;
  uint32_t message;
  bool operator>(const Coming& other) const {
    if (head_ps != other.head_ps) return head_ps > other.head_ps;
    return from != other.from ? from > other.from : number > other.number;
  }
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

struct Event {
  enum class Kind : uint8_t { question, answer, rank };
  int64_t at_ps;
  Kind kind;
  uint32_t who;    // a rank or a message
  uint64_t order;  // of messages: sender and number
  bool operator>(const Event& other) const {
    if (at_ps != other.at_ps) return at_ps > other.at_ps;
    if (kind != other.kind) return kind > other.kind;
    return order > other.order;
  }
};

}  // namespace leadline::replay
