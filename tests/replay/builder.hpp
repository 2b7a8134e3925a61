// Programs for tests, written as a person would: rank by rank, call by call.
#pragma once

#include <compare>
#include <map>
#include <tuple>
#include <vector>

#include "replay/program.hpp"

namespace leadline::test {

using namespace leadline::replay;

struct Way {  // between two ranks, in picoseconds
  int64_t latency = 0, overhead = 0, busy = 0, port_busy = 0;
  bool eager = true, by_port = false;
  int64_t half_handshake = -1;  // -1: as the latency
  int64_t bytes = 0;            // on which `busy` depends
  bool progresses = false;
  bool in_place = false;
  int64_t link_busy = 0, hop = 0;

  auto operator<=>(const Way&) const = default;
};

class Builder {
 public:
  explicit Builder(uint32_t ranks) : made_(ranks), made_in_(ranks) {
    program.ranks.resize(ranks);
    program.nodes = ranks;
    for (uint32_t i = 0; i < ranks; ++i) {
      Shape& shape = program.shapes.emplace_back();
      shape.bodies.emplace_back();
      program.ranks[i].shape = program.ranks[i].node = i;
      program.ranks[i].first = {0};
      made_[i] = {0};
      open_.push_back({0});
    }
  }

  Program program;

  uint32_t cost(int64_t ps, const Share& share = {}) {
    const auto key = std::make_tuple(ps, share.latencies, share.overheads, share.gaps, share.gap_bytes);
    const auto [at, fresh] = costs_.try_emplace(key, static_cast<uint32_t>(program.costs.size()));
    if (fresh) program.costs.push_back({ps, share});
    return at->second;
  }
  uint32_t transfer(const Way& way) {
    const auto [at, fresh] = transfers_.try_emplace(way, static_cast<uint32_t>(program.transfers.size()));
    if (!fresh) return at->second;
    const int64_t half = way.half_handshake < 0 ? way.latency : way.half_handshake;
    program.transfers.push_back({{way.latency, {1, 0, 0, 0}},
                                 {way.busy, {0, 0, way.busy ? 1 : 0, way.bytes}},
                                 {half, {way.half_handshake < 0 ? 1 : 0, 0, 0, 0}},
                                 {way.port_busy, {}},
                                 {way.link_busy, {}},
                                 {way.hop, {}},
                                 way.eager,
                                 way.in_place,
                                 way.by_port,
                                 way.progresses});
    program.ports = program.ports || way.by_port;
    return at->second;
  }
  uint32_t channel(uint32_t from, uint32_t to, uint32_t tag = 0) {
    const auto [at, fresh] = channels_.try_emplace({from, to, tag}, static_cast<uint32_t>(program.channels.size()));
    if (fresh) program.channels.push_back({from, to});
    return at->second;
  }

  // Once all channels are there: the links of each, by the nodes of its ranks.
  template <class RouteOf>
  void route(uint32_t links, const RouteOf& of) {
    program.links = links;
    program.routes.clear();
    program.route_of.clear();
    for (const Ends& ends : program.channels) {
      program.route_of.push_back(static_cast<uint32_t>(program.routes.size()));
      program.routes.push_back(of(program.ranks[ends.from].node, program.ranks[ends.to].node));
    }
  }

