// Times call by call: whole series within 3 % of what was given, windows that stay within their room, every iteration
// of loops short and long timed.
#include <cmath>
#include <cstdio>

#include "../native/check.hpp"
#include "memory_thread.hpp"
#include "programs.hpp"
#include "trace/reading/series_walk.hpp"

namespace {

using testing::check;
using namespace leadline::recording;
using namespace leadline::trace;
using programs::below;
using programs::plain;
using programs::Random;

uint64_t some_time(Random& r) { return below(r, 100) ? 20 + below(r, 5000) : r() >> (20 + below(r, 40)); }

bool near(double got, double want) { return std::abs(got - want) <= 0.03 * (want + 1); }

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
    wrong += !near(e.duration_ns, static_cast<double>(given[i].first)) ||
             !near(e.gap_ns, static_cast<double>(given[i].second));
    ++i;
  }
  check(error.empty() && i == given.size() && wrong == 0,
        std::string(kind) + ": " + error + " " + std::to_string(i) + " calls, " + std::to_string(wrong) + " wrong");
}

// Every call of the slow iteration is there, the long pause before the one it was made before.
void slowest_has_its_calls(const Stream& stream, const std::string& name, uint32_t body, uint64_t slow, uint32_t site) {
  SeriesWalk walk(stream);
  TimedEvent e;
  uint64_t calls = 0, pauses = 0, wrong = 0, windows = 0;
  for (const WindowTimes& w : stream.series[0].windows) windows += w.kind == SeriesKind::slowest;
  while (walk.next(&e)) {
    if (!e.series) continue;
    const WindowTimes& w = e.series->windows[e.window];
    if (w.kind != SeriesKind::slowest || w.iteration != slow) continue;
    ++calls;
    const bool pause = near(e.gap_ns, 5000000) && e.event.key.site == site;
    pauses += pause;
    wrong += !pause && (!near(e.gap_ns, 50) || e.duration_ns < 388 || e.duration_ns > 515);
  }
  check(calls == body && pauses == 1 && wrong == 0, name + std::to_string(calls) + " calls of the slowest, " +
                                                        std::to_string(pauses) + " pauses, " + std::to_string(wrong) +
                                                        " wrong");
  check(windows > 4 && windows <= most_slow, name + std::to_string(windows) + " slow ones with their calls");
}

// What a site's calls took: of the same calls recorded with the whole series and with a bounded one.
void statistics_are_those_of_the_whole_series() {
  MemoryThread bounded, whole;
  whole.graph().series().keep(uint64_t{1} << 19, uint64_t{1} << 19, false, {});
  Random r(11);
  constexpr uint32_t sites = 41;
  struct Sum {
    double count = 0, sum = 0, max = 0;
  };
  std::vector<Sum> given(sites), in_bounded(sites), in_whole(sites), decoded(sites);
  for (int i = 0; i < 10000; ++i) {
    for (uint32_t c = 1; c < sites; ++c) {
      const uint64_t duration = 300 + 100 * c + below(r, 200 * c) + (below(r, 5000) ? 0 : below(r, 3000000));
      bounded.add(plain(c, 8, 1, 0), duration, 60);
      whole.add(plain(c, 8, 1, 0), duration, 60);
      ++given[c].count;
      given[c].sum += static_cast<double>(duration);
      given[c].max = std::max(given[c].max, static_cast<double>(duration));
    }
  }
  std::string error;
  const Stream few = bounded.decode(&error), all = whole.decode(&error);
  const auto collect = [](const Stream& s, std::vector<Sum>* into) {
    for_each_site_time(s, [&](uint32_t site, const TimeStats& t) {
      Sum& sum = (*into)[site];
      sum.count += static_cast<double>(t.count);
      sum.sum += t.sum_ns;
      sum.max = std::max(sum.max, t.max_ns);
    });
  };
  collect(few, &in_bounded);
  collect(all, &in_whole);
  SeriesWalk walk(all);
  TimedEvent e;
  while (walk.next(&e) && e.series) {
    Sum& s = decoded[e.event.key.site];
    ++s.count;
    s.sum += e.duration_ns;
    s.max = std::max(s.max, e.duration_ns);
  }
  double worst = 0;
  size_t wrong = 0;
  for (uint32_t c = 1; c < sites; ++c) {
    const double mean = given[c].sum / given[c].count;
    for (const Sum& s : {in_bounded[c], in_whole[c]}) {
      worst = std::max({worst, std::abs(s.sum / s.count - mean) / mean, std::abs(s.max - given[c].max) / given[c].max});
    }
    wrong += in_bounded[c].count != given[c].count || decoded[c].count != given[c].count;
    wrong += std::abs(decoded[c].sum / decoded[c].count - mean) > 0.01 * mean || !near(decoded[c].max, given[c].max);
  }
  uint64_t kept = 0;
  for (const WindowTimes& w : few.series.at(0).windows) kept += w.entries;
  std::printf("mean and maximum of sites: within %.4f %%, %llu of 400000 calls kept\n", 100 * worst,
              static_cast<unsigned long long>(kept));
  check(error.empty() && worst < 0.01 && wrong == 0 && kept < 40000, "statistics of sites");
}

