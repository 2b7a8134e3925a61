// What holds whatever a program does: times add up to what was given, encoding leaves the state alone, generations may
// turn at any moment, unordered calls are counted exactly, and a regular program's trace does not grow with its steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "../native/check.hpp"
#include "memory_thread.hpp"
#include "programs.hpp"
#include "walked.hpp"

namespace {

using testing::check;
using namespace leadline::recording;
using namespace leadline::trace;
using programs::below;
using programs::Random;

constexpr const char* kinds[] = {"mixture",          "small alphabet", "tree",         "polls only", "polls between",
                                 "polls everywhere", "sizes vary",     "random pairs", "random few", "literals first"};

std::vector<Key> log_of(const std::string& kind, Random& r, size_t limit) {
  std::vector<Key> log = programs::program(kind, r);
  log.resize(std::min(log.size(), limit));
  return log;
}

std::vector<uint8_t> encoded(MemoryThread* t) {
  ByteSink sink;
  encode_generation(t->region(), uint64_t{1} << 32, &sink);
  return {sink.data(), sink.data() + sink.size()};
}

Stream stream_of(const std::vector<std::vector<uint8_t>>& chunks, std::string* error) {
  Stream stream;
  for (const auto& bytes : chunks) {
    std::string wrong;
    stream.generations.push_back(written(bytes, &wrong));
    *error += wrong;
  }
  return stream;
}

// A plain accumulation, by site.
struct Plain {
  uint64_t count = 0, sum = 0, gaps = 0, min = UINT64_MAX, max = 0;
  std::array<uint64_t, time_buckets> hist{};
};

bool close(double a, uint64_t b, uint64_t roundings) {
  return std::abs(a - static_cast<double>(b)) <= static_cast<double>(roundings);
}

void times_add_up(const char* kind, uint64_t seed, TickScale scale) {
  Random r(seed);
  MemoryThread thread;
  thread.graph().set_scale(scale);
  std::map<uint32_t, Plain> expected;
  for (const Key& k : log_of(kind, r, 30000)) {
    const uint64_t duration = below(r, 200) ? 50 + below(r, 100000) : r() >> 25,
                   gap = below(r, 300) ? below(r, 5000) : r() >> 25;
    thread.add(k, duration, gap);
    Plain& p = expected[k.site];
    const uint64_t ns = scale.ns(duration);
    ++p.count;
    p.sum += ns;
    p.gaps += scale.ns(gap);
    p.min = std::min(p.min, ns);
    p.max = std::max(p.max, ns);
    ++p.hist[static_cast<size_t>(time_bucket(ns))];
  }
  std::map<uint32_t, TimeStats> got;
  std::string error;
  const std::vector<uint8_t> last = [&] {
    ByteSink sink;
    encode_generation(thread.region(), scale.factor, &sink);
    return std::vector<uint8_t>(sink.data(), sink.data() + sink.size());
  }();
  std::vector<std::vector<uint8_t>> chunks = thread.generations();
  chunks.push_back(last);
  if (chunks.size() > 1 && scale.factor != uint64_t{1} << 32) return;  // MemoryThread turns with a factor of 1
  for_each_site_time(stream_of(chunks, &error), [&](uint32_t site, const TimeStats& t) {
    TimeStats& all = got[site];
    all.min_ns = all.count ? std::min(all.min_ns, t.min_ns) : t.min_ns;
    all.max_ns = std::max(all.max_ns, t.max_ns);
    all.count += t.count;
    all.sum_ns += t.sum_ns;
    all.gap_sum_ns += t.gap_sum_ns;
    all.hist.add(t.hist);
  });
  const std::string name = std::string(kind) + ", seed " + std::to_string(seed);
  check(error.empty() && got.size() == expected.size(), name + ": sites with times");
  for (const auto& [site, p] : expected) {
    const TimeStats& t = got[site];
    const std::string where = name + ", site " + std::to_string(site);
    check(t.count == p.count, where + ": number of times");
    check(close(t.sum_ns, p.sum, p.count) && close(t.gap_sum_ns, p.gaps, p.count), where + ": sums");
    check(close(t.min_ns, p.min, 1) && close(t.max_ns, p.max, 1), where + ": extremes");
    // Rounding may move a duration at the limit of two buckets, and only there.
    uint64_t moved = 0, total = 0;
    for (size_t b = 0; b < p.hist.size(); ++b) {
      moved += t.hist[b] > p.hist[b] ? t.hist[b] - p.hist[b] : p.hist[b] - t.hist[b];
      total += t.hist[b];
    }
    check(total == p.count && moved <= 2 + p.count / 100, where + ": buckets");
  }
}

// Salvage relies on it: what the memory says at any moment is the truth so far.
void encoding_leaves_the_state_alone(const char* kind, uint64_t seed) {
  Random r(seed);
  const std::vector<Key> log = log_of(kind, r, 20000);
  const std::string name = std::string(kind) + ", seed " + std::to_string(seed);
  MemoryThread watched, alone;
  std::string error;
  size_t looks = 0;
  for (size_t i = 0; i < log.size(); ++i) {
    const uint64_t duration = 100 + below(r, 1000);
    watched.add(log[i], duration, 10);
    alone.add(log[i], duration, 10);
    if (below(r, log.size() / 12 + 1) != 0) continue;
    ++looks;
    std::vector<std::vector<uint8_t>> chunks = watched.generations();
    chunks.push_back(encoded(&watched));
    check(encoded(&watched) == chunks.back(), name + ": encoded twice");
    const Stream so_far = stream_of(chunks, &error);
    const std::vector<Key> given(log.begin(), log.begin() + static_cast<std::ptrdiff_t>(i + 1));
    const std::string wrong = difference(walked(so_far), expected(given), so_far);
    check(wrong.empty(), name + ": at call " + std::to_string(i + 1) + " of " + std::to_string(log.size()) + wrong);
  }
  check(looks > 0 && error.empty(), name + ": looked at in between " + error);
  check(encoded(&watched) == encoded(&alone) && watched.generations() == alone.generations(),
        name + ": changed by looking");
}

void generations_turn_at_any_moment(const char* kind, uint64_t seed) {
  Random r(seed);
  const std::vector<Key> log = log_of(kind, r, 30000);
  MemoryThread thread;
  std::map<std::tuple<uint32_t, int64_t, int32_t>, uint64_t> given, tallied;
  std::vector<size_t> turns;
  for (const Key& k : log) {
    ++given[{k.site, k.count, k.peer}];
    thread.add(k, 100, 10);
    if (below(r, 1000) != 0) continue;
    thread.turn();
    turns.push_back(static_cast<size_t>(&k - log.data()) + 1);
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  const std::string name = std::string(kind) + ", seed " + std::to_string(seed);
  const std::string wrong = error + difference(walked(stream), expected(log, turns), stream);
  check(wrong.empty(), name + ": over generations: " + wrong);
  for_each_tally(stream, [&](const Tally& t) { tallied[{t.key->site, t.key->count, t.key->peer}] += t.times; });
  check(tallied == given, name + ": tallies over generations");
}

// How often control went from one call site to another: what loops are found by, however the graph holds the calls.
void transitions_are_counted(const char* kind, uint64_t seed, bool with_turns) {
  Random r(seed);
  MemoryThread thread;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> went, counted;
  uint32_t before = 0;
  for (const Key& k : log_of(kind, r, 60000)) {
    thread.add(k, 100, 10);
    if (with_turns && below(r, 2000) == 0) thread.turn();
    if (k.comm & flag_nothing) continue;
    if (before) ++went[{before, k.site}];
    before = k.site;
  }
  if (went.size() >= leadline::recording::capacity::transitions) return;  // those beyond have no room
  ThreadLoops loops;
  loops.attach_to_read(thread.region());
  const LoopProfile profile(thread.header(), thread.region(), &loops);
  for (uint32_t i = 1; i < loops.transitions.size(); ++i) {
    const Transition& t = loops.transitions[i];
    if (t.from && profile.times(i)) counted[{t.from, t.to}] += profile.times(i);
  }
  uint64_t wrong = 0;
  for (const auto& [pair, times] : went) wrong += counted[pair] != times;
  check(!wrong && counted.size() == went.size(), std::string(kind) + ", seed " + std::to_string(seed) + ": " +
                                                     std::to_string(wrong) + " transitions of " +
                                                     std::to_string(went.size()) + " are counted wrongly");
}

// A map forgets what shares its hash: calls and contexts that it forgets are new ones each time.
void pairs_of_small_words_have_their_own_hashes() {
  std::set<uint64_t> hashes;
  constexpr uint64_t n = 700;
  for (uint64_t a = 0; a < n; ++a) {
    for (uint64_t b = 0; b < n; ++b) hashes.insert(hash_of_pair(a, b) >> 32 << 32 | (hash_of_pair(a, b) & 0xfffff));
  }
  check(hashes.size() == n * n, "pairs share a hash: " + std::to_string(n * n - hashes.size()));
}

std::vector<uint8_t> structure_of(const std::vector<Key>& log, bool with_polls) {
  MemoryThread thread;
  for (const Key& k : log) {
    if (with_polls || !(k.comm & flag_nothing)) thread.add(k, 100, 10);
  }
  ByteSink sink;
  encode_structure(thread.region(), &sink);
  return {sink.data(), sink.data() + sink.size()};
}

// What ranks share, and what predicts, knows nothing of polls.
void polls_leave_the_structure_alone(const char* kind, uint64_t seed) {
  Random r(seed);
  const std::vector<Key> log = programs::program(kind, r);
  check(structure_of(log, true) == structure_of(log, false), std::string(kind) + ": polls are in the structure");
}

// Order is lost at a random moment; numbers and sums of calls by site (and partner, while they fit) are not.
void unordered_totals_are_exact(uint64_t seed, uint32_t sites, uint64_t sizes, bool by_partner) {
  Random r(seed);
  MemoryThread thread;
  std::map<std::pair<uint32_t, int32_t>, std::pair<uint64_t, int64_t>> expected, got;
  const size_t n = 150000, spent = below(r, n);
  for (size_t i = 0; i < n; ++i) {
    const Key k = programs::plain(static_cast<uint32_t>(1 + below(r, sites)), static_cast<int64_t>(below(r, sizes)),
                                  static_cast<int32_t>(below(r, 12)), static_cast<int32_t>(i));
    auto& e = expected[{k.site, by_partner ? k.peer : 0}];
    ++e.first, e.second += k.count;
    thread.add(k, 100, 10);
    if (i == spent) seed % 2 ? thread.spend_budget() : thread.graph().stop_ordering();
  }
  std::string error;
  for_each_tally(thread.decode(&error), [&](const Tally& t) {
    auto& g = got[{t.key->site, by_partner ? t.key->peer : 0}];
    g.first += t.times;
    g.second += t.coarse ? t.amount : t.key->count * static_cast<int64_t>(t.times);
  });
  check(error.empty() && got == expected, "unordered, seed " + std::to_string(seed) + ": totals by site and partner");
}

// The step of 409 calls: 51 fields of 2 Irecv, 2 Isend and 4 Wait, an Allreduce, every 48th step 12 sends to the root.
size_t bytes_of_steps(int steps) {
  MemoryThread thread;
  Random r(1);
  const auto call = [&](uint32_t site, int64_t count, int32_t peer, uint32_t extra = 0) {
    thread.add(programs::plain(site, count, peer, 0, extra), 200 + below(r, 200), 30 + below(r, 30));
  };
  for (int step = 0; step < steps; ++step) {
    for (int f = 0; f < 51; ++f) {
      for (int side = -1; side <= 1; side += 2) call(1, 128, side);
      for (int side = -1; side <= 1; side += 2) call(2, 128, side);
      for (uint32_t w = 0; w < 4; ++w) call(3, 128, w % 2 ? 1 : -1, link_pack(4 - w, 1 + w / 2));
    }
    call(4, 1, peer_none);
    if (step % 48 == 47) {
      for (int i = 0; i < 12; ++i) call(5, 1000 + i, -1);
    }
  }
  std::string error;
  thread.decode(&error);
  check(error.empty(), "steps: " + error);
  return thread.encoded_bytes();
}

}  // namespace

// properties_test [SEEDS]: programs of each kind.
int main(int argc, char** argv) {
  const uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 3;
  pairs_of_small_words_have_their_own_hashes();
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const char* kind : kinds) {
      times_add_up(kind, seed, TickScale{});
      times_add_up(kind, seed, TickScale{(uint64_t{1} << 32) / 29 * 10});
      encoding_leaves_the_state_alone(kind, seed);
      generations_turn_at_any_moment(kind, seed);
      transitions_are_counted(kind, seed, false);
      transitions_are_counted(kind, seed, true);
    }
  }
  for (const char* kind : {"polls only", "polls between", "polls everywhere", "mixture"}) {
    polls_leave_the_structure_alone(kind, 4);
  }
  for (uint64_t seed = 1; seed <= 4; ++seed) unordered_totals_are_exact(seed, 20, uint64_t{1} << 24, true);
  // More different calls than the tables hold: by site only.
  for (uint64_t seed = 5; seed <= 8; ++seed) unordered_totals_are_exact(seed, 3000, uint64_t{1} << 30, false);
  unordered_totals_are_exact(9, 16000, uint64_t{1} << 30, false);
  const size_t few = bytes_of_steps(5000), many = bytes_of_steps(50000);
  std::printf("409 calls per step: %zu bytes at 5000 steps, %zu at 50,000\n", few, many);
  check(many <= few + few * 3 / 10, "a regular program's trace grows with its steps");
  check(few <= 30000, "a regular program's trace takes " + std::to_string(few) + " bytes");
  return testing::result();
}
