// The model's parts by hand: which link and piece a message takes, the bounds of each kind of movement, and the time of
// a message through the ports of nodes.
#include "network/network.hpp"

#include "../native/check.hpp"
#include "collectives/cost.hpp"
#include "network/bounds.hpp"

namespace {

using namespace leadline::network;
using leadline::collectives::modelled_ns;
using leadline::collectives::Range;
using leadline::collectives::Schedule;
using leadline::collectives::Space;

void check(const char* what, double is, double should) { testing::check_equal(is, should, what); }

void check_links() {
  Network network;
  check("no link is known", network.link(Distance::node) != nullptr, 0);
  network.set(Distance::node, Link{{{.latency_ns = 1}, {.from_bytes = 100, .latency_ns = 2}}});
  check("a nearer distance takes the next farther one", network.link(Distance::socket)->piece(0).latency_ns, 1);
  check("the farthest takes what there is", network.link(Distance::other_node)->piece(0).latency_ns, 1);
  check("below a piece", network.link(Distance::node)->piece(99).latency_ns, 1);
  check("at its first byte", network.link(Distance::node)->piece(100).latency_ns, 2);
  check("far above it", network.link(Distance::node)->piece(1 << 30).latency_ns, 2);
  network.set(Distance::other_node, Link{{{.latency_ns = 9, .per_byte_ns = -1}}});
  check("the least latency of any", network.most_favourable().latency_ns, 1);
  check("within a node, not between nodes", network.link(Distance::core_complex)->piece(0).latency_ns, 1);
  Network near;
  near.set(Distance::socket, Link{{{.latency_ns = 3}}});
  near.set(Distance::other_node, Link{{{.latency_ns = 9}}});
  check("a nearer one rather than that between nodes", near.link(Distance::node)->piece(0).latency_ns, 3);
  check("between nodes", near.link(Distance::other_node)->piece(0).latency_ns, 9);
  check("the least rate of any", network.most_favourable().per_byte_ns, -1);
}

void check_places() {
  const int nodes[] = {0, 0, 0, 1}, sockets[] = {0, 0, 1, 2}, complexes[] = {0, 1, 2, 3};
  const Places places{nodes, sockets, complexes};
  check("itself", static_cast<int>(places.between(0, 0)), static_cast<int>(Distance::core_complex));
  check("a socket", static_cast<int>(places.between(0, 1)), static_cast<int>(Distance::socket));
  check("a node", static_cast<int>(places.between(0, 2)), static_cast<int>(Distance::node));
  check("another node", static_cast<int>(places.between(0, 3)), static_cast<int>(Distance::other_node));
  check("unknown", static_cast<int>(Places{}.between(0, 0)), static_cast<int>(Distance::other_node));
}

// One nanosecond a message, one a byte, half of one to reduce a byte; four ranks, blocks of 100 bytes.
void check_bounds() {
  Network network = Network::uniform({.gap_ns = 1, .per_byte_ns = 1});
  network.reduce_per_byte_ns = 0.5;
  const Side all{}, root{.root_only = true}, all_blocks{.block_per_rank = true},
      root_blocks{.root_only = true, .block_per_rank = true};
  const auto bound = [&](Side from, Side to, bool reduced) {
    return lower_bound({from, to, reduced}, 4, 100, network);
  };
  check("broadcast", bound(root, all, false).bandwidth_ns, 1 + 100);
  check("broadcast's rounds", bound(root, all, false).latency_ns, 2);
  check("broadcast computes nothing", bound(root, all, false).computation_ns, 0);
  check("reduce", bound(all, root, true).bandwidth_ns, 1 + 100);
  check("reduce computes", bound(all, root, true).computation_ns, 37.5);
  check("allreduce", bound(all, all, true).bandwidth_ns, 1 + 150);
  check("gather", bound(all, root_blocks, false).bandwidth_ns, 1 + 300);
  check("scatter", bound(root_blocks, all, false).bandwidth_ns, 1 + 300);
  check("allgather", bound(all, all_blocks, false).bandwidth_ns, 1 + 300);
  check("all to all", bound(all_blocks, all_blocks, false).bandwidth_ns, 1 + 300);
  check("reduce-scatter computes", bound(all_blocks, all, true).computation_ns, 150);
  check("one rank alone", lower_bound({}, 1, 100, network).ns(), 0);
}

Schedule message(int from, int to, int rank, int64_t bytes) {
  Schedule schedule;
  const Range all{Space::data, 0, bytes};
  if (rank == from) schedule.wait(schedule.send(all, to));
  if (rank == to) schedule.wait(schedule.receive(all, from));
  return schedule;
}

void check_messages() {
  const Piece piece{.latency_ns = 100, .overhead_ns = 10, .overhead_per_byte_ns = 1, .gap_ns = 5, .per_byte_ns = 2};
  const std::vector<Schedule> one = {message(0, 1, 0, 50), message(0, 1, 1, 50)};
  check("at once", modelled_ns(one, 1, Network::uniform(piece)), piece.message_ns(50));
  check("its parts", piece.message_ns(50), 2 * (10 + 50) + 100 + 5 + 100);
  const Piece uneven{
      .latency_ns = 100, .overhead_ns = 10, .receive_overhead_ns = 30, .receive_overhead_per_byte_ns = 2};
  check("a receiver of its own", uneven.message_ns(50), 10 + 100 + 30 + 100);
  check("a receiver of its own, at once", modelled_ns(one, 1, Network::uniform(uneven)), uneven.message_ns(50));
  check("after a handshake", modelled_ns(one, 1, Network::uniform(piece, 49)), piece.message_ns(50) + 200);
  Network quick;
  quick.set(Distance::other_node, Link{{piece}, 49, 30});
  check("after a shorter one", modelled_ns(one, 1, quick), piece.message_ns(50) + 30);
  check("no link", modelled_ns(one, 1, Network{}), -1);

  // Ranks 0 and 1 of one node send to 2 and 3 of another: their node's ports let one message through after the other.
  std::vector<Schedule> two(4);
  for (int rank = 0; rank < 4; ++rank) two[static_cast<size_t>(rank)] = message(rank % 2, rank % 2 + 2, rank, 50);
  const int nodes[] = {0, 0, 1, 1};
  Network network = Network::uniform({.latency_ns = 100, .gap_ns = 5});
  check("two at a time", modelled_ns(two, 1, network, Places{nodes}), 105);
  network.port = {.gap_ns = 40};
  check("one after the other", modelled_ns(two, 1, network, Places{nodes}), 180);
  check("each from its own node", modelled_ns(two, 1, network), 140);
}

// Nodes 0 and 1 are below one switch, 2 and 3 below another, with one link up from each: what crosses shares both
// links.
void check_routes() {
  using leadline::network::Fabric;
  std::vector<Schedule> one(4), two(4), near(4);
  for (int rank = 0; rank < 4; ++rank) {
    const auto at = static_cast<size_t>(rank);
    one[at] = message(0, 2, rank, 50);
    two[at] = message(rank % 2, rank % 2 + 2, rank, 50);
    near[at] = message(0, 1, rank, 50);
  }
  Network network = Network::uniform({.latency_ns = 100, .gap_ns = 5});
  network.topology = {
      .fabric = Fabric::fat_tree, .nodes_per_switch = 2, .switches = {2}, .uplinks = {1}, .gap_ns = 40, .hop_ns = 10};
  check("within a switch", modelled_ns(near, 1, network), 105);
  // Its first byte is there after two hops and the latency, all of it 40 later.
  check("over two links", modelled_ns(one, 1, network), 160);
  check("the second one after the first", modelled_ns(two, 1, network), 200);
  const int nodes[] = {0, 0, 2, 2};
  check("from one node", modelled_ns(two, 1, network, Places{nodes}), 200);
  network.port = {.gap_ns = 60};
  check("a port that is slower than the links", modelled_ns(one, 1, network), 180);
  Network asks = Network::uniform({.latency_ns = 100, .gap_ns = 5}, 49);
  asks.topology = network.topology;
  check("a question and an answer take the hops, too", modelled_ns(one, 1, asks), 2 * 120 + 160);
}

}  // namespace

int main() {
  check_links();
  check_places();
  check_bounds();
  check_messages();
  check_routes();
  return testing::result();
}
