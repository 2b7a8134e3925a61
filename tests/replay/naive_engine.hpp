// A second engine for the same rules, as simple as can be: calls are expanded, each action of a rank and each step of a
// message is an event in one queue, nothing is skipped. Used to check replay::Engine, with which it shares no code.
#pragma once

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "replay/program.hpp"

namespace naive {

using leadline::replay::Action;
using leadline::replay::Choice;
using leadline::replay::Cost;
using leadline::replay::Element;
using leadline::replay::Program;
using leadline::replay::Shape;
using leadline::replay::Transfer;

struct Result {
  std::vector<int64_t> end_ps;
  uint64_t messages = 0;
  bool ended = true;  // all ranks
};

class Engine {
 public:
  explicit Engine(const Program& program)
      : program_(program), ranks_(program.ranks.size()), nodes_(program.nodes), link_free_(program.links) {
    for (uint32_t i = 0; i < ranks_.size(); ++i) {
      const Shape& shape = program.shapes[program.ranks[i].shape];
      expand(i, shape, shape.root);
      at(0, by_rank, i, 0, i);
    }
    met_.resize(program.groups.size());
    for (size_t g = 0; g < met_.size(); ++g) met_[g].resize(program.groups[g].size());
  }

  Result run() {
    while (!events_.empty()) {
      const Event e = events_.top();
      events_.pop();
      now_ = std::get<0>(e);
      const size_t who = std::get<4>(e);
      if (std::get<1>(e) == question) asked(who);
      if (std::get<1>(e) == answer) answered(who);
      if (std::get<1>(e) == arrival) arrived(who);
      if (std::get<1>(e) == by_rank) act(static_cast<uint32_t>(who));
      if (std::get<1>(e) == departure) departed(who);
    }
    Result result;
    result.messages = sent_;
    for (const Rank& r : ranks_) {
      result.end_ps.push_back(r.clock);
      result.ended = result.ended && r.next == r.actions.size();
    }
    return result;
  }

 private:
  enum Kind { question, answer, arrival, by_rank, departure };
  using Event = std::tuple<int64_t, int, uint64_t, uint64_t, size_t>;  // time, kind, order, who

  struct Request {
    bool known = false, over = false;
    int64_t done = 0, on_wait = 0;
    size_t message = SIZE_MAX;  // of one that passes the port
  };
  struct Rank {
    std::vector<Action> actions;
    size_t next = 0;
    int64_t clock = 0, until = 0, out = 0;                          // until: in a call
    std::vector<std::pair<int64_t, int64_t>> idle{{0, INT64_MAX}};  // the receiving port
    bool waiting = false;
    uint64_t sent = 0;
    std::vector<Request> requests[2];
    std::vector<size_t> to_answer, to_leave;
    std::map<uint32_t, size_t> drawn;
  };
  struct Message {
    uint32_t from, to;
    const Transfer* transfer = nullptr;
    const std::vector<uint32_t>* route = nullptr;
    size_t passed = 0;  // links
    bool sent = false, posted = false, asked = false, served = false, asks = false, buffered = false;
    bool in_place = false;  // its send ends once the receiver has been in a call
    bool send_own = false, receive_own = false;
    int64_t posted_at = 0, head = 0, delivered = 0;
    uint64_t number = 0;
    size_t send_request = 0, receive_request = 0;
  };
  struct Meeting {
    std::map<uint32_t, int64_t> times;
    std::vector<std::tuple<uint32_t, const Action*, size_t>> waiting;  // rank, what, request
  };
  struct Node {
    int64_t out = 0, in = 0;
  };

