#include "network/topology.hpp"

#include <algorithm>

namespace leadline::network {

namespace {

// -1: more than the limit.
int64_t product(const std::vector<int64_t>& factors, int64_t limit) {
  int64_t all = 1;
  for (const int64_t each : factors) {
    if (each < 1 || each > limit / all) return -1;
    all *= each;
  }
  return all;
}

// The up or down links below one level of a fat tree: `below` of the lower level, with `choices` ways up to there.
int64_t links_of_level(int64_t below, int64_t choices) { return 2 * below * choices; }

}  // namespace

const char* Topology::wrong() const {
  const size_t levels = switches.size();
  if (!known()) return nullptr;
  if (nodes_per_switch < 1 || nodes_per_switch > most_nodes) return "nodes_per_switch must be 1 to 4,194,304";
  if (fabric == Fabric::dragonfly) {
    if (levels != 2) return "a dragonfly needs groups and switches_per_group";
    if (switches[0] < 2 || switches[1] < 1) return "a dragonfly has two groups or more";
    if (global_links < 1 || global_links > most_nodes) return "global_links must be 1 or more";
  } else if (!levels || levels > 8) {
    return fabric == Fabric::torus ? "extents: expected 1 to 8 numbers" : "switches: expected 1 to 8 numbers";
  } else if (fabric == Fabric::fat_tree && uplinks.size() != levels) {
    return "a fat tree needs as many numbers in uplinks as in switches";
  }
  const int64_t all = product(switches, most_nodes);
  if (all < 0 || all > most_nodes / nodes_per_switch)
    return "all numbers must be 1 or more, for 4,194,304 nodes at most";
  if (fabric == Fabric::fat_tree && product(uplinks, most_links) < 0) return "uplinks must be 1 or more";
  if (fabric == Fabric::dragonfly && between_groups() < 1) return "too few global_links for a link between all groups";
  // Sums of products of what was bounded above, in a type that holds them.
  long double count = 0;
  if (fabric == Fabric::fat_tree) {
    long double below = static_cast<long double>(all), ways = 1;
    for (size_t l = 0; l < levels; ++l) {
      ways *= static_cast<long double>(uplinks[l]);
      count += 2 * below * ways;
      below /= static_cast<long double>(switches[l]);
    }
  } else if (fabric == Fabric::torus) {
    count = 2.0L * static_cast<long double>(all) * static_cast<long double>(levels);
  } else {
    const auto groups = static_cast<long double>(switches[0]), own = static_cast<long double>(switches[1]);
    count = groups * own * own + groups * own * static_cast<long double>(global_links);
  }
  return count > static_cast<long double>(most_links) ? "more than 268,435,456 links" : nullptr;
}

int64_t Topology::nodes() const { return nodes_per_switch * product(switches, most_nodes); }

int64_t Topology::links() const {
  if (fabric == Fabric::torus) {
    return 2 * product(switches, most_nodes) * static_cast<int64_t>(switches.size());
  }
  if (fabric == Fabric::dragonfly) {
    return switches[0] * switches[1] * switches[1] + switches[0] * switches[0] * between_groups();
  }
  int64_t below = product(switches, most_nodes), ways = 1, all = 0;
  for (size_t l = 0; l < switches.size(); ++l) {
    ways *= uplinks[l];
    all += links_of_level(below, ways);
    below /= switches[l];
  }
  return all;
}

std::vector<uint32_t> Topology::route(int64_t from, int64_t to) const {
  std::vector<uint32_t> links;
  const int64_t first = from / nodes_per_switch, last = to / nodes_per_switch;
  if (!known() || first == last || from >= nodes() || to >= nodes()) return links;
  if (fabric == Fabric::fat_tree) climb(first, to, &links);
  if (fabric == Fabric::dragonfly) cross_groups(first, last, to, &links);
  if (fabric == Fabric::torus) turn_corners(first, last, &links);
  return links;
}

// Up to the first level that both are below, and down again. Which of the links up is taken depends on the destination
// alone (D-mod-k), so there is one way to each node from the top, and messages to different nodes spread.
// Source: Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees", 2010.
void Topology::climb(int64_t from, int64_t to, std::vector<uint32_t>* links) const {
  std::vector<uint32_t> down;
  int64_t source = from, target = to / nodes_per_switch, below = product(switches, most_nodes);
  int64_t before = 0, ways = 1, way = 0, spread = to;
  for (size_t l = 0; source != target; ++l) {
    way = way * uplinks[l] + spread % uplinks[l];
    spread /= uplinks[l];
    ways *= uplinks[l];
    links->push_back(static_cast<uint32_t>(before + 2 * (source * ways + way)));
    down.push_back(static_cast<uint32_t>(before + 2 * (target * ways + way) + 1));
    before += links_of_level(below, ways);
    below /= switches[l];
    source /= switches[l];
    target /= switches[l];
  }
  links->insert(links->end(), down.rbegin(), down.rend());
}

// At most one link within the group, one to the other group, and one there. Of several links between two groups, the
// destination chooses.
void Topology::cross_groups(int64_t from, int64_t to, int64_t node, std::vector<uint32_t>* links) const {
  const int64_t groups = switches[0], own = switches[1], several = between_groups();
  const int64_t here = from / own, there = to / own;
  const auto local = [&](int64_t group, int64_t one, int64_t other) {
    if (one != other) links->push_back(static_cast<uint32_t>((group * own + one) * own + other));
  };
  if (here == there) return local(here, from % own, to % own);
  const int64_t which = node % several;
  // A group's links to others are numbered by how far the other one is, over and over, and its switches have them in
  // turn.
  const auto gate = [&](int64_t group, int64_t other) {
    return ((other - group - 1 + groups) % groups + which * (groups - 1)) / global_links;
  };
  local(here, from % own, gate(here, there));
  links->push_back(static_cast<uint32_t>(groups * own * own + (here * groups + there) * several + which));
  local(there, gate(there, here), to % own);
}

// One dimension after another, the first one first, the shorter way round; where both are as long, upwards.
void Topology::turn_corners(int64_t from, int64_t to, std::vector<uint32_t>* links) const {
  const auto dimensions = static_cast<int64_t>(switches.size());
  int64_t at = from, stride = product(switches, most_nodes);
  for (int64_t d = 0; d < dimensions; ++d) {
    const int64_t extent = switches[static_cast<size_t>(d)];
    stride /= extent;
    const int64_t up = ((to / stride - at / stride) % extent + extent) % extent;
    const bool upwards = 2 * up <= extent;
    for (int64_t left = upwards ? up : extent - up; left; --left) {
      links->push_back(static_cast<uint32_t>(2 * (at * dimensions + d) + (upwards ? 0 : 1)));
      const int64_t place = at / stride % extent, next = (place + (upwards ? 1 : extent - 1)) % extent;
      at += (next - place) * stride;
    }
  }
}

bool fabric_of(std::string_view name, Fabric* fabric) {
  for (int i = 1; i < fabric_count; ++i) {
    if (name == fabric_names[i]) {
      *fabric = static_cast<Fabric>(i);
      return true;
    }
  }
  return false;
}

}  // namespace leadline::network
