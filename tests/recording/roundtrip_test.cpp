// Random sequences of events through the graph, the encoder and the decoder: what comes out is what went in.
//   roundtrip SEEDS [FIRST_SEED]    prints a line per kind of program and ends with "ok"; exit 1 at the first
//   difference.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "memory_thread.hpp"
#include "programs.hpp"
#include "walked.hpp"

namespace {

using namespace leadline::recording;
using namespace leadline::trace;
using namespace leadline::trace::programs;

// One program: expand and compare, then compare the counts.
bool check(const char* kind, uint64_t seed, size_t* events, size_t* bytes) {
  Random r(seed);
  const std::vector<Key> log = program(kind, r);
  MemoryThread thread;
  std::map<uint32_t, uint64_t> by_site;
  for (const Key& k : log) {
    ++by_site[k.site];
    thread.add(k, 100 + below(r, 1000), below(r, 50));
  }
  std::string error;
  Stream stream = thread.decode(&error);
  if (!error.empty()) return std::printf("%s, seed %lu: %s\n", kind, seed, error.c_str()), false;
  const std::string wrong = difference(walked(stream), expected(log), stream);
  if (!wrong.empty()) return std::printf("%s, seed %lu: %s\n", kind, seed, wrong.c_str()), false;
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
    thread.add(k, 100, 10);
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

// Random in their making, so that one seed shows little.
bool many(const std::string& kind) {
  return kind == "tree" || kind == "mixture" || kind == "polls between" || kind == "small alphabet" ||
         kind == "literals first";
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 3;
  const uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  for (const char* kind :
       {"tree", "tag is the step", "sizes vary", "no structure", "random few", "random pairs", "polls only",
        "polls between", "polls everywhere", "many distinct", "small alphabet", "literals first", "mixture"}) {
    size_t events = 0, bytes = 0;
    const uint64_t n = many(kind) ? seeds * 20 : seeds;
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
