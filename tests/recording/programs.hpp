// Synthetic sequences of events, like those of MPI programs of many kinds, without MPI.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "trace/event.hpp"

namespace leadline::trace::programs {

using Random = std::mt19937_64;

inline uint64_t below(Random& r, uint64_t n) { return r() % n; }

inline Key plain(uint32_t site, int64_t count, int32_t peer, int32_t tag, uint32_t extra = 0) {
  Key k;
  k.site = site;
  k.comm = 1;
  k.count = count;
  k.peer = peer;
  k.tag = tag;
  k.datatype = 3;
  k.extra = extra;
  return k;
}

inline Key poll(uint32_t site) {
  Key k;
  k.site = site;
  k.comm = flag_nothing;
  k.extra = extra_nothing;
  return k;
}

// A random tree of loops whose leaves are calls.
struct Node {
  std::vector<Node> body;
  std::vector<Key> calls;
  uint64_t least = 1, most = 1;
  bool polls = false;
};

inline Node random_tree(Random& r, int depth) {
  Node n;
  n.least = 1 + below(r, 6);
  n.most = n.least + (below(r, 3) == 0 ? below(r, 5) : 0);
  const uint64_t calls = 1 + below(r, 12);
  for (uint64_t i = 0; i < calls; ++i) {
    n.calls.push_back(plain(static_cast<uint32_t>(1 + below(r, 40)), static_cast<int64_t>(below(r, 5)) * 100,
                            static_cast<int32_t>(below(r, 3)) - 1, static_cast<int32_t>(below(r, 4))));
  }
  n.polls = below(r, 4) == 0;
  if (depth > 0) {
    for (uint64_t i = 0, children = below(r, 4); i < children; ++i) n.body.push_back(random_tree(r, depth - 1));
  }
  return n;
}

inline void run_tree(Random& r, const Node& n, std::vector<Key>* log, size_t limit) {
  const uint64_t iterations = n.least + (n.most > n.least ? below(r, n.most - n.least + 1) : 0);
  for (uint64_t t = 0; t < iterations && log->size() < limit; ++t) {
    for (const Key& k : n.calls) log->push_back(k);
    if (n.polls) {
      for (uint64_t i = 0, times = below(r, 6); i < times; ++i) log->push_back(poll(50));
      log->push_back(plain(51, 1, 0, 0));
    }
    for (const Node& child : n.body) run_tree(r, child, log, limit);
  }
}

inline void push_no_structure(Random& r, size_t n, std::vector<Key>* log) {
  for (size_t i = 0; i < n; ++i) {
    const Key k = plain(1, 8, 1, static_cast<int32_t>(below(r, 1u << 24)));
    for (uint64_t times = below(r, 8) ? 1 : 1 + below(r, 5); times > 0; --times) log->push_back(k);
  }
}

// Failed polls of several kinds in any order.
inline void push_polls(Random& r, uint64_t n, std::vector<Key>* log) {
  for (; n > 0; --n) log->push_back(poll(static_cast<uint32_t>(60 + below(r, 3))));
}

// Stretches of every kind, in random order and of random length: what meets at their seams is what this is for.
inline std::vector<Key> mixture(Random& r, size_t size) {
  std::vector<Key> log;
  const Node root = random_tree(r, 2);
  std::vector<Key> few;
  for (int i = 0; i < 6; ++i) few.push_back(plain(static_cast<uint32_t>(20 + i), 64, 1, i));
  while (log.size() < size) {
    switch (below(r, 9)) {
      case 0:
        run_tree(r, root, &log, size);
        break;
      case 1:
        push_no_structure(r, below(r, 3000), &log);
        break;
      case 2:  // the same few calls in any order, in runs: literals that are known positions, and their repeats
        for (uint64_t i = below(r, 3000); i > 0; --i) {
          const Key& k = few[below(r, few.size())];
          for (uint64_t times = 1 + below(r, 4); times > 0; --times) log.push_back(k);
        }
        break;
      case 3:  // parameters that vary
        for (uint64_t i = below(r, 400); i > 0; --i) {
          log.push_back(plain(30, static_cast<int64_t>(below(r, 1u << 20)), 1, 0));
          log.push_back(plain(31, 1, static_cast<int32_t>(i % 3), static_cast<int32_t>(log.size())));
        }
        break;
      case 4:  // what was fixed begins to vary
        for (uint64_t i = 0, n = below(r, 60); i < n; ++i) {
          Key k = few[below(r, few.size())];
          if (i > n / 2) k.count += static_cast<int64_t>(below(r, 1000)), k.value = static_cast<int64_t>(i);
          log.push_back(k);
        }
        break;
      case 5:
        for (uint64_t i = below(r, 100); i > 0; --i) {
          for (uint64_t n = below(r, 20); n > 0; --n) log.push_back(poll(3));
          log.push_back(plain(4, 8, 1, static_cast<int32_t>(below(r, 3))));
        }
        break;
      case 6:  // calls from everywhere: what ends in literals
        for (uint64_t n = below(r, 3000); n > 0; --n) {
          log.push_back(below(r, 4) ? plain(static_cast<uint32_t>(100 + below(r, 8000)), 8, 1, 0)
                                    : few[below(r, few.size())]);
          if (below(r, 8) == 0) log.push_back(log.back());
        }
        break;
      case 7:
        push_polls(r, below(r, 50), &log);
        break;
      default:  // extremes of every field
        log.push_back(
            {UINT32_MAX >> 19, ~flag_nothing, INT64_MIN, INT32_MIN, INT32_MAX, UINT32_MAX - 1, UINT32_MAX, INT64_MAX});
        log.push_back({1, 0, INT64_MAX, INT32_MAX, INT32_MIN, 0, 0, INT64_MIN + 1});
        break;
    }
  }
  return log;
}

// A few calls in phases: in a loop, in any order and in runs (literals of known positions, repeated), with new
// parameters.
inline std::vector<Key> small_alphabet(Random& r) {
  std::vector<Key> log, letters;
  for (uint64_t i = 0, n = 2 + below(r, 5); i < n; ++i) {
    letters.push_back(plain(static_cast<uint32_t>(1 + below(r, 3)), static_cast<int64_t>(below(r, 4)), 1, 0));
  }
  const auto any = [&] { return letters[below(r, letters.size())]; };
  int64_t fresh = 1000;
  while (log.size() < 12000) {
    std::vector<Key> body;
    for (uint64_t i = 0, n = 1 + below(r, 5); i < n; ++i) body.push_back(any());
    const uint64_t kind = below(r, 3);
    const uint64_t length = below(r, kind == 1 ? 3000 : 30);
    for (uint64_t i = 0; i < length; ++i) {
      if (kind == 1) {
        const Key k = any();
        for (uint64_t n = 1 + below(r, 3); n > 0; --n) log.push_back(k);
      } else {
        for (Key k : body) {
          if (kind == 2 && below(r, 2)) k.count = fresh++;
          if (kind == 2 && below(r, 4) == 0) letters[below(r, letters.size())] = k;
          log.push_back(k);
        }
      }
    }
  }
  return log;
}

// A position that literals visit, and repeat, before its parameters begin to vary.
inline std::vector<Key> literals_then_variation(Random& r) {
  std::vector<Key> log;
  const auto pair = [&](int64_t count) {
    log.push_back(plain(1, 1, 1, 0));
    log.push_back(plain(2, count, 1, 0));
  };
  constexpr int64_t almost_varying = 7;  // so many new values in a row, and one more would be too many
  for (int i = 0; i < 50; ++i) pair(999);
  for (int64_t i = 1; i <= almost_varying; ++i) pair(1000 + i);
  for (int i = 0; i < 4000; ++i) {
    log.push_back(plain(static_cast<uint32_t>(5 + below(r, 3)), 8, 1, 0));
    if (below(r, 4) == 0) log.insert(log.end(), 3, plain(2, 1000 + almost_varying, 1, 0));
  }
  for (int i = 0; i < 100; ++i) pair(static_cast<int64_t>(5000 + below(r, 1000)));
  return log;
}

inline std::vector<Key> program(const std::string& name, Random& r) {
  std::vector<Key> log;
  if (name == "tree") {
    const Node root = random_tree(r, 4);
    for (int i = 0; i < 40 && log.size() < 60000; ++i) run_tree(r, root, &log, 60000);
  } else if (name == "small alphabet") {
    log = small_alphabet(r);
  } else if (name == "literals first") {
    log = literals_then_variation(r);
  } else if (name == "mixture") {
    log = mixture(r, 40000);
  } else if (name == "tag is the step") {
    for (int step = 0; step < 400; ++step) {
      for (uint32_t f = 0; f < 50; ++f) {
        log.push_back(plain(1 + f % 7, 1000, f % 2 ? 1 : -1, step * 100 + static_cast<int>(f)));
      }
    }
  } else if (name == "sizes vary") {
    for (int step = 0; step < 3000; ++step) {
      for (uint32_t f = 0; f < 6; ++f) log.push_back(plain(1 + f, static_cast<int64_t>(below(r, 1u << 20)), 1, 0));
      log.push_back(plain(10, 1, 0, 0));
    }
  } else if (name == "no structure") {
    for (int i = 0; i < 300000; ++i) log.push_back(plain(1, 8, 1, static_cast<int32_t>(below(r, 1u << 24))));
  } else if (name == "random few") {
    for (int i = 0; i < 300000; ++i) log.push_back(plain(static_cast<uint32_t>(1 + below(r, 9)), 8, 1, 0));
  } else if (name == "random pairs") {
    for (int i = 0; i < 200000; ++i) {
      log.push_back(plain(static_cast<uint32_t>(below(r, 3000)), static_cast<int64_t>(below(r, 1u << 30)),
                          static_cast<int32_t>(below(r, 1000)), static_cast<int32_t>(below(r, 5))));
    }
  } else if (name == "polls only") {
    for (int i = 0; i < 2000; ++i) {
      for (uint64_t n = below(r, 200); n > 0; --n) log.push_back(poll(3));
      log.push_back(plain(4, 8, 1, static_cast<int32_t>(below(r, 3))));
    }
  } else if (name == "polls between") {  // a regular program that polls, or not, between its calls
    for (int step = 0; step < 3000; ++step) {
      for (uint32_t c = 0; c < 9; ++c) {
        log.push_back(plain(1 + c % 6, 100, c % 2 ? 1 : -1, 0));
        if (below(r, 3) == 0) push_polls(r, below(r, 4) ? below(r, 8) : below(r, 3000) / 20, &log);
      }
    }
  } else if (name == "polls everywhere") {  // more runs than places are kept of
    for (int i = 0; i < 40000; ++i) {
      log.push_back(plain(1 + static_cast<uint32_t>(i) % 16, 8, 1, 0));
      push_polls(r, 1 + below(r, uint64_t{1} << below(r, 5)), &log);
    }
  } else if (name == "many distinct") {
    for (int round = 0; round < 6; ++round) {
      for (uint32_t i = 0; i < 40000; ++i) log.push_back(plain(i % 900, i, static_cast<int32_t>(i % 13), 0));
    }
  }
  return log;
}

}  // namespace leadline::trace::programs
