// The model's clock: ranks take their steps in order of time, so that a port serves messages as they arrive.
#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "collectives/cost.hpp"
#include "collectives/node_cost.hpp"

namespace leadline::collectives {

using network::Distance;
using network::Link;
using network::Network;
using network::Piece;
using network::Places;

namespace {

constexpr double pending = -1;
constexpr uint32_t unknown = UINT32_MAX;

struct Message {
  int from = -1, to = -1;
  uint32_t sent_by = unknown, received_by = unknown;  // requests
  double sent_at = 0, received_at = 0;                // when those were made
  double ready = 0, arrives = pending;                // when it may leave, and its last byte is there
  double head = 0, delivered = 0;                     // on links: when its first byte, and all of it, is as far
  size_t links = 0;                                   // that it has passed
  int64_t bytes = 0;
};

struct Channel {  // messages of which one side is known, in order
  std::vector<uint32_t> messages;
  size_t next = 0;
  bool sent = false;
};

struct Rank {
  double clock = 0, out_free = 0, in_free = 0;
  size_t step = 0;
  std::vector<double> done;        // by request
  std::vector<double> on_waiting;  // by request: of a receive, the overhead
  int64_t waits_for = -1;
  std::vector<uint32_t> leaving;  // messages, from `left` on
  size_t left = 0;
  double leaves_at = pending;  // when one of them does
  bool has_met = false;        // its step together is over
};

// A node's connection to the others: each of its directions is free again then.
struct NodePort {
  double out_free = 0, in_free = 0;
};

class Simulation {
 public:
  Simulation(std::span<const Schedule> schedules, int64_t element_bytes, const Network& network, const Places& places)
      : schedules_(schedules),
        element_bytes_(element_bytes),
        network_(network),
        places_(places),
        ranks_(schedules.size()) {
    for (size_t i = 0; i < ranks_.size(); ++i) {
      ports_.resize(std::max(ports_.size(), node_of(static_cast<int>(i)) + 1));
      ranks_[i].done.assign(schedules[i].requests, pending);
      ranks_[i].on_waiting.assign(schedules[i].requests, 0);
      events_.push({0, Event::Kind::go_on, static_cast<int>(i)});
    }
  }

  double run() {
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.kind == Event::Kind::go_on)
        advance(event.rank);
      else if (event.kind == Event::Kind::come)
        come(event.message);
      else if (event.at == at(event.rank).leaves_at)
        leave(at(event.rank), event.at);
    }
    double last = 0;
    for (size_t i = 0; i < ranks_.size(); ++i) {
      if (ranks_[i].step < schedules_[i].steps.size()) return -1;
      last = std::max(last, ranks_[i].clock);
    }
    return last;
  }

 private:
  struct Event {
    // A rank goes on; its message comes to the next link, or to its receiver; its next message leaves. The message that
    // leaves at a time is chosen after all other events of that time.
    enum class Kind : uint8_t { go_on, come, leave };
    double at;
    Kind kind;
    int rank;
    uint32_t message = unknown;
    bool operator>(const Event& other) const {
      return std::tie(at, kind, rank, message) > std::tie(other.at, other.kind, other.rank, other.message);
    }
  };

  Rank& at(int rank) { return ranks_[static_cast<size_t>(rank)]; }

  void advance(int rank) {
    Rank& r = at(rank);
    const std::vector<Step>& steps = schedules_[static_cast<size_t>(rank)].steps;
    while (r.step < steps.size()) {
      if (!events_.empty() && events_.top().at < r.clock) return events_.push({r.clock, Event::Kind::go_on, rank});
      if (!perform(rank, r, steps[r.step])) return;
      ++r.step;
    }
  }

  bool perform(int rank, Rank& r, const Step& step) {
    const double bytes = static_cast<double>(step.to.count * element_bytes_);
    switch (step.kind) {
      case Step::Kind::send:
        r.clock += piece(rank, step.peer, step.from).processor_ns(step.from.count * element_bytes_);
        post(rank, step, true);
        return true;
      case Step::Kind::receive:
        post(rank, step, false);
        return true;
      case Step::Kind::wait:
        return wait(r, step.request);
      case Step::Kind::copy:
        r.clock += bytes * network_.copy_per_byte_ns;
        return true;
      case Step::Kind::reduce:
        r.clock += bytes * network_.reduce_per_byte_ns;
        return true;
      case Step::Kind::together:
        return join(rank, r, step);
      case Step::Kind::native:
        return false;
    }
    return false;
  }

  // Of the ranks of a node: those that have come to their next step together.
  struct Meeting {
    std::vector<int> ranks;  // of the node
    size_t came = 0;
    int64_t count = 0;  // elements of a block
  };