  void add(uint32_t rank, const std::vector<Action>& actions) {
    RankProgram& own = program.ranks[rank];
    Shape& shape = program.shapes[rank];
    own.actions.insert(own.actions.end(), actions.begin(), actions.end());
    own.first.push_back(static_cast<uint32_t>(own.actions.size()));
    shape.bodies[open_[rank].back()].push_back({shape.calls++, false, 1});
  }
  void compute(uint32_t rank, int64_t ps) {
    Action a;
    a.ps = ps;
    add(rank, {a});
  }
  // The number of the request that it makes, for wait().
  uint64_t isend(uint32_t from, uint32_t to, const Way& way, uint32_t tag = 0, bool buffered = false,
                 bool handshake = false) {
    Action a;
    a.kind = Action::Kind::send;
    a.at = channel(from, to, tag);
    a.cost = cost(way.overhead, {0, 1, 0, 0});
    a.transfer = transfer(way);
    a.buffered = buffered;
    a.handshake = handshake;
    add(from, {a});
    return ++made_[from][0];
  }
  uint64_t irecv(uint32_t to, uint32_t from, const Way& way, uint32_t tag = 0) {
    Action a;
    a.kind = Action::Kind::receive;
    a.at = channel(from, to, tag);
    a.on_wait = cost(way.overhead, {0, 1, 0, 0});
    a.transfer = transfer(way);
    add(to, {a});
    return ++made_[to][0];
  }
  uint64_t meet(uint32_t rank, uint32_t group, Action::Meeting kind, uint32_t root, int64_t ps) {
    Action a;
    a.kind = Action::Kind::meet;
    a.meeting = kind;
    a.at = group;
    while (program.groups[group][a.count] != rank) ++a.count;
    a.root = root;
    a.cost = cost(ps);
    add(rank, {a});
    return ++made_[rank][0];
  }
  void wait(uint32_t rank, const std::vector<uint64_t>& requests, int64_t ps = 0) {
    of_requests(Action::Kind::wait, rank, requests, ps);
  }
  void withdraw(uint32_t rank, const std::vector<uint64_t>& requests) {
    of_requests(Action::Kind::withdraw, rank, requests, 0);
  }
  void of_requests(Action::Kind kind, uint32_t rank, const std::vector<uint64_t>& requests, int64_t ps) {
    RankProgram& own = program.ranks[rank];
    Action a;
    a.kind = kind;
    a.at = static_cast<uint32_t>(own.ages.size());
    a.count = static_cast<uint32_t>(requests.size());
    a.cost = ps ? cost(ps) : 0;
    for (const uint64_t r : requests) own.ages.push_back(static_cast<uint32_t>(made_[rank][0] - r + 1));
    add(rank, {a});
  }
  // One call that sends and waits, as MPI_Send, whose request is counted apart.
  void blocking_send(uint32_t from, uint32_t to, const Way& way, uint32_t tag = 0, bool handshake = false) {
    add(from, blocking(true, from, to, way, tag, handshake));
  }
  void blocking_receive(uint32_t to, uint32_t from, const Way& way, uint32_t tag = 0) {
    add(to, blocking(false, from, to, way, tag));
  }
  std::vector<Action> blocking(bool sends, uint32_t from, uint32_t to, const Way& way, uint32_t tag,
                               bool handshake = false) {
    Action a;
    a.kind = sends ? Action::Kind::send : Action::Kind::receive;
    a.own = true;
    a.at = channel(from, to, tag);
    (sends ? a.cost : a.on_wait) = cost(way.overhead, {0, 1, 0, 0});
    a.transfer = transfer(way);
    a.handshake = handshake;
    return {a, own_wait(sends ? from : to)};
  }
  // One call that does one of these each time, over and over as `of` says.
  void choose(uint32_t rank, const std::vector<std::vector<Action>>& kinds, const std::vector<uint32_t>& of) {
    RankProgram& own = program.ranks[rank];
    Choice& choice = own.choices.emplace_back();
    choice.of = of;
    std::vector<Action> all(1);
    all[0].kind = Action::Kind::choose;
    all[0].at = static_cast<uint32_t>(own.choices.size() - 1);
    for (const std::vector<Action>& kind : kinds) {
      const auto begin = static_cast<uint32_t>(own.actions.size() + all.size());
      all.insert(all.end(), kind.begin(), kind.end());
      choice.kinds.push_back({begin, begin + static_cast<uint32_t>(kind.size())});
    }
    add(rank, all);
  }
  void send(uint32_t from, uint32_t to, const Way& way, uint32_t tag = 0) { wait(from, {isend(from, to, way, tag)}); }
  void receive(uint32_t to, uint32_t from, const Way& way, uint32_t tag = 0) { wait(to, {irecv(to, from, way, tag)}); }

  // Until end(), calls of the rank are in a loop.
  void loop(uint32_t rank, uint64_t iterations) {
    Shape& shape = program.shapes[rank];
    const auto body = static_cast<uint32_t>(shape.bodies.size());
    shape.bodies[open_[rank].back()].push_back({body, true, iterations});
    shape.bodies.emplace_back();
    open_[rank].push_back(body);
    made_in_[rank].push_back({iterations, made_[rank][0]});
  }
  void end(uint32_t rank) {
    open_[rank].pop_back();
    const auto [iterations, before] = made_in_[rank].back();
    made_in_[rank].pop_back();
    made_[rank][0] += (made_[rank][0] - before) * (iterations - 1);
  }

 private:
  Action own_wait(uint32_t rank) {
    RankProgram& own = program.ranks[rank];
    Action a;
    a.kind = Action::Kind::wait;
    a.own = true;
    a.at = static_cast<uint32_t>(own.ages.size());
    a.count = 1;
    own.ages.push_back(1);
    return a;
  }

  std::vector<std::vector<uint64_t>> made_;
  std::vector<std::vector<std::pair<uint64_t, uint64_t>>> made_in_;
  std::vector<std::vector<uint32_t>> open_;  // bodies
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> channels_;
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t>, uint32_t> costs_;
  std::map<Way, uint32_t> transfers_;
};

}  // namespace leadline::test