  void expand(uint32_t rank, const Shape& shape, uint32_t body) {
    const auto& own = program_.ranks[rank];
    for (const Element& e : shape.bodies[body]) {
      for (uint64_t t = 0; t < e.times; ++t) {
        if (e.is_body) {
          expand(rank, shape, e.index);
        } else {
          Choice::Range call{own.first[e.index], own.first[e.index + 1]};
          if (call.begin < call.end && own.actions[call.begin].kind == Action::Kind::choose) {
            const Choice& choice = own.choices[own.actions[call.begin].at];
            uint64_t& calls = chosen_[{rank, own.actions[call.begin].at}];
            call = choice.kinds[choice.of[calls++ % choice.of.size()]];
          }
          ranks_[rank].actions.insert(ranks_[rank].actions.end(), own.actions.begin() + call.begin,
                                      own.actions.begin() + call.end);
        }
      }
    }
  }
  void at(int64_t time, Kind kind, uint64_t first, uint64_t second, size_t who) {
    events_.push({time, kind, first, second, who});
  }
  int64_t ps(uint32_t cost) const { return program_.costs[cost].ps; }

  size_t message(uint32_t channel, uint64_t number) {
    const auto [found, fresh] = by_number_.try_emplace({channel, number}, messages_.size());
    if (fresh) messages_.push_back({program_.channels[channel].from, program_.channels[channel].to});
    if (!program_.route_of.empty()) messages_[found->second].route = &program_.routes[program_.route_of[channel]];
    return found->second;
  }

  void act(uint32_t rank) {
    Rank& r = ranks_[rank];
    if (r.waiting) return settle(rank);
    if (r.next == r.actions.size()) return enter(r);
    const Action& a = r.actions[r.next];
    if (a.kind == Action::Kind::compute) {
      r.clock += a.ps;
    } else if (a.kind == Action::Kind::series) {
      r.clock += program_.ranks[rank].series[a.at].ps.at(r.drawn[a.at]++);
    } else if (a.kind != Action::Kind::mark) {
      enter(r);
      if (a.kind == Action::Kind::call) r.clock += ps(a.cost);
      if (a.kind == Action::Kind::send) send(r, a);
      if (a.kind == Action::Kind::receive) receive(r, a);
      if (a.kind == Action::Kind::meet) meet(rank, r, a);
      if (a.kind == Action::Kind::wait) {
        r.waiting = true;
        return settle(rank);
      }
      r.until = r.clock;
    }
    ++r.next;
    at(r.clock, by_rank, rank, 0, rank);
  }
  void enter(Rank& r) {
    for (const size_t m : std::exchange(r.to_answer, {})) answer_at(m, r.clock);
    for (const size_t m : std::exchange(r.to_leave, {})) leave(m, r.clock);
  }