  // They go on when all have come, each at its time.
  bool join(int rank, Rank& r, const Step& step) {
    if (r.has_met) {
      r.has_met = false;
      return true;
    }
    Meeting& meeting = meetings_[places_.node_of ? places_.node_of[rank] : 0];
    if (meeting.ranks.empty()) {
      for (size_t i = 0; i < ranks_.size(); ++i)
        if (!places_.node_of || places_.node_of[i] == places_.node_of[rank])
          meeting.ranks.push_back(static_cast<int>(i));
    }
    meeting.count = std::max({meeting.count, step.from.count, step.to.count});
    if (++meeting.came < meeting.ranks.size()) return false;
    std::vector<double> times;
    for (const int other : meeting.ranks) times.push_back(at(other).clock);
    model_together(step.operation, step.root, meeting.count * element_bytes_, network_, &times);
    for (size_t i = 0; i < times.size(); ++i) {
      Rank& other = at(meeting.ranks[i]);
      other.clock = times[i];
      if (meeting.ranks[i] == rank) continue;
      other.has_met = true;
      events_.push({times[i], Event::Kind::go_on, meeting.ranks[i]});
    }
    meeting.came = 0;
    meeting.count = 0;
    return true;
  }

  bool wait(Rank& r, uint32_t request) {
    const double done = r.done[request];
    if (done == pending) {
      r.waits_for = request;
      return false;
    }
    r.clock = std::max(r.clock, done) + r.on_waiting[request];
    return true;
  }

  const Link& between(int one, int other) const { return *network_.link(places_.between(one, other)); }
  const Piece& piece(int one, int other, const Range& range) const {
    return between(one, other).piece(range.count * element_bytes_);
  }
  size_t node_of(int rank) const { return static_cast<size_t>(places_.node_of ? places_.node_of[rank] : rank); }

  bool is_eager(const Message& message) const { return between(message.from, message.to).is_eager(message.bytes); }

  void post(int rank, const Step& step, bool is_send) {
    const int from = is_send ? rank : step.peer, to = is_send ? step.peer : rank;
    Channel& channel = channels_[static_cast<uint64_t>(from) << 32 | static_cast<uint32_t>(to)];
    const bool known = channel.next < channel.messages.size() && channel.sent != is_send;
    if (channel.next == channel.messages.size()) channel = {{}, 0, is_send};
    if (!known) {
      channel.messages.push_back(static_cast<uint32_t>(messages_.size()));
      messages_.push_back({});
    }
    const uint32_t number = known ? channel.messages[channel.next++] : channel.messages.back();
    Message& message = messages_[number];
    message.from = from;
    message.to = to;
    if (is_send) {
      message.sent_by = step.request;
      message.sent_at = at(rank).clock;
      message.bytes = step.from.count * element_bytes_;
    } else {
      message.received_by = step.request;
      message.received_at = at(rank).clock;
      at(rank).on_waiting[step.request] = piece(from, to, step.to).receiver_ns(step.to.count * element_bytes_);
    }
    if (is_send && is_eager(message)) queue(number, message.sent_at);
    if (!known) return;
    const double on_links = static_cast<double>(route(message).size()) * network_.topology.hop_ns;
    const double half = between(from, to).half_handshake_ns(message.bytes) + on_links;
    if (!is_eager(message))
      queue(number, std::max(message.sent_at + half, message.received_at) + half);
    else if (message.arrives != pending)
      complete(to, message.received_by, std::max(message.arrives, message.received_at));
  }

  void queue(uint32_t number, double ready) {
    messages_[number].ready = ready;
    const int from = messages_[number].from;
    Rank& sender = at(from);
    sender.leaving.push_back(number);
    const double leaves = std::max(ready, sender.out_free);
    if (sender.leaves_at == pending || leaves < sender.leaves_at)
      events_.push({sender.leaves_at = leaves, Event::Kind::leave, from});
  }

  // For the message that may leave next.
  void wake(Rank& sender) {
    double ready = messages_[sender.leaving[sender.left]].ready;
    for (size_t i = sender.left; i < sender.leaving.size() && ready > sender.out_free; ++i)
      ready = std::min(ready, messages_[sender.leaving[i]].ready);
    sender.leaves_at = std::max(ready, sender.out_free);
    events_.push({sender.leaves_at, Event::Kind::leave, messages_[sender.leaving[sender.left]].from});
  }

  void leave(Rank& sender, double now) {
    // The one that was sent first of those that may go.
    const auto first = sender.leaving.begin() + static_cast<std::ptrdiff_t>(sender.left);
    auto chosen = first;
    for (auto it = first; it != sender.leaving.end(); ++it)
      if (messages_[*it].ready <= now &&
          (messages_[*chosen].ready > now || messages_[*it].sent_by < messages_[*chosen].sent_by))
        chosen = it;
    std::iter_swap(first, chosen);
    const uint32_t number = sender.leaving[sender.left++];
    Message& message = messages_[number];
    if (route(message).empty())
      arrive(message, pass_ports(message, now));
    else
      enter_links(number, message, now);
    complete(message.from, message.sent_by, sender.out_free);
    sender.leaves_at = pending;
    if (sender.left < sender.leaving.size()) wake(sender);
  }

