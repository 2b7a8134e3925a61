// Random programs that do not deadlock: all ranks go through the same operations in the same order, each in its own
// way.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "builder.hpp"

namespace leadline::test {

class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed), builder_(below(4) + 2), varies_(below(4) == 0) {
    ranks_ = static_cast<uint32_t>(builder_.program.ranks.size());
    Program& p = builder_.program;
    const bool ports = below(3) == 0, routes = ports && below(2);
    if (ports) {
      p.nodes = routes ? 2 + below(4) : 2;
      for (uint32_t i = 0; i < ranks_; ++i) p.ranks[i].node = i % p.nodes;
    }
    for (int i = 0; i < 4; ++i) {
      ways_.push_back({time(3000), time(900) + 1, below(5) ? time(2000) : 0, time(1500), below(2) == 0, false,
                       below(2) ? -1 : time(2000)});
      ways_.back().progresses = below(3) == 0;
      ways_.back().in_place = ways_.back().eager && below(2) == 0;
      if (ways_.back().busy > 8) ways_.back().bytes = 1 + 2 * i;
      if (routes && below(4) == 0) ways_.back().port_busy = 0;
      if (routes) ways_.back().link_busy = below(4) ? time(2500) : 0;
      if (routes) ways_.back().hop = below(4) ? time(400) : 0;
    }
    ports_ = ports;
    p.groups.emplace_back();
    for (uint32_t i = 0; i < ranks_; ++i) p.groups[0].push_back(i);
    some();
    const uint64_t iterations = 2 + below(60);
    for (uint32_t i = 0; i < ranks_; ++i) builder_.loop(i, iterations);
    some();
    if (below(2)) {
      const uint64_t inner = 1 + below(9);
      for (uint32_t i = 0; i < ranks_; ++i) builder_.loop(i, inner);
      some();
      for (uint32_t i = 0; i < ranks_; ++i) builder_.end(i);
      if (below(2)) some();
    }
    for (uint32_t i = 0; i < ranks_; ++i) builder_.end(i);
    some();
    for (Shape& shape : builder_.program.shapes) remove_empty(&shape);
    if (routes) route();
  }

  const Program& program() const { return builder_.program; }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  int64_t time(uint32_t n) { return below(n); }
  Way way(uint32_t from, uint32_t to) {
    Way w = ways_[below(4)];
    const auto& ranks = builder_.program.ranks;
    w.by_port = ports_ && ranks[from].node != ranks[to].node;
    return w;
  }

  // Any links in any order, some of them shared, the same for all messages between two nodes.
  void route() {
    constexpr uint32_t links = 5;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> known;
    builder_.route(links, [&](uint32_t from, uint32_t to) {
      const auto [at, fresh] = known.try_emplace({from, to});
      for (uint32_t hops = fresh && from != to ? below(5) : 0; hops; --hops) at->second.push_back(below(links));
      return at->second;
    });
  }
  void some() {
    for (uint32_t n = below(3) + 1; n; --n) {
      switch (below(varies_ ? 6 : 5)) {
        case 0:
          blocking();
          break;
        case 1:
          meeting();
          break;
        case 2:
          mixed();
          break;
        case 5:
          varied();
          break;
        default:
          exchange();
      }
    }
  }
  void compute(uint32_t rank) {
    if (below(2)) builder_.compute(rank, time(8000));
  }
  void blocking() {
    const uint32_t from = below(ranks_), to = (from + 1 + below(ranks_ - 1)) % ranks_;
    const Way w = way(from, to);
    compute(from);
    builder_.send(from, to, w);
    compute(to);
    builder_.receive(to, from, w);
  }
  // Messages that differ from one iteration to the next; some iterations have none.
  void varied() {
    const uint32_t from = below(ranks_), to = (from + 1 + below(ranks_ - 1)) % ranks_;
    std::vector<std::vector<Action>> sends(1), receives(1);
    for (uint32_t kind = 1 + below(3); kind; --kind) {
      const Way w = way(from, to);
      const uint32_t tag = 6 + below(2);
      sends.push_back(builder_.blocking(true, from, to, w, tag, below(6) == 0));
      receives.push_back(builder_.blocking(false, from, to, w, tag));
    }
    std::vector<uint32_t> of;
    for (uint32_t calls = 1 + below(9); calls; --calls) of.push_back(below(static_cast<uint32_t>(sends.size())));
    compute(from);
    builder_.choose(from, sends, of);
    compute(to);
    builder_.choose(to, receives, of);
  }
  // Blocking calls whose other side is nonblocking. All of these come first, so that no blocking call waits for
  // another.
  void mixed() {
    struct Call {
      bool sends;
      uint32_t other, tag;
      Way way;
      bool handshake;
    };
    std::vector<std::vector<Call>> blocking(ranks_);
    std::vector<std::vector<uint64_t>> requests(ranks_);
    const uint32_t messages = 1 + below(2 * ranks_);
    for (uint32_t n = 0; n < messages; ++n) {
      const uint32_t from = below(ranks_), to = (from + 1 + below(ranks_ - 1)) % ranks_;
      const Way w = way(from, to);
      const bool handshake = below(6) == 0;
      if (below(3)) {
        compute(to);
        requests[to].push_back(builder_.irecv(to, from, w, 4));
        blocking[from].push_back({true, to, 4, w, handshake});
      } else {
        compute(from);
        requests[from].push_back(builder_.isend(from, to, w, 5, false, handshake));
        blocking[to].push_back({false, from, 5, w, false});
      }
    }
    for (uint32_t i = 0; i < ranks_; ++i) {
      for (const Call& c : blocking[i]) {
        compute(i);
        if (c.sends) {
          builder_.blocking_send(i, c.other, c.way, c.tag, c.handshake);
        } else {
          builder_.blocking_receive(i, c.other, c.way, c.tag);
        }
      }
      compute(i);
      if (!requests[i].empty()) builder_.wait(i, requests[i], time(300));
    }
  }
  void meeting() {
    const auto kind = static_cast<Action::Meeting>(below(4));
    const uint32_t root = below(ranks_);
    const bool later = below(3) == 0;
    for (uint32_t i = 0; i < ranks_; ++i) {
      compute(i);
      const uint64_t request = builder_.meet(i, 0, kind, root, time(3000) + 1);
      if (later) compute(i);
      builder_.wait(i, {request});
    }
  }
  // Any messages at once; each rank posts in an order of its own and waits in groups of its own.
  void exchange() {
    struct Post {
      bool sends;
      uint32_t other, tag;
      Way way;
      bool buffered, handshake;
    };
    std::vector<std::vector<Post>> posts(ranks_);
    const uint32_t messages = 1 + below(3 * ranks_);
    for (uint32_t tag = 0; tag < messages; ++tag) {
      const uint32_t from = below(ranks_), to = below(6) ? (from + 1 + below(ranks_ - 1)) % ranks_ : from;
      const Way w = way(from, to);
      const bool buffered = below(8) == 0, handshake = !buffered && below(8) == 0;
      posts[from].push_back({true, to, 1 + tag % 3, w, buffered, handshake});
      posts[to].push_back({false, from, 1 + tag % 3, w, false, false});
    }
    for (uint32_t i = 0; i < ranks_; ++i) {
      // Those of a channel are sent and received with the same sizes in the same order, so only the others are mixed.
      std::vector<Post>& own = posts[i];
      for (size_t k = own.size(); k > 1; --k) {
        const size_t other = below(static_cast<uint32_t>(k));
        Post &a = own[k - 1], &b = own[other];
        if (a.sends != b.sends && other + 1 == k - 1) std::swap(a, b);
      }
      std::vector<uint64_t> requests;
      for (const Post& p : own) {
        compute(i);
        requests.push_back(p.sends ? builder_.isend(i, p.other, p.way, p.tag, p.buffered, p.handshake)
                                   : builder_.irecv(i, p.other, p.way, p.tag));
      }
      std::shuffle(requests.begin(), requests.end(), random_);
      while (!requests.empty()) {
        compute(i);
        const size_t n = std::min<size_t>(requests.size(), 1 + below(5));
        builder_.wait(i, {requests.end() - static_cast<std::ptrdiff_t>(n), requests.end()}, time(300));
        requests.resize(requests.size() - n);
      }
    }
  }

  std::mt19937_64 random_;
  Builder builder_;
  bool varies_;  // then no state is steady
  uint32_t ranks_ = 0;
  std::vector<Way> ways_;
  bool ports_ = false;
};

}  // namespace leadline::test
