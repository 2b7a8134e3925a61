// Random sequences of events through the graph, the encoder and the decoder: what comes out is what went in.
//   roundtrip SEEDS [FIRST_SEED]    prints a line per kind of program and ends with "ok"; exit 1 at the first difference.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

#include "memory_thread.hpp"

namespace {

using namespace leadline::trace;
using Random = std::mt19937_64;

uint64_t below(Random& r, uint64_t n) { return r() % n; }

Key plain(uint32_t site, int64_t count, int32_t peer, int32_t tag, uint32_t extra = 0) {
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

Key poll(uint32_t site) {
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

Node random_tree(Random& r, int depth) {
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

void run_tree(Random& r, const Node& n, std::vector<Key>* log, size_t limit) {
  const uint64_t trips = n.least + (n.most > n.least ? below(r, n.most - n.least + 1) : 0);
  for (uint64_t t = 0; t < trips && log->size() < limit; ++t) {
    for (const Key& k : n.calls) log->push_back(k);
    if (n.polls) {
      for (uint64_t i = 0, times = below(r, 6); i < times; ++i) log->push_back(poll(50));
      log->push_back(plain(51, 1, 0, 0));
    }
    for (const Node& child : n.body) run_tree(r, child, log, limit);
  }
}

std::vector<Key> program(const char* kind, Random& r) {
  const std::string name = kind;
  std::vector<Key> log;
  if (name == "tree") {
    const Node root = random_tree(r, 4);
    for (int i = 0; i < 40 && log.size() < 60000; ++i) run_tree(r, root, &log, 60000);
  } else if (name == "tag is the step") {
    for (int step = 0; step < 400; ++step) {
      for (uint32_t f = 0; f < 50; ++f) log.push_back(plain(1 + f % 7, 1000, f % 2 ? 1 : -1, step * 100 + static_cast<int>(f)));
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
  } else if (name == "many distinct") {
    for (int round = 0; round < 6; ++round) {
      for (uint32_t i = 0; i < 40000; ++i) log.push_back(plain(i % 900, i, static_cast<int32_t>(i % 13), 0));
    }
  }
  return log;
}

bool same(const Key& a, const Key& b) { return a == b; }

// One program: expand and compare, then compare the counts.
bool check(const char* kind, uint64_t seed, size_t* events, size_t* bytes) {
  Random r(seed);
  const std::vector<Key> log = program(kind, r);
  MemoryThread thread;
  std::map<uint32_t, uint64_t> by_site;
  for (const Key& k : log) {
    ++by_site[k.site];
    thread.graph().add(k, 100 + below(r, 1000), below(r, 50));
  }
  std::string error;
  Stream stream = thread.decode(&error);
  if (!error.empty()) return std::printf("%s, seed %lu: %s\n", kind, seed, error.c_str()), false;
  Walker walker(stream);
  Event e;
  size_t at = 0;
  while (walker.next(&e)) {
    for (uint64_t i = 0; i < e.times; ++i, ++at) {
      if (at >= log.size() || !same(log[at], e.key)) {
        return std::printf("%s, seed %lu: event %zu of %zu differs\n", kind, seed, at, log.size()), false;
      }
    }
  }
  if (at != log.size()) return std::printf("%s, seed %lu: %zu of %zu events\n", kind, seed, at, log.size()), false;
  std::map<uint32_t, uint64_t> tallied, timed;
  for_each_tally(stream, [&](const Tally& t) { tallied[t.key->site] += t.times; });
  for_each_site_time(stream, [&](uint32_t site, const TimeStats& t) { timed[site] += t.count; });
  if (tallied != by_site) return std::printf("%s, seed %lu: tallies differ\n", kind, seed), false;
  if (timed != by_site) return std::printf("%s, seed %lu: counts of times differ\n", kind, seed), false;
  *events += log.size();
  *bytes += thread.encoded_bytes();
  return true;
}

// Beyond the budget: no order, exact counts and sums.
bool check_unordered(uint64_t seed) {
  Random r(seed);
  MemoryThread thread;
  thread.spend_budget();
  std::map<uint32_t, uint64_t> calls;
  std::map<uint32_t, int64_t> amount, tallied_amount;
  std::map<uint32_t, uint64_t> tallied;
  for (int i = 0; i < 200000; ++i) {
    const Key k = plain(static_cast<uint32_t>(1 + below(r, 20)), static_cast<int64_t>(below(r, 1u << 24)),
                        static_cast<int32_t>(below(r, 20)), i);
    ++calls[k.site];
    amount[k.site] += k.count;
    thread.graph().add(k, 100, 10);
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  for_each_tally(stream, [&](const Tally& t) {
    tallied[t.key->site] += t.times;
    tallied_amount[t.key->site] += t.coarse ? t.amount : t.key->count * static_cast<int64_t>(t.times);
  });
  if (!error.empty() || tallied != calls || tallied_amount != amount || thread.lost() != 200000) {
    return std::printf("unordered, seed %lu: %s\n", seed, error.empty() ? "totals differ" : error.c_str()), false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 3;
  const uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  for (const char* kind : {"tree", "tag is the step", "sizes vary", "no structure", "random few", "random pairs",
                           "polls only", "many distinct"}) {
    size_t events = 0, bytes = 0;
    const uint64_t n = std::string(kind) == "tree" ? seeds * 20 : seeds;
    for (uint64_t seed = first; seed < first + n; ++seed) {
      if (!check(kind, seed, &events, &bytes)) return 1;
    }
    std::printf("%-16s %10zu events %10zu bytes\n", kind, events, bytes);
  }
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    if (!check_unordered(seed)) return 1;
  }
  std::puts("ok");
}
