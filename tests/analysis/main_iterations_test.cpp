// Iterations of ranks that timed different loops.
#include "analysis/iterations.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../native/check.hpp"

namespace {

using testing::check;
using namespace leadline;
using analysis::loops_to_merge;
using analysis::merge_loops;
using analysis::ProcessLoop;
using analysis::RunIterations;
using analysis::usual_count;

ProcessLoop timed(uint32_t loop, uint64_t iterations, double each_ns) {
  ProcessLoop l;
  l.found = l.whole = l.kept_any = true;
  l.loop = loop;
  l.times.source = loop;
  l.times.occurrences = l.times.timed = iterations;
  l.times.calls = 10 * iterations;
  l.times.time_ns = each_ns * static_cast<double>(iterations);
  return l;
}

// The rank timed these iterations, one after another from `first` on. `bucket`: iterations in an entry of the strip.
ProcessLoop timed_some(uint64_t iterations, uint64_t first, const std::vector<double>& each_ns, uint64_t calls_of_one,
                       uint64_t bucket = 1) {
  ProcessLoop l = timed(1, iterations, 0);
  l.times.timed = each_ns.size();
  l.times.calls = calls_of_one * each_ns.size();
  l.times.bucket_size = bucket;
  for (uint64_t i = 0; i < each_ns.size(); ++i) {
    l.times.time_ns += each_ns[i];
    const uint64_t at = (first + i) / bucket;
    while (l.times.strip.size() <= at) l.times.strip.push_back({l.times.strip.size() * bucket, 0, 0, 0, 0, 0});
    trace::StripTimes& s = l.times.strip[at];
    s.mean_ns = (s.mean_ns * static_cast<double>(s.count) + each_ns[i]) / static_cast<double>(s.count + 1);
    s.min_ns = s.count ? std::min(s.min_ns, each_ns[i]) : each_ns[i];
    if (each_ns[i] > s.max_ns) s.max_ns = each_ns[i], s.max_iteration = first + i;
    ++s.count;
  }
  return l;
}

bool about(double a, double b) { return std::fabs(a - b) <= 1e-9 * std::fabs(b); }

// Every mean counts an iteration once, however many ranks timed it, and a rank once where iterations are not known.
void means() {
  // Three steps of 700, 300 and 320 ns. One rank of four timed the first one, too.
  const ProcessLoop early = timed_some(3, 0, {700, 300, 320}, 10), late = timed_some(3, 1, {300, 320}, 22);
  const RunIterations few = merge_loops({&early, &late, &late, &late}, 1);
  check(about(few.mean_ns, (700 + 300 + 320) / 3.0), "an iteration that few ranks timed counts once");
  check(about(few.calls, (10 + 3 * 22) / 4.0), "calls of an iteration: each rank counts once");
  check(few.strip.size() == 3 && few.strip[0].mean_ns == 700 && few.strip[0].timed == 1,
        "the strip has the first step");
  check(few.min_ns == 300 && few.max_ns == 700, "shortest and longest");
  // Ranks differ in an iteration: its time is the mean over those that timed it.
  const ProcessLoop first = timed_some(2, 0, {100}, 5), both = timed_some(2, 0, {300, 400}, 5),
                    second = timed_some(2, 1, {600}, 5);
  const RunIterations apart = merge_loops({&first, &both, &second}, 1);
  check(about(apart.mean_ns, (200 + 500) / 2.0), "first over ranks, then over iterations");
  // All ranks timed all: the exact sums are used, whatever the strip was rounded to.
  ProcessLoop rounded = timed_some(3, 0, {700, 300, 320}, 10);
  for (trace::StripTimes& s : rounded.times.strip) s.mean_ns += 9;
  check(about(merge_loops({&rounded, &rounded}, 1).mean_ns, 440), "the strip's rounding does not show");
  // Entries of two iterations: the first has 1 + 2 of them, on different ranks.
  const ProcessLoop pairs = timed_some(4, 0, {500, 100, 200, 200}, 7, 2),
                    late_pairs = timed_some(4, 1, {100, 200, 200}, 7, 2);
  const RunIterations coarse = merge_loops({&pairs, &late_pairs}, 1);
  const double of_first = (500 + 100 + 100) / 3.0;
  check(coarse.strip.size() == 2 && about(coarse.strip[0].mean_ns, of_first) && coarse.strip[0].timed == 2, "an entry");
  check(about(coarse.mean_ns, (2 * of_first + 2 * 200) / 4), "entries weigh as many iterations as they hold");
  // Very short iterations are timed in batches, of which the last may go on beyond the loop's end.
  const RunIterations batch = merge_loops({&pairs, &pairs}, 1);
  ProcessLoop odd = pairs;
  odd.times.occurrences = 3;
  const RunIterations beyond = merge_loops({&odd, &odd}, 1);
  check(batch.strip[1].timed == 2 && beyond.strip[1].timed == 1 && beyond.strip[1].last == 2, "no more than there are");
  // Ranks whose strips have other sizes of entries meet in the coarsest one.
  const ProcessLoop fine = timed_some(4, 0, {500, 100, 200, 200}, 7);
  const RunIterations mixed = merge_loops({&fine, &pairs}, 1);
  check(mixed.strip.size() == 2 && mixed.strip[0].timed == 2 && about(mixed.mean_ns, 250), "other sizes of entries");
}

}  // namespace

int main() {
  means();
  constexpr uint32_t steps = 1, levels = 2;
  // One rank timed the steps, three an inner loop.
  const std::vector<ProcessLoop> first = {timed(steps, 9, 2e7)}, other = {timed(levels, 23, 2e4)};
  const auto all = loops_to_merge({&first, &other, &other, &other}, steps);
  check(usual_count(all, steps) == 9, "the steps are counted by who timed them");
  const RunIterations run = merge_loops(all, steps);
  check(run.found && run.count == 9 && run.mean_ns == 2e7, "and so are their times");
  // Among those that timed the steps, most decide: one was cut off early.
  const std::vector<ProcessLoop> cut = {timed(steps, 4, 2e7)};
  check(usual_count(loops_to_merge({&cut, &first, &first}, steps), steps) == 9, "most of them");
  return testing::result();
}
