// The links between the switches of a network, and the route that a message takes: fat trees, dragonflies, tori.
//
// Routes are static: they depend on the two nodes alone. A link serves one message at a time in either direction. What
// connects a node to its switch is no link here, but the node's port. docs/tune/network.md says how each is laid out.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace leadline::network {

enum class Fabric : uint8_t { none, fat_tree, dragonfly, torus };
inline constexpr int fabric_count = 4;
inline constexpr const char* fabric_names[fabric_count] = {"none", "fat_tree", "dragonfly", "torus"};

struct Topology {
  Fabric fabric = Fabric::none;
  int64_t nodes_per_switch = 1;
  // Of a fat tree, from the lowest level of switches on: how many of a level are below one of the next, and the links
  // that each has up. Of a torus, its extents; of a dragonfly, its groups and the switches of each.
  std::vector<int64_t> switches, uplinks;
  int64_t global_links = 0;            // of a dragonfly, from each switch to other groups
  double gap_ns = 0, per_byte_ns = 0;  // that a message keeps a link busy
  double hop_ns = 0;                   // that a link adds to the latency

  static constexpr int64_t most_nodes = 1 << 22, most_links = 1 << 28;

  bool known() const { return fabric != Fabric::none; }
  double busy_ns(int64_t bytes) const { return gap_ns + per_byte_ns * static_cast<double>(bytes); }
  // What is wrong with it; nullptr: nothing.
  const char* wrong() const;
  // Of one that is right: places for nodes, and links, each direction by itself.
  int64_t nodes() const;
  int64_t links() const;
  // The numbers of the links from one node to another, in their order; none if they share a switch, or have no place.
  std::vector<uint32_t> route(int64_t from, int64_t to) const;

 private:
  // Of a dragonfly: links from each group to each other one.
  int64_t between_groups() const { return switches[1] * global_links / (switches[0] - 1); }
  void climb(int64_t from, int64_t to, std::vector<uint32_t>* links) const;
  void cross_groups(int64_t from, int64_t to, int64_t node, std::vector<uint32_t>* links) const;
  void turn_corners(int64_t from, int64_t to, std::vector<uint32_t>* links) const;
};

bool fabric_of(std::string_view name, Fabric* fabric);

}  // namespace leadline::network
