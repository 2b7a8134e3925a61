// Random sequences of events through the graph, the encoder and the decoder: what comes out is what went in.
//   roundtrip SEEDS [FIRST_SEED]    prints a line per kind of program
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "../native/check.hpp"
#include "memory_thread.hpp"
#include "programs.hpp"
#include "walked.hpp"

namespace {

using namespace leadline::recording;
using namespace leadline::trace;
using namespace leadline::trace::programs;

// One program: expand and compare, then compare the counts.
void check_program(const char* kind, uint64_t seed, size_t* events, size_t* bytes) {
  const std::string which = kind + (", seed " + std::to_string(seed)) + ": ";
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
  if (!error.empty()) return testing::fail(which + error);
  const std::string wrong = difference(walked(stream), expected(log), stream);
  testing::check(wrong.empty(), which + wrong);
  std::map<uint32_t, uint64_t> tallied, timed;
  for_each_tally(stream, [&](const Tally& t) { tallied[t.key->site] += t.times; });
  for_each_site_time(stream, [&](uint32_t site, const TimeStats& t) { timed[site] += t.count; });
  testing::check(tallied == by_site, which + "tallies differ");
  testing::check(timed == by_site, which + "counts of times differ");
  *events += log.size();
  *bytes += thread.encoded_bytes();
}

// Beyond the budget: no order, exact counts and sums.
void check_unordered(uint64_t seed) {
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
  const std::string which = "unordered, seed " + std::to_string(seed) + ": ";
  testing::check(error.empty(), which + error);
  testing::check(tallied == calls, which + "calls differ");
  testing::check(tallied_amount == amount, which + "amounts differ");
  testing::check_equal(thread.lost(), 200000u, which + "events without their order");
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
      check_program(kind, seed, &events, &bytes);
    }
    std::printf("%-16s %10zu events %10zu bytes\n", kind, events, bytes);
  }
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    check_unordered(seed);
  }
  return testing::result();
}
