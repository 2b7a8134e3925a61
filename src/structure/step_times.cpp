#include "structure/step_times.hpp"

#include <algorithm>

#include "structure/parse.hpp"
#include "trace/limits.hpp"
#include "trace/reading/series_walk.hpp"

namespace leadline::structure {

namespace {

using trace::LoopTimes;

constexpr uint64_t most_sites = 1024;   // all pairs of which are looked at
constexpr uint64_t most_entries = 256;  // of a strip
constexpr size_t most_slow = 16;

// The ways into an iteration of the loop.
std::vector<uint64_t> begins_of(const trace::Stream& stream, uint32_t loop) {
  std::vector<uint64_t> found;
  const auto sites = static_cast<uint32_t>(stream.site_loops.size());
  if (sites > most_sites) return found;
  Nest nest(stream);
  for (uint32_t to = 0; to < sites; ++to) {
    const std::vector<uint32_t>& around = nest.around(to);
    const auto at = static_cast<size_t>(std::find(around.begin(), around.end(), loop) - around.begin());
    if (at == around.size()) continue;
    for (uint32_t from = 0; from < sites; ++from) {
      const Crossing& c = nest.crossing(from, to);
      const size_t entered = around.size() - c.enters;
      if (at >= entered || (c.repeats && at + 1 == entered)) found.push_back(uint64_t{from} << 32 | to);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

struct Step {
  uint64_t number = 0;
  double begin_ns = 0, end_ns = 0, gap_ns = 0;
};

class StepTimes {
 public:
  StepTimes(uint64_t steps, LoopTimes* into) : into_(*into) {
    into_.bucket_size = std::max<uint64_t>(1, (steps + most_entries - 1) / most_entries);
  }

  void add(const Step& step) {
    const double ns = step.end_ns - step.begin_ns;
    const size_t bucket = step.number / into_.bucket_size;
    while (into_.strip.size() <= bucket) into_.strip.push_back({into_.strip.size() * into_.bucket_size});
    trace::StripTimes& s = into_.strip[bucket];
    if (!s.count || ns < s.min_ns) s.min_ns = ns;
    if (!s.count || ns > s.max_ns) {
      s.max_ns = ns;
      s.max_iteration = step.number;
    }
    s.mean_ns = (s.mean_ns * static_cast<double>(s.count) + ns) / static_cast<double>(s.count + 1);
    ++s.count;
    ++into_.timed;
    into_.time_ns += ns;
    const auto slower = [](const trace::SlowTime& a, const trace::SlowTime& b) { return a.time_ns > b.time_ns; };
    into_.slow.push_back({step.number, ns, step.begin_ns, step.gap_ns, 0});
    std::push_heap(into_.slow.begin(), into_.slow.end(), slower);
    if (into_.slow.size() <= most_slow) return;
    std::pop_heap(into_.slow.begin(), into_.slow.end(), slower);
    into_.slow.pop_back();
  }

 private:
  LoopTimes& into_;
};

// False: some call of the thread has no time.
bool read_steps(const trace::Stream& stream, uint64_t every, uint64_t steps, LoopTimes* into) {
  StepTimes times(steps, into);
  trace::SeriesWalk walk(stream);
  trace::TimedEvent e;
  Step step;
  uint64_t iterations = 0;
  bool open = false;
  while (walk.next(&e)) {
    if (!e.series) return false;
    if (e.event.run) continue;
    const bool inside = stream.within(stream.loop_around(e.event.key.site), into->source);
    const bool begins =
        std::binary_search(into->begins.begin(), into->begins.end(), uint64_t{e.from} << 32 | e.event.key.site);
    if (begins && iterations++ % every == 0) {
      if (open) {
        step.end_ns = e.begin_ns;
        times.add(step);
      }
      step = {iterations / every, e.begin_ns, e.begin_ns, 0};
      open = true;
    } else if (!inside && open) {
      times.add(step);
      open = false;
    }
    if (!inside || !open) continue;
    ++into->calls;
    step.end_ns = e.begin_ns + e.duration_ns;
    if (e.begin_ns > step.begin_ns) step.gap_ns = std::max(step.gap_ns, e.gap_ns);
  }
  if (open) times.add(step);
  return into->timed > 0;
}

// Where only some iterations of the inner loop have times, a step takes that many usual ones.
void multiply(uint64_t every, LoopTimes* times) {
  const auto many = static_cast<double>(every);
  times->timed /= every;
  times->bucket_size = (times->bucket_size + every - 1) / every;
  std::vector<trace::StripTimes> strip;
  for (const trace::StripTimes& s : times->strip) {
    const uint64_t first = s.first / every / times->bucket_size * times->bucket_size;
    if (!s.count) continue;
    if (strip.empty() || strip.back().first != first) strip.push_back({first});
    trace::StripTimes& into = strip.back();
    const double mean = many * s.mean_ns;
    const auto before = static_cast<double>(into.count), own = static_cast<double>(s.count);
    into.mean_ns = (into.mean_ns * before + mean * own) / (before + own);
    into.count += s.count;
  }
  times->strip.clear();
  for (trace::StripTimes& s : strip) {
    s.count /= every;
    s.min_ns = s.max_ns = s.mean_ns;
    s.max_iteration = s.first;
    if (s.count) times->strip.push_back(s);
  }
  times->slow.clear();
  times->stride = times->width = 0;
}

}  // namespace

void add_step_times(const trace::SilentSteps& steps, uint64_t inner_iterations, trace::Stream* stream) {
  trace::Series* into = nullptr;
  const LoopTimes* of_inner = nullptr;
  for (trace::Series& s : stream->series) {
    if (!s.windows.empty() && !of_inner) into = &s;
    for (const LoopTimes& l : s.loops) {
      if (l.source != steps.inner || !l.timed || (of_inner && l.timed <= of_inner->timed)) continue;
      of_inner = &l;
      into = &s;
    }
  }
  if (!into) return;
  LoopTimes times;
  times.source = steps.outer;
  times.begins = begins_of(*stream, steps.inner);
  times.position = of_inner ? of_inner->position : 0;
  times.anchors = steps.inner_iterations;
  times.occurrences = inner_iterations;
  if (times.begins.empty()) return;
  LoopTimes exact = times;
  if (read_steps(*stream, times.anchors, inner_iterations / times.anchors, &exact)) {
    times = std::move(exact);
  } else if (of_inner) {
    times.timed = of_inner->timed;
    times.calls = of_inner->calls;
    times.time_ns = of_inner->time_ns;
    times.bucket_size = of_inner->bucket_size;
    times.strip = of_inner->strip;
    multiply(times.anchors, &times);
  }
  if (!times.timed) return;
  for (trace::Series& s : stream->series) {
    for (LoopTimes& l : s.loops) {
      if (l.source == steps.outer) l.timed = 0;  // of several iterations at once; windows know it by its place
    }
  }
  into->loops.push_back(std::move(times));
}

}  // namespace leadline::structure