// A loop of `body` calls with a slow iteration. `thirds`: each third of them goes through that many different ones
// again and again, as an exchange called from three places.
uint32_t site_of(uint32_t call, uint32_t body, uint32_t thirds) {
  if (call + 1 == body) return 800;
  return thirds ? 1 + call * 3 / body * thirds + call % thirds : 1 + call;
}

void all_iterations_are_timed(uint32_t body, uint64_t iterations, uint64_t slow, bool collective, uint32_t thirds = 0) {
  Random r(body);
  MemoryThread thread;
  thread.add(plain(900, 1, 1, 0), 100, 100);
  for (uint64_t i = 0; i < iterations; ++i) {
    for (uint32_t c = 0; c < body; ++c) {
      const bool here = i == slow && c == body / 2;
      const bool last = c == body - 1;
      thread.add(plain(site_of(c, body, thirds), 8, collective && last ? 0 : 1, 0), 400 + below(r, 100),
                 here ? 5000000 : 50);
    }
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  const std::string name = "a loop of " + std::to_string(body) + " calls: ";
  check(error.empty() && stream.series.size() == 1 && stream.series[0].loops.size() == 1, name + error + " its loop");
  if (stream.series.empty() || stream.series[0].loops.empty()) return;
  const Series& s = stream.series[0];
  const LoopTimes& l = s.loops[0];
  check(l.iterations() >= (iterations - 1) / l.anchors && l.iterations() <= iterations / l.anchors + 2,
        name + "number");
  check(l.timed + 3 >= l.iterations(),
        name + std::to_string(l.timed) + " of " + std::to_string(l.iterations()) + " timed");
  uint64_t entries = 0, found = UINT64_MAX;
  double longest = 0;
  for (const WindowTimes& w : s.windows) entries += w.entries;
  for (const SlowTime& t : l.slow) {
    if (t.time_ns > longest) longest = t.time_ns, found = t.iteration;
  }
  check(entries <= series_probe + 64 * body && entries > 0, name + std::to_string(entries) + " entries");
  check(l.anchors > 1 ? found + 1 >= slow / l.anchors && found <= slow / l.anchors + 1 : found == slow,
        name + "slowest is " + std::to_string(found));
  check(near(longest, 5000000) || longest > 5000000, name + "its time");
  if (l.anchors == 1) slowest_has_its_calls(stream, name, body, slow, site_of(body / 2, body, thirds));
}

// A size that does not hold one iteration.
void a_small_size_keeps_some_iterations(uint32_t body) {
  MemoryThread thread;
  thread.graph().series().keep(4000, uint64_t{1} << 19, false, {});
  for (uint64_t i = 0; i < 300; ++i) {
    for (uint32_t c = 0; c < body; ++c) thread.add(plain(site_of(c, body, 0), 8, 1, 0), 400, 50);
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  uint64_t entries = 0, windows = 0;
  for (const WindowTimes& w : stream.series.empty() ? std::vector<WindowTimes>{} : stream.series[0].windows) {
    if (w.kind == SeriesKind::slowest) continue;
    entries += w.entries;
    windows += w.entries >= body;
  }
  check(error.empty() && windows >= 2 && entries <= std::max<uint64_t>(9 * body, 4000),
        std::to_string(body) + " calls: " + error + std::to_string(windows) + " windows of " + std::to_string(entries) +
            " entries");
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

// Polls between calls, some with a place and some without: what lies between two calls is a run's, or a gap that says
// that polls are in it, or computation; and calls begin when they began.
// Recording pauses now and then, before the first call too: what follows begins that much later, and no iteration takes
// longer for it.
void pauses_move_what_follows(bool all, uint64_t iterations) {
  Random r(17);
  MemoryThread thread;
  if (all) thread.graph().series().keep(uint64_t{1} << 19, uint64_t{1} << 19, false, {});
  constexpr uint64_t pause = 40000000;
  thread.graph().series().pass_over(pause);
  std::vector<uint64_t> begins;
  for (uint64_t i = 0; i < iterations; ++i) {
    for (uint32_t c = 0; c < 7; ++c) {
      if (below(r, 7 * iterations / 20) == 0) thread.graph().series().pass_over(pause);
      begins.push_back(thread.header().last_end + 50);
      thread.add(plain(1 + c, 8, c == 6 ? 0 : 1, 0), 400 + below(r, 100), 50);
    }
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  SeriesWalk walk(stream);
  TimedEvent e;
  size_t i = 0, kept = 0, wrong = 0;
  for (; walk.next(&e) && i < begins.size(); ++i) {
    if (!e.series) continue;
    ++kept;
    wrong += std::abs(e.begin_ns - static_cast<double>(begins[i])) > 20000;
  }
  const std::string name = "pauses of " + std::to_string(iterations) + " iterations: ";
  check(error.empty() && i == begins.size() && kept > 1000 && (!all || kept == i) && wrong == 0,
        name + error + std::to_string(kept) + " calls, " + std::to_string(wrong) + " at the wrong time");
  const LoopTimes& loop = stream.series.at(0).loops.at(0);
  double longest = 0;
  for (const SlowTime& s : loop.slow) longest = std::max(longest, s.time_ns);
  check(longest > 0 && longest < pause / 2.0, name + "the slowest iteration takes " + std::to_string(longest) + " ns");
}

// Own work of the recorder before many calls: no time of the program's, but calls begin when they began.
void own_work_is_no_time_before_calls() {
  MemoryThread thread;
  thread.graph().series().keep(uint64_t{1} << 19, uint64_t{1} << 19, false, {});
  constexpr uint64_t own = 3000, gap = 50, duration = 400, iterations = 2000;
  std::vector<uint64_t> begins;
  for (uint64_t i = 0; i < iterations; ++i) {
    for (uint32_t c = 0; c < 7; ++c) {
      if ((7 * i + c) % 3 == 0) thread.graph().series().pass_over(own);
      begins.push_back(thread.header().last_end + gap);
      thread.add(plain(1 + c, 8, c == 6 ? 0 : 1, 0), duration, gap);
    }
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  SeriesWalk walk(stream);
  TimedEvent e;
  size_t i = 0, wrong = 0;
  for (; walk.next(&e) && i < begins.size(); ++i) {
    wrong +=
        !e.series || std::abs(e.begin_ns - static_cast<double>(begins[i])) > 0.03 * own * static_cast<double>(i + 1);
  }
  check(error.empty() && i == begins.size() && wrong == 0,
        "own work: " + error + std::to_string(wrong) + " of " + std::to_string(i) + " calls at the wrong time");
  double before = 0;
  for_each_site_time(stream, [&](uint32_t, const TimeStats& t) { before += t.gap_sum_ns; });
  check(before == static_cast<double>(gap * begins.size()), "own work is in " + std::to_string(before) + " ns");
}

void times_between_polls_are_told_apart() {
  struct Given {
    uint64_t begin, gap, since_call;  // the gap from the last poll, if there was one
    uint64_t run;                     // ticks of the polls before it
  };
  Random r(6);
  MemoryThread thread;
  std::vector<Given> given;
  uint64_t now = 0, last = 0, run = 0, run_begin = 0;
  for (const Key& k : programs::program("polls everywhere", r)) {
    const uint64_t gap = 20 + below(r, 300), duration = 50 + below(r, 1000);
    if (k.comm & flag_nothing) {
      if (!run) run_begin = now + gap;
      run = now + gap + duration - run_begin;
    } else {
      given.push_back({now + gap, gap, now + gap - last, run});
      run = 0;
    }
    now += gap + duration;
    if (!(k.comm & flag_nothing)) last = now;
    thread.add(k, duration, gap);
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  SeriesWalk walk(stream);
  TimedEvent e;
  size_t at = 0, wrong = 0, runs = 0, polled = 0;
  double furthest = 0;
  bool after_run = false, known = false;  // since the call before
  while (walk.next(&e) && at < given.size()) {
    const Given& g = given[at];
    if (e.event.run) {
      after_run = true;
      known = e.series != nullptr;
      runs += known;
      wrong += known && !near(e.duration_ns, static_cast<double>(g.run));
      continue;
    }
    if (e.series) {
      // A window may begin with the call, after the polls, or with the gap before it.
      const bool without = g.run && !after_run && (!e.first || e.polled);
      polled += e.polled;
      wrong += e.polled != without;
      wrong += !near(e.gap_ns, static_cast<double>(without ? g.since_call : g.gap));
      furthest = std::max(furthest, std::abs(e.begin_ns - static_cast<double>(g.begin)));
    }
    after_run = false;
    ++at;
  }
  std::printf("between polls: %zu runs with times, %zu gaps with polls, begins right within %.0f ns\n", runs, polled,
              furthest);
  check(error.empty() && wrong == 0 && at == given.size(), std::to_string(wrong) + " times between polls are wrong");
  check(runs > 1000 && polled > 1000 && furthest < 20000, "times between polls");
}

// With and without the calls of the slowest, ten times as many iterations may take half as much again.
size_t bytes_of(uint64_t iterations) {
  constexpr uint32_t body = 409;
  Random r(3);
  MemoryThread thread;
  for (uint64_t i = 0; i < iterations; ++i) {
    for (uint32_t c = 0; c < body; ++c) {
      thread.add(plain(site_of(c, body, 8), 8, 1, 0), 400 + below(r, 300), below(r, 20000) ? 50 : 100000);
    }
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  size_t bytes = thread.encoded_bytes();
  for (const auto& series : thread.series()) bytes += series.size();
  return bytes;
}

void size_does_not_grow_with_iterations() {
  const size_t few = bytes_of(5000), many = bytes_of(50000);
  std::printf("5000 iterations of 409 calls: %zu bytes, 50000: %zu\n", few, many);
  check(few <= 50000 && 2 * many <= 3 * few, "bytes of a bounded series");
}

}  // namespace

int main() {
  size_does_not_grow_with_iterations();
  begins_stay_right();
  a_small_size_keeps_some_iterations(300);
  a_small_size_keeps_some_iterations(5000);
  own_work_is_no_time_before_calls();
  pauses_move_what_follows(true, 400);  // the loop is found at the end
  pauses_move_what_follows(true, 20000);
  pauses_move_what_follows(false, 20000);
  times_between_polls_are_told_apart();
  statistics_are_those_of_the_whole_series();
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
  all_iterations_are_timed(409, 5000, 3217, true, 8);
  all_iterations_are_timed(1001, 2000, 1800, false, 25);
  return testing::result();
}
