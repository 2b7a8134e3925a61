// Iterations of ranks that timed different loops.
#include "analysis/iterations.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace leadline;
using analysis::loops_to_merge;
using analysis::merge_loops;
using analysis::ProcessLoop;
using analysis::RunIterations;
using analysis::usual_count;

int failures = 0;

void check(bool ok, const std::string& what) {
  if (!ok) std::printf("FAILED: %s\n", what.c_str());
  failures += !ok;
}

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

}  // namespace

int main() {
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
  if (failures == 0) std::puts("ok");
  return failures != 0;
}
