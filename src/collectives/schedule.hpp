// The actions of one rank in a collective: a short program of messages, reductions and copies over ranges of elements.
// An algorithm is written once, as the program of every rank. It is executed over MPI (execute.hpp), replayed in a
// network model, and checked without either (tests/collectives).
//
//   data      the result, and the contribution too if the operation has one buffer for both
//   input     the rank's contribution; in the memory of `data` if the call is in place
//   scratch   memory of the algorithm, as long as `scratch_elements` says
//
// Messages between two ranks are matched in the order in which they are posted. A request is waited for exactly once.
// No message is empty but signals.
#pragma once

#include <cstdint>
#include <vector>

#include "leadline/operations.hpp"

namespace leadline::collectives {

// Of neighbourhood collectives: whom a rank sends to and whom it receives from. A rank may be there several times, and
// itself, too; messages between two ranks are matched in the order in which they are here. -1: nobody, beyond an edge.
struct Neighbours {
  bool known = false;
  int target_count = 0, source_count = 0;
  const int *targets = nullptr, *sources = nullptr;
};

// The problem of one call. It is the same on every rank, except `rank`. Counts are in elements of a datatype that both
// sides of the call have in common: of its own if they have one, otherwise bytes.
struct Problem {
  Operation operation{};
  int processes = 1;
  int rank = 0;
  int root = 0;       // of operations that have one
  int64_t count = 0;  // of a block
  // By rank, of operations whose blocks have their own counts: what this rank contributes to each and receives from
  // each, and where that begins; places may differ between ranks. nullptr: `count`. In MPI_Reduce_scatter all
  // contribute alike, side by side, and rank r receives block r.
  const int64_t *counts_contributed = nullptr, *places_contributed = nullptr;
  const int64_t *counts_received = nullptr, *places_received = nullptr;
  int64_t element_bytes = 1;
  int64_t segment_bytes = 0;     // of the algorithms that cut messages into segments; 0: they don't
  int radix = 2;                 // of k-nomial trees, and the number of parts of a split native call
  const int* node_of = nullptr;  // by rank, of two-level algorithms; nullptr: all are on one
  bool shares_memory = false;    // the ranks of each node do (node/team.hpp)
  Neighbours neighbours = {};    // counts and places are then by neighbour, in the order of these
};

enum class Space : uint8_t { data, input, scratch };

struct Range {
  Space space = Space::data;
  int64_t first = 0, count = 0;  // elements
};

struct Step {
  enum class Kind : uint8_t {
    send,      // starts sending `from` to `peer`; makes request `request`
    receive,   // starts receiving into `to` from `peer`; makes request `request`
    wait,      // for request `request`
    copy,      // `from` to `to`, of the same count
    reduce,    // to = from op to, element by element: `from` is the operand of the lower ranks
    native,    // the library's own operation on `from` and `to`
    together,  // `operation` of the ranks of a node, through memory that they share
  };
  Kind kind;
  int32_t peer = -1;
  uint32_t request = 0;
  Range from, to;
  bool last = false;      // of a message: after it no other one goes the same way between the two (where `linked`)
  Operation operation{};  // of a step together
  int32_t root = 0;       // of that operation, among the node's ranks
};

constexpr uint32_t no_request = UINT32_MAX;

// The schedule of one rank.
struct Schedule {
  std::vector<Step> steps;
  uint32_t requests = 0;  // made in all: numbered from 0
  int64_t scratch_elements = 0;

  // An empty range adds no step: a message of nothing isn't sent, and its request is `no_request`.
  uint32_t send(Range from, int peer);
  uint32_t receive(Range to, int peer);
  // A message without data, which says that this rank, and those that it has heard of, have come.
  uint32_t signal(int peer);
  uint32_t await(int peer);
  void wait(uint32_t request);
  void wait_from(uint32_t first);   // for all requests from that one on
  void copy(Range from, Range to);  // one step with the last, if it goes on where that ends
  void reduce(Range from, Range to);
  void native(Range from, Range to);
  void together(Operation operation, int root, Range from, Range to);

  // `count` elements of scratch of the algorithm's own.
  Range reserve(int64_t count);
  // Appends the steps of `part`: a schedule among `members`, whose ranks it takes to be 0, 1, ..., and whose data and
  // input are where `bases` says.
  struct Bases {
    Range data{Space::data, 0, 0}, input{Space::input, 0, 0};
  };
  void append(const Schedule& part, const int* members, const Bases& bases);

  // Once it is complete, for callers that check what arrives: marks the last message to and from each rank, and a wait
  // for a receive says from whom what was to come (peer, to, last), as the receive does.
  void link();
};

}  // namespace leadline::collectives
