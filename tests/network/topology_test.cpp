// Routes by hand: which links a message takes in a fat tree, a dragonfly and a torus; what is refused.
#include "network/topology.hpp"

#include <set>
#include <string>
#include <vector>

#include "../native/check.hpp"

namespace {

using namespace leadline::network;
using testing::check;
using testing::check_equal;

using Links = std::vector<uint32_t>;

// Four leaf switches of two nodes each, and two switches above: leaf s has the links 2 (2 s + w) up to switch w, and
// the one after it down. The destination's number modulo two says which.
void check_fat_tree() {
  const Topology tree{.fabric = Fabric::fat_tree, .nodes_per_switch = 2, .switches = {4}, .uplinks = {2}};
  check(!tree.wrong(), "a fat tree");
  check_equal(tree.nodes(), 8, "its nodes");
  check_equal(tree.links(), 16, "its links: eight, both ways");
  check(tree.route(0, 1).empty(), "below one switch");
  check(tree.route(0, 2) == Links{0, 5}, "to an even node, over the first switch");
  check(tree.route(0, 3) == Links{2, 7}, "to an odd one, over the second");
  check(tree.route(1, 2) == tree.route(0, 2), "the source's number does not matter");
  check(tree.route(6, 0) == Links{12, 1}, "and back");
  check(tree.route(0, 8).empty(), "a node that has no place");
}

// Two groups of two leaves, with one link up at each level: all messages between the groups share the two on top.
void check_levels() {
  const Topology tree{.fabric = Fabric::fat_tree, .switches = {2, 2}, .uplinks = {1, 1}};
  check_equal(tree.links(), 2 * (4 + 2), "links of two levels");
  check(tree.route(0, 1) == Links{0, 3}, "within a group");
  check(tree.route(0, 2) == Links{0, 8, 11, 5}, "to the other group");
  check(tree.route(1, 3) == Links{2, 8, 11, 7}, "its neighbour, over the same links on top");
}

// A ring of four and one of three: the first extent is that of the dimension in which neighbours are farther apart.
void check_torus() {
  const Topology torus{.fabric = Fabric::torus, .switches = {4, 3}, .uplinks = {}};
  check_equal(torus.nodes(), 12, "nodes of a torus");
  check_equal(torus.links(), 48, "four links at each switch");
  // Node 4 is at (1, 1). Up from (0, 0) along the first dimension: link 0; then from (1, 0), node 3, along the second.
  check(torus.route(0, 4) == Links{0, 2 * (3 * 2 + 1)}, "a corner");
  check(torus.route(0, 9) == Links{1}, "the short way round is down");
  check(torus.route(0, 6) == Links{0, 2 * (3 * 2)}, "both ways as long: up");
  check(torus.route(0, 2) == Links{3}, "down along the second dimension");
  const Topology rings{.fabric = Fabric::torus, .nodes_per_switch = 4, .switches = {5, 4, 3}, .uplinks = {}};
  for (int64_t from = 0; from < rings.nodes(); from += 7) {
    for (int64_t to = 0; to < rings.nodes(); ++to) check(rings.route(from, to).size() <= 2 + 2 + 1, "the longest way");
  }
}

// Three groups of two switches, each with one link to another group: a group's first switch leads to the next group.
void check_dragonfly() {
  const Topology fly{.fabric = Fabric::dragonfly, .switches = {3, 2}, .uplinks = {}, .global_links = 1};
  check(!fly.wrong(), "a dragonfly");
  check_equal(fly.nodes(), 6, "its nodes");
  check(fly.route(0, 1) == Links{1}, "within a group: from its switch 0 to 1");
  // From group 0 to 1: switch 0 leads there (link 12 + 1), and in group 1 the switch 1 (link 0 is to group 2).
  check(fly.route(0, 3) == Links{13}, "from gate to gate");
  check(fly.route(1, 2) == Links{2, 13, 6}, "to a gate, over, and from the other one");
  check(fly.route(0, 4) == Links{1, 14}, "to the group before, from switch 1 to its switch 0");
}

// Every message comes from its sender's switch to its receiver's: links belong to pairs of switches.
void check_all_pairs() {
  const Topology fly{
      .fabric = Fabric::dragonfly, .nodes_per_switch = 2, .switches = {4, 3}, .uplinks = {}, .global_links = 2};
  for (int64_t from = 0; from < fly.nodes(); ++from) {
    for (int64_t to = 0; to < fly.nodes(); ++to) {
      const Links links = fly.route(from, to);
      check(links.size() <= 3, "at most three links");
      check(links.empty() == (from / 2 == to / 2), "none within a switch");
      const std::set<uint32_t> different(links.begin(), links.end());
      check_equal(different.size(), links.size(), "each link once");
      for (const uint32_t link : links) check(link < static_cast<uint32_t>(fly.links()), "its number");
    }
  }
}

void refused(const Topology& topology, const std::string& what) { check(topology.wrong() != nullptr, what); }

void check_refused() {
  check(!Topology{}.wrong(), "none is right");
  refused({.fabric = Fabric::fat_tree, .switches = {4}, .uplinks = {}}, "a fat tree without links");
  refused({.fabric = Fabric::fat_tree, .switches = {4}, .uplinks = {0}}, "no link up");
  refused({.fabric = Fabric::torus, .switches = {}, .uplinks = {}}, "a torus without extents");
  refused({.fabric = Fabric::torus, .switches = {0}, .uplinks = {}}, "an extent of 0");
  refused({.fabric = Fabric::torus, .nodes_per_switch = 0, .switches = {4}, .uplinks = {}}, "no node at a switch");
  refused({.fabric = Fabric::torus, .switches = {1 << 20, 1 << 20}, .uplinks = {}}, "too many switches");
  refused({.fabric = Fabric::torus, .nodes_per_switch = 1 << 20, .switches = {1 << 20}, .uplinks = {}},
          "too many nodes");
  refused({.fabric = Fabric::dragonfly, .switches = {9, 2}, .uplinks = {}, .global_links = 1}, "groups without a link");
  refused({.fabric = Fabric::dragonfly, .switches = {1, 2}, .uplinks = {}, .global_links = 1}, "one group");
  refused({.fabric = Fabric::fat_tree, .switches = {1 << 20}, .uplinks = {1 << 12}}, "too many links");
}

}  // namespace

int main() {
  check_fat_tree();
  check_levels();
  check_torus();
  check_dragonfly();
  check_all_pairs();
  check_refused();
  return testing::result();
}
