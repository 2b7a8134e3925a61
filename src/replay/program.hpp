// What is replayed: for each rank, loops of calls, and for each call its actions in the model.
//
// Ranks of a class share a shape: bodies of elements, each of which is a call or another body, some number of times. No
// loop is expanded. What the calls of a shape do is kept separately, for each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "replay/instant.hpp"

namespace leadline::replay {

struct Element {
  uint32_t index = 0;  // of a call or a body
  bool is_body = false;
  uint64_t times = 1;
  uint32_t calls = 1;  // one after another, from that number on
};

struct Shape {
  std::vector<std::vector<Element>> bodies;
  uint32_t root = 0;
  uint32_t calls = 0;
};

// A body without calls would be an endless loop: leaves out all empty ones.
void remove_empty(Shape* shape);
// Calls that follow one another, each once, become one element.
Shape joined(const Shape& shape);

// A message's way from the sender's port to the receiver's.
template <class Cost>
struct TransferOf {
  Cost latency, busy;                                       // L; g + nG, in the port of either rank
  Cost half_handshake;                                      // to ask the receiver, and again for the answer
  Cost port_busy;                                           // in the port of either node, if `by_port`
  Cost link_busy, hop;                                      // of each link of the route; what it adds to the latency
  bool eager = true;                                        // leaves at once
  bool in_place = false;                                    // of an eager one: its send ends once it has been taken
  bool by_port = false;                                     // through the ports of two nodes, and along a route
  bool progresses = false;                                  // its handshake goes on while the ranks compute
  bool in_order() const { return busy.ps > 0 || by_port; }  // the receiver's port may make it wait
};
using Transfer = TransferOf<Cost>;

struct Action {
  enum class Kind : uint8_t {
    compute,   // `ps`
    series,    // the next value of the rank's series number `at`
    call,      // a call that neither sends nor waits
    send,      // makes a request
    receive,   // makes a request
    wait,      // for the requests of ages[at .. at + count)
    withdraw,  // receives of ages[at .. at + count) that no message has reached: cancelled
    meet,      // of all members of the group `at`; makes a request
    mark,      // notes the time, as number `at`
    choose,    // the last of a call's: goes on with the actions of the rank's choice number `at`
    note,      // begin (`first`) or end of the call number `at`, in a program that is traced
  };
  enum class Meeting : uint8_t { all, to_root, from_root, prefix };  // who waits for whom
  Kind kind = Kind::compute;
  bool buffered = false;   // a send: its request is complete at once
  bool handshake = false;  // a synchronous send: it asks first, whatever its size
  bool own = false;        // its requests are the schedule's of a collective: they are counted apart
  bool first = false;      // a mark: the first time counts, otherwise the last one
  Meeting meeting = Meeting::all;
  uint32_t at = 0;        // of a message, the channel
  uint32_t count = 0;     // of a meeting, the caller's number among the members
  uint32_t cost = 0;      // processor time; of a meeting, from when it is over for those whom the rank waits for
  uint32_t transfer = 0;  // a receive: by the bytes that it was posted with
  union {
    uint32_t on_wait = 0;  // a receive: processor time of the wait for it
    uint32_t root;         // of a meeting, number among the members
  };
  int64_t ps = 0;
};
static_assert(sizeof(Action) == 40);  // a replay reads them all the time

// Times of the calls of a leaf in their order. Where a loop has more iterations than were recorded, or is drawn again,
// each iteration takes its calls' times from a recorded iteration, the same one on all ranks; blocks of neighbouring
// ones are drawn.
struct Series {
  std::vector<int64_t> ps;
  uint64_t before = 0;                // calls before the loop
  uint64_t per_iteration = 0;         // 0: the calls are not in the loop, or not equally often in each iteration
  uint64_t recorded = 0, wanted = 0;  // iterations
  uint64_t seed = 0;                  // 0: as recorded as far as that goes
};
size_t place_of_drawn(const Series& series, uint64_t call, uint64_t seed);
// The place in Series::ps of a call's time.   seed: in place of the series' own; 0: that.
inline size_t place_in(const Series& series, uint64_t call, uint64_t seed = 0) {
  if (!seed) seed = series.seed;
  // As recorded, which most calls are; the rest divides.
  const uint64_t as_recorded = series.before + series.recorded * series.per_iteration;
  if (!seed && call < as_recorded && call < series.ps.size() && series.recorded <= series.wanted)
    return static_cast<size_t>(call);
  return place_of_drawn(series, call, seed);
}

// What the calls of a leaf do that differ, in their order.
struct Choice {
  struct Range {
    uint32_t begin = 0, end = 0;  // actions
  };
  std::vector<Range> kinds;
  std::vector<uint32_t> of;  // by call: its kind
  // Calls before the main loop, in it as recorded, and in it as replayed, which has them over and over.
  uint64_t before = 0, recorded = 0, wanted = 0;
};
const Choice::Range& range_of(const Choice& choice, uint64_t call);

struct RankProgram {
  uint32_t shape = 0;
  uint32_t node = 0;
  int64_t start_ps = 0;
  std::vector<uint32_t> first;  // by call, and one more: its actions
  std::vector<Action> actions;
  std::vector<uint32_t> ages;  // how many requests ago each was made; 1: the last one
  std::vector<Series> series;
  std::vector<Choice> choices;
};

struct Ends {
  uint32_t from = 0, to = 0;  // ranks
};

struct Program {
  std::vector<Shape> shapes;
  std::vector<RankProgram> ranks;
  std::vector<Ends> channels;                 // communicator, source, destination and tag
  std::vector<std::vector<uint32_t>> routes;  // links, from one node to another
  std::vector<uint32_t> route_of;             // by channel; empty: there are no routes
  std::vector<std::vector<uint32_t>> groups;  // members of the communicators that meet
  std::vector<Cost> costs{{}};                // 0: nothing
  std::vector<Transfer> transfers;
  uint32_t nodes = 0;
  uint32_t links = 0;
  uint32_t marks = 0;
  // By rank, in a program that is traced, of which nothing is skipped: the calls before mark 1 whose times are wanted,
  // and how many come after them.
  struct Traced {
    uint64_t wanted = 0, after = 0;
  };
  std::vector<Traced> traced;
  bool all_traced = false;  // every call of every rank, not only those before mark 1
  bool ports = false;       // nodes' ports or links limit: some transfer is by_port
};

}  // namespace leadline::replay