  // When its last byte is there. It keeps both ranks' ports busy, and those of their nodes.
  double pass_ports(const Message& message, double now) {
    const Piece& piece = between(message.from, message.to).piece(message.bytes);
    Rank &sender = at(message.from), &receiver = at(message.to);
    NodePort &from = ports_[node_of(message.from)], &to = ports_[node_of(message.to)];
    const double busy = piece.busy_ns(message.bytes);
    if (!network_.port.limits() || places_.between(message.from, message.to) != Distance::other_node) {
      sender.out_free = now + busy;
      return receiver.in_free = std::max(now + piece.latency_ns, receiver.in_free) + busy;
    }
    const double port_busy = network_.port.busy_ns(message.bytes), leaves = std::max(now, from.out_free);
    from.out_free = leaves + port_busy;
    to.in_free = std::max(leaves + piece.latency_ns, to.in_free) + port_busy;
    sender.out_free = leaves + busy;
    receiver.in_free = std::max(std::max(leaves + piece.latency_ns, receiver.in_free) + busy, to.in_free);
    return receiver.in_free;
  }

  void arrive(Message& message, double when) {
    message.arrives = when;
    if (message.received_by != unknown) complete(message.to, message.received_by, std::max(when, message.received_at));
  }

  // The links between the nodes of its ends; none without a topology.
  const std::vector<uint32_t>& route(const Message& message) {
    const auto from = static_cast<int64_t>(node_of(message.from)), to = static_cast<int64_t>(node_of(message.to));
    if (!network_.topology.known() || from == to) return no_links_;
    const auto [at, fresh] = routes_.try_emplace(static_cast<uint64_t>(from) << 32 | static_cast<uint64_t>(to));
    if (fresh) at->second = network_.topology.route(from, to);
    return at->second;
  }

  // Through the ports of its sender and of that one's node.
  void enter_links(uint32_t number, Message& message, double now) {
    NodePort& from = ports_[node_of(message.from)];
    const double leaves = std::max(now, from.out_free);
    from.out_free = leaves + network_.port.busy_ns(message.bytes);
    at(message.from).out_free = leaves + between(message.from, message.to).piece(message.bytes).busy_ns(message.bytes);
    message.head = message.delivered = leaves;
    events_.push({leaves, Event::Kind::come, message.from, number});
  }

  // To the next link of its route. Its first byte goes on as soon as that is free; the slowest link says when all of it
  // is there. The latency comes after the last one.
  void come(uint32_t number) {
    Message& message = messages_[number];
    const std::vector<uint32_t>& links = route(message);
    const Piece& piece = between(message.from, message.to).piece(message.bytes);
    if (message.links == links.size()) return come_to_receiver(message, piece.busy_ns(message.bytes));
    double& free = links_free_[links[message.links]];
    const double begin = std::max(message.head, free), hop = network_.topology.hop_ns;
    free = begin + network_.topology.busy_ns(message.bytes);
    const double latency = ++message.links == links.size() ? piece.latency_ns : 0;
    message.head = begin + hop + latency;
    message.delivered = std::max(message.delivered, free) + hop + latency;
    events_.push({message.head, Event::Kind::come, message.from, number});
  }

  void come_to_receiver(Message& message, double busy) {
    Rank& receiver = at(message.to);
    NodePort& to = ports_[node_of(message.to)];
    to.in_free = std::max(message.head, to.in_free) + network_.port.busy_ns(message.bytes);
    receiver.in_free = std::max({std::max(message.head, receiver.in_free) + busy, to.in_free, message.delivered});
    arrive(message, receiver.in_free);
  }

  void complete(int rank, uint32_t request, double when) {
    Rank& r = at(rank);
    r.done[request] = when;
    if (r.waits_for != request) return;
    r.waits_for = -1;
    events_.push({std::max(r.clock, when), Event::Kind::go_on, rank});
  }

  std::span<const Schedule> schedules_;
  int64_t element_bytes_;
  const Network& network_;
  const Places& places_;
  std::vector<Rank> ranks_;
  std::vector<NodePort> ports_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Message> messages_;
  std::unordered_map<int, Meeting> meetings_;                   // by node
  std::unordered_map<uint64_t, Channel> channels_;              // from << 32 | to
  std::unordered_map<uint64_t, std::vector<uint32_t>> routes_;  // from << 32 | to, nodes
  std::unordered_map<uint32_t, double> links_free_;             // by link
  const std::vector<uint32_t> no_links_;
};

}  // namespace

double modelled_ns(std::span<const Schedule> schedules, int64_t element_bytes, const Network& network,
                   const Places& places) {
  if (!network.link(Distance::other_node)) return -1;
  return Simulation(schedules, element_bytes, network, places).run();
}

}  // namespace leadline::collectives
