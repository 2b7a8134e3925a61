// Times call by call: whole series within 3 % of what was given, windows that stay within their room, every iteration
// of loops short and long timed.
#include <cmath>
#include <cstdio>

#include "memory_thread.hpp"
#include "programs.hpp"
#include "trace/series_walk.hpp"

namespace {

using namespace leadline::trace;
using programs::below;
using programs::plain;
using programs::Random;

int failures = 0;

void check(bool ok, const std::string& what) {
  if (!ok) std::printf("FAILED: %s\n", what.c_str());
  failures += !ok;
}

uint64_t some_time(Random& r) { return below(r, 100) ? 20 + below(r, 5000) : r() >> (20 + below(r, 40)); }

bool near(double got, uint64_t given) {
  const auto want = static_cast<double>(given);
  return std::abs(got - want) <= 0.03 * (want + 1);
}

void every_call_is_within_three_percent(const char* kind, uint64_t seed) {
  Random r(seed);
  MemoryThread thread;
  std::vector<Key> log = programs::program(kind, r);
  log.resize(std::min<size_t>(log.size(), 20000));
  std::vector<std::pair<uint64_t, uint64_t>> given;
  for (const Key& k : log) {
    given.emplace_back(some_time(r), some_time(r));
    thread.add(k, given.back().first, given.back().second);
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  SeriesWalk walk(stream);
  TimedEvent e;
  size_t i = 0, wrong = 0;
  while (walk.next(&e) && e.series) {
    wrong += !near(e.duration_ns, given[i].first) || !near(e.gap_ns, given[i].second);
    ++i;
  }
  check(error.empty() && i == given.size() && wrong == 0,
        std::string(kind) + ": " + error + " " + std::to_string(i) + " calls, " + std::to_string(wrong) + " wrong");
}

// A loop of `body` different calls with a slow iteration.
void all_iterations_are_timed(uint32_t body, uint64_t iterations, uint64_t slow, bool collective) {
  Random r(body);
  MemoryThread thread;
  thread.add(plain(900, 1, 1, 0), 100, 100);
  for (uint64_t i = 0; i < iterations; ++i) {
    for (uint32_t c = 0; c < body; ++c) {
      const bool here = i == slow && c == body / 2;
      thread.add(plain(1 + c, 8, collective && c == body - 1 ? 0 : 1, 0), 400 + below(r, 100), here ? 5000000 : 50);
    }
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  const std::string name = "a loop of " + std::to_string(body) + " calls: ";
  check(error.empty() && stream.series.size() == 1 && stream.series[0].loops.size() == 1, name + error + " its loop");
  if (stream.series.empty() || stream.series[0].loops.empty()) return;
  const Series& s = stream.series[0];
  const LoopTimes& l = s.loops[0];
  check(l.iterations() >= (iterations - 1) / l.trips && l.iterations() <= iterations / l.trips + 2, name + "number");
  check(l.timed + 3 >= l.iterations(),
        name + std::to_string(l.timed) + " of " + std::to_string(l.iterations()) + " timed");
  uint64_t entries = 0, found = UINT64_MAX;
  double longest = 0;
  for (const WindowTimes& w : s.windows) entries += w.entries;
  for (const SlowTime& t : l.slow) {
    if (t.time_ns > longest) longest = t.time_ns, found = t.iteration;
  }
  check(entries <= series_probe + 64 * body && entries > 0, name + std::to_string(entries) + " entries");
  check(l.trips > 1 ? found + 1 >= slow / l.trips && found <= slow / l.trips + 1 : found == slow,
        name + "slowest is " + std::to_string(found));
  check(near(longest, 5000000) || longest > 5000000, name + "its time");
}

// The moments at which calls begin are sums of rounded times: they must not wander off.
void begins_stay_right() {
  Random r(5);
  MemoryThread thread;
  std::vector<uint64_t> begins;
  uint64_t now = 0, iteration = 0;
  thread.add(plain(900, 1, 1, 0), 2000000123, 77);  // MPI_Init
  now = 2000000200;
  for (int i = 0; i < 400; ++i) {
    for (uint32_t c = 0; c < 40; ++c) {
      const uint64_t gap = c == 7 ? 200000 + below(r, 20000) : 110, duration = 1000 + 37 * c + below(r, 100);
      begins.push_back(now + gap);
      now += gap + duration;
      thread.add(plain(1 + c, 8, 1, 0), duration, gap);
      if (!i) iteration += gap + duration;
    }
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  SeriesWalk walk(stream);
  TimedEvent e;
  double furthest = 0;
  for (size_t i = 0; walk.next(&e) && e.series; ++i) {
    if (i) furthest = std::max(furthest, std::abs(e.begin_ns - static_cast<double>(begins[i - 1])));
  }
  std::printf("begins of calls: right within %.0f ns, %.2f %% of an iteration\n", furthest,
              100 * furthest / static_cast<double>(iteration));
  check(error.empty() && furthest > 0 && furthest < 0.02 * static_cast<double>(iteration), "begins");
}

}  // namespace

int main() {
  begins_stay_right();
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    for (const char* kind : {"small alphabet", "sizes vary", "random pairs", "tag is the step"}) {
      every_call_is_within_three_percent(kind, seed);
    }
  }
  all_iterations_are_timed(1, 300000, 200000, false);
  all_iterations_are_timed(3, 100000, 70000, false);
  all_iterations_are_timed(7, 60000, 40000, true);
  all_iterations_are_timed(40, 20000, 13217, false);
  all_iterations_are_timed(409, 5000, 3217, true);
  std::puts(failures ? "failed" : "ok");
  return failures ? 1 : 0;
}
