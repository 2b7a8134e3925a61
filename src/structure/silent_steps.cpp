#include "structure/silent_steps.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "structure/build_tree.hpp"
#include "structure/inner_rows.hpp"
#include "structure/restart_evidence.hpp"
#include "structure/split_iterations.hpp"
#include "structure/step_times.hpp"
#include "trace/saturating.hpp"

namespace leadline::structure {

namespace {

// An inner loop with more call sites may well make the steps: what it computes now and then is not its beginning.
constexpr uint32_t most_silent_sites = 8;

// Those that may be one in which a person would look for steps, the ones further in first.
std::vector<uint32_t> silent_loops(const trace::Stream& stream) {
  std::vector<uint32_t> found;
  const auto loops = static_cast<uint32_t>(stream.loops.size());
  std::vector<uint32_t> depth(loops);
  for (uint32_t l = 1; l < loops; ++l) {
    for (uint32_t o = l; o; o = stream.loops[o].outer) ++depth[l];
    const trace::SourceLoop& inner = stream.loops[l];
    const uint32_t outer = inner.outer;
    if (!outer || !stream.loops[outer].silent || inner.iterations() <= stream.loops[outer].iterations()) continue;
    if (std::find(found.begin(), found.end(), outer) == found.end()) found.push_back(outer);
  }
  std::stable_sort(found.begin(), found.end(), [&](uint32_t a, uint32_t b) { return depth[a] > depth[b]; });
  return found;
}

uint32_t sites_in(const trace::Stream& stream, uint32_t loop) {
  uint32_t sites = 0;
  for (uint32_t s = 0; s < stream.site_loops.size(); ++s) sites += stream.within(stream.loop_around(s), loop);
  return sites;
}

// By a loop whose iterations calls show.
trace::SilentSteps in_shown_iterations(const trace::Stream& stream, trace::SilentSteps steps) {
  for (size_t i = stream.steps.size(); i-- > 0;) {  // further in are first
    const trace::SilentSteps& further_in = stream.steps[i];
    if (further_in.outer != steps.inner) continue;
    steps.inner = further_in.inner;
    steps.inner_iterations = trace::saturating_product(steps.inner_iterations, further_in.inner_iterations);
  }
  return steps;
}

class Finding {
 public:
  Finding(const trace::Process& process, trace::Stream* stream)
      : process_(process), stream_(*stream), tree_(loop_tree(*stream)) {}

  void find(uint32_t outer) {
    const std::optional<InnerRows> rows = inner_rows(tree_, stream_, outer);
    if (!rows) return;
    bool about = false, by_time = false;
    const uint64_t every = iterations_of(*rows, &about, &by_time);
    if (!every || rows->divisor % every || rows->longest <= every) return;
    const trace::SilentSteps steps{outer, rows->inner, every};
    split_iterations(steps, &tree_);
    const trace::SilentSteps shown = in_shown_iterations(stream_, steps);
    stream_.steps.push_back(steps);
    count(steps, *rows, about);
    stream_.loops[steps.outer].by_time = by_time;
    shown_.push_back({shown, trace::saturating_product(rows->iterations / every, shown.inner_iterations)});
  }

  void add_times() {
    for (const auto& [steps, iterations] : shown_) add_step_times(steps, iterations, &stream_);
  }

 private:
  struct Shown {
    trace::SilentSteps steps;
    uint64_t iterations;  // of its inner loop
  };

  uint64_t iterations_of(const InnerRows& rows, bool* about, bool* by_time) {
    const Repeat repeat = repeat_of(tree_, rows, process_.communicators);
    *about = repeat.about;
    if (repeat.every && repeat.sure) return repeat.every;
    *by_time = true;
    // A loop further in has times of its own.
    for (const trace::SilentSteps& s : stream_.steps) {
      if (s.outer == rows.inner) return 0;
    }
    const std::vector<IterationTime> times = iteration_times(stream_, rows.inner);
    if (repeat.every > 1) return begins_late(times, repeat.every) ? repeat.every : 0;
    if (sites_in(stream_, rows.inner) >= most_silent_sites) return 0;
    *about = true;
    return computes_every(times, rows.divisor);
  }

  void count(const trace::SilentSteps& steps, const InnerRows& rows, bool about) {
    trace::SourceLoop &outer = stream_.loops[steps.outer], &inner = stream_.loops[steps.inner];
    const uint64_t more = rows.iterations / steps.inner_iterations - rows.rows;
    outer.repeats += more;
    outer.silent = false;
    outer.about = about;
    inner.entries += more;
    inner.repeats -= std::min(inner.repeats, more);
  }

  const trace::Process& process_;
  trace::Stream& stream_;
  LoopTree tree_;
  std::vector<Shown> shown_;
};

}  // namespace

void find_silent_steps(trace::Process* process) {
  for (trace::Stream& stream : process->streams) {
    const std::vector<uint32_t> loops = silent_loops(stream);
    if (loops.empty()) continue;
    Finding finding(*process, &stream);
    for (const uint32_t outer : loops) finding.find(outer);
    finding.add_times();
  }
}

}  // namespace leadline::structure
