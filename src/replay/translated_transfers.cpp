// What messages cost on their way: from the network, or else from the recording.
#include <utility>

#include "replay/translation.hpp"

namespace leadline::replay {

uint32_t Translation::channel(uint64_t identity, uint32_t from, uint32_t to, int64_t tag) {
  const auto [at, fresh] =
      channels_.try_emplace({identity, from, to, tag}, static_cast<uint32_t>(program_.channels.size()));
  if (!fresh) return at->second;
  program_.channels.push_back({from, to});
  if (has_routes()) program_.route_of.push_back(route(from, to));
  return at->second;
}

bool Translation::has_routes() const {
  return settings_.network && settings_.network->topology.known() && !settings_.ideal;
}

// Between the nodes of two ranks. Only links that some route takes are numbered: few of those that there are.
uint32_t Translation::route(uint32_t from, uint32_t to) {
  const uint32_t nodes[] = {tree_.members[from].node, tree_.members[to].node};
  const auto [at, fresh] = routes_.try_emplace({nodes[0], nodes[1]}, static_cast<uint32_t>(program_.routes.size()));
  if (!fresh) return at->second;
  std::vector<uint32_t> links = settings_.network->topology.route(nodes[0], nodes[1]);
  for (uint32_t& link : links) link = links_.try_emplace(link, static_cast<uint32_t>(links_.size())).first->second;
  program_.links = static_cast<uint32_t>(links_.size());
  program_.routes.push_back(std::move(links));
  return at->second;
}

const network::Link& Translation::link(uint32_t from, uint32_t to) const {
  const bool within = tree_.members[from].node == tree_.members[to].node;
  return *settings_.network->link(within ? network::Distance::node : network::Distance::other_node);
}

// together: with what both ends did in turn.
uint32_t Translation::transfer(uint32_t from, uint32_t to, int64_t bytes, bool posted_before, bool together) {
  const bool within = tree_.members[from].node == tree_.members[to].node;
  const size_t hops = has_routes() ? program_.routes[route(from, to)].size() : 0;
  const auto [at, fresh] = transfers_.try_emplace({within, posted_before, together, bytes, hops},
                                                  static_cast<uint32_t>(program_.transfers.size()));
  if (!fresh) return at->second;
  Transfer t;
  if (settings_.ideal) {
    // Nothing takes any time.
  } else if (!settings_.network) {
    t.latency = t.half_handshake = {picoseconds(settings_.latency_ns), {1, 0, 0, 0}};
    t.eager = bytes <= settings_.eager_bytes;
    t.in_place = t.eager && bytes > settings_.copied_bytes;
    t.progresses = settings_.forced_progress;
    if (waits_for_receiver(bytes)) {
      t.busy.ps = picoseconds(settings_.messages.busy_ns(bytes) * (together ? settings_.messages.together : 1));
    }
  } else {
    const network::Link& way = link(from, to);
    const network::Piece& piece = way.piece(bytes);
    t.latency = {picoseconds(piece.latency_ns), {1, 0, 0, 0}};
    t.busy = {picoseconds(piece.busy_ns(bytes)), {0, 0, 1, bytes}};
    const network::Topology& topology = settings_.network->topology;
    const double on_links_ns = static_cast<double>(hops) * topology.hop_ns;  // they do not wait for other messages
    t.half_handshake = {picoseconds(way.half_handshake_ns(bytes) + on_links_ns),
                        {way.handshake_ns < 0 ? 1 : 0, 0, 0, 0}};
    t.eager = way.is_eager(bytes);
    t.in_place = way.is_in_place(bytes);
    t.progresses = way.progresses || settings_.forced_progress;
    t.by_port = !within && (settings_.network->port.limits() || topology.known());
    if (hops) t.link_busy = {picoseconds(topology.busy_ns(bytes)), {}};
    if (hops) t.hop = {picoseconds(topology.hop_ns), {}};
    if (t.by_port) t.port_busy = {picoseconds(settings_.network->port.busy_ns(bytes)), {}};
    program_.ports = program_.ports || t.by_port;
  }
  if (settings_.forced_eager_bytes >= 0) {
    t.eager = bytes <= settings_.forced_eager_bytes || settings_.ideal;
    t.in_place = false;  // the limit is of messages whose sends wait for nobody
  }
  t.eager = t.eager || posted_before;
  program_.transfers.push_back(t);
  return at->second;
}

}  // namespace leadline::replay