  void settle(uint32_t rank) {
    Rank& r = ranks_[rank];
    const Action& a = r.actions[r.next];
    std::vector<Request>& all = r.requests[a.own];
    std::vector<Request*> wanted;
    for (uint32_t i = 0; i < a.count; ++i) {
      Request& q = all[all.size() - program_.ranks[rank].ages[a.at + i]];
      if (!q.known) return;
      if (!q.over) wanted.push_back(&q);
    }
    pass_port(r, wanted);
    std::vector<std::pair<int64_t, int64_t>> done;
    for (Request* q : wanted) {
      done.emplace_back(q->done, q->on_wait);
      q->over = true;
    }
    std::stable_sort(done.begin(), done.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    r.clock += ps(a.cost);
    for (const auto& [when, cost] : done) r.clock = std::max(r.clock, when) + cost;
    r.until = r.clock;
    r.waiting = false;
    ++r.next;
    at(r.clock, by_rank, rank, 0, rank);
  }
  // In the order of arrival, each in the first idle time that it fits into. Only the last four are remembered.
  void pass_port(Rank& r, std::vector<Request*> wanted) {
    std::erase_if(wanted, [](const Request* q) { return q->message == SIZE_MAX; });
    const auto order = [this](const Request* q) {
      const Message& m = messages_[q->message];
      return std::make_tuple(m.head, m.from, m.number);
    };
    std::sort(wanted.begin(), wanted.end(), [&](const auto* x, const auto* y) { return order(x) < order(y); });
    for (Request* q : wanted) {
      const Message& m = messages_[q->message];
      const int64_t busy = m.transfer->busy.ps;
      int64_t passed = m.head;
      for (size_t i = 0; busy && i < r.idle.size(); ++i) {
        const auto [from, to] = r.idle[i];
        const int64_t begin = std::max(m.head, from);
        if (to - begin < busy) continue;
        passed = begin + busy;
        std::vector<std::pair<int64_t, int64_t>> left(r.idle.begin(), r.idle.begin() + static_cast<std::ptrdiff_t>(i));
        if (begin > from) left.emplace_back(from, begin);
        if (to > passed) left.emplace_back(passed, to);
        left.insert(left.end(), r.idle.begin() + static_cast<std::ptrdiff_t>(i) + 1, r.idle.end());
        if (left.size() > 5) left.erase(left.begin());
        r.idle = left;
        break;
      }
      q->done = std::max({passed, m.delivered, m.posted_at});
    }
  }
  void know(uint32_t rank, bool own, size_t request, int64_t done) {
    Request& q = ranks_[rank].requests[own][request];
    q.known = true;
    q.done = done;
    if (ranks_[rank].waiting) settle(rank);
  }

  void send(Rank& r, const Action& a) {
    r.clock += ps(a.cost);
    const size_t number = message(a.at, sends_[a.at]++);
    Message& m = messages_[number];
    m.sent = true;
    m.transfer = &program_.transfers[a.transfer];
    m.asks = a.handshake || !m.transfer->eager;
    m.buffered = a.buffered;
    m.send_own = a.own;
    m.number = r.sent++;
    m.send_request = r.requests[a.own].size();
    m.in_place = m.transfer->in_place && !m.asks && !a.buffered;
    r.requests[a.own].push_back({(!m.asks && !m.in_place) || a.buffered, false, r.clock, 0});
    ++sent_;
    if (!m.asks) return leave(number, r.clock);
    at(r.clock + m.transfer->half_handshake.ps, question, m.from, m.number, number);
  }
  void receive(Rank& r, const Action& a) {
    r.clock += ps(a.cost);
    const size_t number = message(a.at, receives_[a.at]++);
    Message& m = messages_[number];
    m.posted = true;
    m.posted_at = r.clock;
    m.receive_own = a.own;
    m.receive_request = r.requests[a.own].size();
    r.requests[a.own].push_back({false, false, 0, ps(a.on_wait), number});
    if (m.served) come(m);
    if (m.asked && !m.in_place) answer_at(number, r.clock);
  }

  static bool in_call(const Message& m, const Rank& r, int64_t time) {
    return m.transfer->progresses || r.waiting || r.next == r.actions.size() || time <= r.until;
  }
  void asked(size_t number) {
    Message& m = messages_[number];
    m.asked = true;
    if (!m.posted && !m.in_place) return;
    if (m.posted_at >= now_ && !m.in_place) return answer_at(number, m.posted_at);
    if (in_call(m, ranks_[m.to], now_)) return answer_at(number, now_);
    ranks_[m.to].to_answer.push_back(number);
  }
  void answer_at(size_t number, int64_t time) {
    const Message& m = messages_[number];
    const int64_t known = time + m.transfer->half_handshake.ps;
    if (m.in_place) return know(m.from, m.send_own, m.send_request, known);
    at(known, answer, m.from, m.number, number);
  }
  void answered(size_t number) {
    Rank& sender = ranks_[messages_[number].from];
    if (in_call(messages_[number], sender, now_)) return leave(number, now_);
    sender.to_leave.push_back(number);
  }
  void leave(size_t number, int64_t ready) {
    at(ready, departure, messages_[number].from, messages_[number].number, number);
  }
  void departed(size_t number) {
    Message& m = messages_[number];
    Rank& sender = ranks_[m.from];
    const Transfer& t = *m.transfer;
    int64_t leaves = std::max(now_, sender.out);
    if (t.by_port && t.port_busy.ps) {
      Node& node = nodes_[program_.ranks[m.from].node];
      leaves = std::max(leaves, node.out);
      node.out = leaves + t.port_busy.ps;
    }
    sender.out = leaves + t.busy.ps;
    m.head = leaves + (t.by_port && m.route && !m.route->empty() ? 0 : t.latency.ps);
    at(m.head, arrival, m.from, m.number, number);
    if (m.asks && !m.buffered) know(m.from, m.send_own, m.send_request, sender.out);
  }
  void arrived(size_t number) {
    Message& m = messages_[number];
    const Transfer& t = *m.transfer;
    if (t.by_port && m.route && m.passed < m.route->size()) {
      int64_t& free = link_free_[(*m.route)[m.passed++]];
      const int64_t further = t.hop.ps + (m.passed == m.route->size() ? t.latency.ps : 0);
      m.head = std::max(m.head, free);
      free = m.head + t.link_busy.ps;
      m.delivered = std::max(m.delivered, free) + further;
      m.head += further;
      return at(m.head, arrival, m.from, m.number, number);
    }
    if (t.by_port && t.port_busy.ps) {
      Node& node = nodes_[program_.ranks[m.to].node];
      node.in = std::max(m.head, node.in) + t.port_busy.ps;
      m.delivered = std::max(m.delivered, node.in);
    }
    m.served = true;
    if (m.in_place) at(std::max(m.head + m.transfer->busy.ps, m.delivered), question, m.from, m.number, number);
    if (m.posted) come(m);
  }
  void come(const Message& m) { know(m.to, m.receive_own, m.receive_request, 0); }

  void meet(uint32_t rank, Rank& r, const Action& a) {
    Meeting& meeting = meetings_[{a.at, met_[a.at][a.count]++}];
    meeting.times[a.count] = r.clock;
    meeting.waiting.push_back({rank, &a, r.requests[a.own].size()});
    r.requests[a.own].push_back({});
    const bool all = meeting.times.size() == program_.groups[a.at].size();
    decltype(meeting.waiting) left, over;
    for (const auto& w : meeting.waiting) (may_go(meeting, *std::get<1>(w), all) ? over : left).push_back(w);
    meeting.waiting = left;
    for (const auto& [who, what, request] : over) {
      int64_t begin = 0;
      for (const auto& [member, time] : meeting.times)
        if (heeds(*what, member)) begin = std::max(begin, time);
      know(who, what->own, request, begin + ps(what->cost));
    }
  }
  // Whether the rank that does `a` waits for that member.
  static bool heeds(const Action& a, uint32_t member) {
    if (member == a.count || a.meeting == Action::Meeting::all) return true;
    if (a.meeting == Action::Meeting::to_root) return a.count == a.root;
    if (a.meeting == Action::Meeting::from_root) return member == a.root;
    return member < a.count;
  }
  bool may_go(const Meeting& meeting, const Action& a, bool all) const {
    if (all) return true;
    for (uint32_t i = 0; i < program_.groups[a.at].size(); ++i)
      if (heeds(a, i) && !meeting.times.count(i)) return false;
    return true;
  }

  const Program& program_;
  std::vector<Rank> ranks_;
  std::vector<Node> nodes_;
  std::vector<int64_t> link_free_;  // between switches
  std::vector<Message> messages_;
  std::map<std::pair<uint32_t, uint64_t>, size_t> by_number_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> chosen_;  // calls, by rank and choice
  std::map<uint32_t, uint64_t> sends_, receives_;
  std::vector<std::vector<uint64_t>> met_;
  std::map<std::pair<uint32_t, uint64_t>, Meeting> meetings_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  int64_t now_ = 0;
  uint64_t sent_ = 0;
};

}  // namespace naive
