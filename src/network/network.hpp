// The parameters of a network model: LogGOPS (L, o, g, G, O, S), piecewise by size, for each distance between two
// ranks.
//
// A message of n bytes costs its sender and its receiver o + n O of processor time each. It leaves the sender's port,
// which is then busy for g + n G, arrives L later, and keeps the receiver's port busy for as long. Above S bytes it
// leaves only once the receiver is known to wait for it: the handshake. Some libraries send shorter ones in place. The
// ports of a node serialise what goes to and comes from other nodes, for all of its ranks together. If the topology is
// known, the links between switches do so, too.
//
// Every time is in nanoseconds. docs/tune/network.md has the file that holds them.
// Sources: Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995 (L, o, g, G); Hoefler, Schneider, Lumsdaine,
// "LogGOPSim", HPDC 2010 (O, S).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "network/topology.hpp"

namespace leadline::network {

// What two ranks share, from near to far.
enum class Distance : uint8_t { core_complex, socket, node, other_node };
inline constexpr int distance_count = 4;
inline constexpr const char* distance_names[distance_count] = {"core_complex", "socket", "node", "other_node"};

// The parameters of messages of `from_bytes` and more, up to the next piece. They hold for the whole message.
struct Piece {
  int64_t from_bytes = 0;
  double latency_ns = 0;            // L
  double overhead_ns = 0;           // o
  double overhead_per_byte_ns = 0;  // O
  double gap_ns = 0;                // g
  double per_byte_ns = 0;           // G
  // o and O of the receiver, where they differ from the sender's.
  double receive_overhead_ns = as_sender, receive_overhead_per_byte_ns = 0;

  static constexpr double as_sender = -1;

  // From the start of the send to the end of the receive, of a message that is sent at once to a rank that waits.
  double message_ns(int64_t bytes) const {
    return processor_ns(bytes) + receiver_ns(bytes) + latency_ns + busy_ns(bytes);
  }
  double busy_ns(int64_t bytes) const { return gap_ns + per_byte_ns * static_cast<double>(bytes); }
  double processor_ns(int64_t bytes) const { return overhead_ns + overhead_per_byte_ns * static_cast<double>(bytes); }
  double receiver_ns(int64_t bytes) const {
    return receive_overhead_ns < 0 ? processor_ns(bytes)
                                   : receive_overhead_ns + receive_overhead_per_byte_ns * static_cast<double>(bytes);
  }
};

// Messages over one distance.
struct Link {
  std::vector<Piece> pieces;            // ascending from 0; there is one at least where the link is known
  int64_t eager_bytes = INT64_MAX;      // S: longer messages wait for their receiver
  double handshake_ns = two_latencies;  // half of it to ask the receiver, half for the answer
  bool progresses = false;              // a handshake goes on while the ranks compute
  // Longer eager messages are sent in place: their data are at once there, but their send ends only once the receiver
  // is in a call.
  int64_t copied_bytes = INT64_MAX;

  static constexpr double two_latencies = -1;

  bool known() const { return !pieces.empty(); }
  const Piece& piece(int64_t bytes) const;
  bool is_eager(int64_t bytes) const { return bytes <= eager_bytes; }
  bool is_in_place(int64_t bytes) const { return is_eager(bytes) && bytes > copied_bytes; }
  double half_handshake_ns(int64_t bytes) const {
    return handshake_ns < 0 ? piece(bytes).latency_ns : handshake_ns / 2;
  }
};

// One direction of a node's connection to the others, which all of its ranks share.
struct Port {
  double gap_ns = 0, per_byte_ns = 0;
  bool limits() const { return gap_ns > 0 || per_byte_ns > 0; }
  double busy_ns(int64_t bytes) const { return gap_ns + per_byte_ns * static_cast<double>(bytes); }
};

class Network {
 public:
  // A network whose every message costs the same, whatever the distance.
  static Network uniform(const Piece& piece, int64_t eager_bytes = INT64_MAX);

  // That of the distance; if it is unknown, of the nearest farther one, then of the nearest one within. What is within
  // a node takes that between nodes only if no other is known. nullptr: no link is known.
  const Link* link(Distance distance) const;
  // Only what was set, known or not.
  const Link& own(Distance distance) const { return links_[static_cast<int>(distance)]; }
  void set(Distance distance, Link link) { links_[static_cast<int>(distance)] = std::move(link); }

  // flag_ns; where it is not known, the latency of a message within a node.
  double flag_latency_ns() const;

  // The least of each parameter that occurs: whatever is computed from it is a lower bound.
  Piece most_favourable() const;

  double reduce_per_byte_ns = 0;                                  // of a reduction, of one operand
  double copy_per_byte_ns = 0;                                    // of a copy in memory, within the caches
  double copy_2_mib_per_byte_ns = 0, copy_8_mib_per_byte_ns = 0;  // of so much; 0: not measured
  // Of a copy beyond the caches, and of one that gathers single numbers, within them and beyond.
  double copy_uncached_per_byte_ns = 0, copy_strided_per_byte_ns = 0, copy_strided_uncached_per_byte_ns = 0;
  double flag_ns = 0;  // until a rank sees what another one of its node has written; 0: not measured
  double call_ns = 0;  // of a call that has nothing to do, as a wait for a request that is complete
  Port port;           // of a node
  Topology topology;   // between the nodes; unknown: no two messages share anything but ports

 private:
  Link links_[distance_count];
};

bool distance_of(std::string_view name, Distance* distance);

// Where the ranks are. Each array is indexed by rank and has the number of the unit that the rank runs on; numbers of
// core complexes and sockets are unique across the job. nullptr: unknown, and no two ranks share one.
struct Places {
  const int* node_of = nullptr;
  const int* socket_of = nullptr;
  const int* core_complex_of = nullptr;

  Distance between(int one, int other) const {
    if (core_complex_of && core_complex_of[one] == core_complex_of[other]) return Distance::core_complex;
    if (socket_of && socket_of[one] == socket_of[other]) return Distance::socket;
    if (node_of && node_of[one] == node_of[other]) return Distance::node;
    return Distance::other_node;
  }
};

}  // namespace leadline::network
