#include "analysis/iterations.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace leadline::analysis {

namespace {

constexpr size_t most_sampled = 100000;

// Windows are those of the loop that the recorder timed: of the inner one, where no call shows the loop's iterations.
uint32_t with_windows(const trace::Series& of, uint32_t loop) {
  const trace::LoopTimes& own = of.loops[loop];
  for (uint32_t l = 0; own.source && own.anchors > 1 && l < of.loops.size(); ++l) {
    if (of.loops[l].anchors == 1 && of.loops[l].begins == own.begins) return l;
  }
  return loop;
}

const trace::WrittenGeneration* generation_of(const trace::Stream& stream, uint32_t number) {
  for (const trace::WrittenGeneration& g : stream.generations) {
    if (g.facts().number == number) return &g;
  }
  return nullptr;
}

// Whether the loop's iterations are numbered on in both: the recorder goes on counting those of a loop of the source.
bool same_count(const trace::Series& earlier, const trace::Series& of, uint32_t loop) {
  return of.loops[loop].source && loop < earlier.loops.size() && earlier.loops[loop].source == of.loops[loop].source &&
         earlier.loops[loop].timed <= of.loops[loop].timed;
}

// The end of a window, and of its parts behind pauses: calls of the generation before it.
uint64_t end_of(const trace::Series& series, size_t window) {
  const std::vector<trace::WindowTimes>& all = series.windows;
  uint64_t end = all[window].first_call + all[window].entries;
  while (++window < all.size() && all[window].kind == trace::SeriesKind::continued && all[window].first_call == end) {
    end += all[window].entries;
  }
  return end;
}

// A window's first and last iteration may lack the partners' calls, because their windows begin and end elsewhere. The
// iteration under way when a generation was full has its calls in two of them: its window does not count.
std::vector<uint64_t> sampled_of(const trace::Stream& stream, const trace::Series& of, uint32_t loop) {
  std::vector<uint64_t> all;
  const uint64_t each = of.loops[loop].source ? of.loops[loop].anchors : 1;  // iterations of the window's loop
  loop = with_windows(of, loop);
  const uint64_t width = of.loops[loop].width, at_once = of.loops[loop].at_once;
  const uint64_t edge = width / 2 > at_once ? at_once : 0;
  std::set<uint32_t> counted = {of.generation};
  for (const trace::Series& series : stream.series) {
    if (same_count(series, of, loop)) counted.insert(series.generation);
  }
  for (const trace::Series& series : stream.series) {
    const trace::WrittenGeneration* generation = generation_of(stream, series.generation);
    if (!generation || !counted.count(series.generation)) continue;
    const uint64_t entries = generation->facts().calls + generation->facts().polls_kept;
    for (size_t i = 0; i < series.windows.size(); ++i) {
      const trace::WindowTimes& w = series.windows[i];
      if (w.kind != trace::SeriesKind::sampled || w.loop != loop) continue;
      if (series.generation != of.generation && end_of(series, i) >= entries) continue;
      const uint64_t first = w.iteration + edge, end = w.iteration + width - std::min(edge, width);
      for (uint64_t n = (first + each - 1) / each; (n + 1) * each <= end && all.size() < most_sampled; ++n) {
        all.push_back(n);
      }
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

std::vector<ProcessLoop> loops_of(const trace::Process& process, const std::vector<std::vector<uint32_t>>& numbers) {
  std::vector<ProcessLoop> all;
  std::vector<const trace::WrittenGeneration*> anchored;  // by loop: where its anchor is a position
  for (size_t s = 0; s < process.streams.size(); ++s) {
    const trace::Stream& stream = process.streams[s];
    for (const trace::Series& series : stream.series) {
      for (uint32_t l = 0; l < series.loops.size(); ++l) {
        const trace::LoopTimes& loop = series.loops[l];
        const trace::WrittenGeneration* generation = generation_of(stream, series.generation);
        if (!loop.timed || !generation || loop.position >= generation->facts().positions) continue;
        const bool known = loop.source && s < numbers.size() && loop.source < numbers[s].size();
        const uint32_t number = known ? numbers[s][loop.source] : 0;
        if (loop.source && !number) continue;
        ProcessLoop* into = nullptr;
        for (ProcessLoop& other : all) {  // the same in a later generation goes on
          if (number && other.loop == number) into = &other;
        }
        if (into && into->times.timed > loop.timed) continue;
        if (!into) into = &all.emplace_back();
        anchored.resize(all.size());
        anchored[static_cast<size_t>(into - all.data())] = generation;
        into->found = true;
        into->loop = number;
        into->stream = s;
        into->after = loop.after;
        into->times = loop;
        into->sampled = sampled_of(stream, series, l);
        uint64_t kept = 0;
        for (const trace::Series& part : stream.series) {
          for (const trace::WindowTimes& w : part.windows) {
            if (part.generation == series.generation) kept += w.entries;
          }
        }
        into->kept_any = kept > 0;
        into->whole = kept > 0 && kept + 1 >= generation->facts().calls + generation->facts().polls_kept;
      }
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<trace::DecodedPosition>& positions = anchored[i]->decoded()->positions;
    if (all[i].times.position < positions.size()) all[i].site = positions[all[i].times.position].key.site;
  }
  return all;
}

std::vector<const ProcessLoop*> loops_to_merge(const std::vector<const std::vector<ProcessLoop>*>& processes,
                                               uint32_t main) {
  static const ProcessLoop none;
  std::vector<const ProcessLoop*> chosen;
  bool any = false;
  const auto longest = [](const std::vector<ProcessLoop>& loops, const auto& fits) {
    const ProcessLoop* best = &none;
    for (const ProcessLoop& l : loops) {
      if (fits(l) && (!best->found || l.times.time_ns > best->times.time_ns)) best = &l;
    }
    return best;
  };
  for (const std::vector<ProcessLoop>* loops : processes) {
    chosen.push_back(longest(*loops, [&](const ProcessLoop& l) { return l.loop == main; }));
    any |= chosen.back()->found;
  }
  for (size_t p = 0; any && main && p < processes.size(); ++p) {
    if (!chosen[p]->found) chosen[p] = longest(*processes[p], [](const ProcessLoop&) { return true; });
  }
  return chosen;
}

namespace {

double typical(const std::vector<StripEntry>& strip) {
  std::vector<double> means;
  for (const StripEntry& e : strip) means.push_back(e.mean_ns);
  if (means.empty()) return 0;
  std::nth_element(means.begin(), means.begin() + static_cast<std::ptrdiff_t>(means.size() / 2), means.end());
  return means[means.size() / 2];
}

// What the ranks timed of a bucket's iterations.
struct Bucket {
  StripEntry entry;  // its mean is a sum, of all ranks' iterations
  uint64_t all = 0;  // iterations of all ranks together
  uint32_t last = 0;
  uint64_t of_last = 0;  // iterations of the rank that was added last

  void add(uint32_t process, const trace::StripTimes& s) {
    if (!all || s.min_ns < entry.min_ns) entry.min_ns = s.min_ns;
    if (!all || s.max_ns > entry.max_ns) {
      entry.max_ns = s.max_ns;
      entry.max_process = process;
      entry.max_iteration = s.max_iteration;
    }
    entry.mean_ns += s.mean_ns * static_cast<double>(s.count);
    of_last = (all && last == process ? of_last : 0) + s.count;
    last = process;
    all += s.count;
    entry.timed = std::max(entry.timed, of_last);
  }
};

// Buckets of the coarsest strip. True: every rank timed the same iterations, judging by their numbers.
bool merge_strips(const std::vector<const ProcessLoop*>& loops, RunIterations* run) {
  uint64_t size = 1, ranks = 0;
  for (const ProcessLoop* l : loops) {
    size = l->found ? std::max(size, l->times.bucket_size) : size;
    ranks += l->found;
  }
  std::map<uint64_t, Bucket> buckets;
  for (uint32_t p = 0; p < loops.size(); ++p) {
    if (!loops[p]->found) continue;
    for (const trace::StripTimes& s : loops[p]->times.strip) {
      if (s.count) buckets[s.first / size].add(p, s);
    }
  }
  bool same = true;
  for (auto& [number, bucket] : buckets) {
    StripEntry e = bucket.entry;
    e.first = number * size;
    e.last = std::min(e.first + size, std::max<uint64_t>(run->count, 1)) - 1;
    e.mean_ns /= static_cast<double>(bucket.all);
    same &= bucket.all == e.timed * ranks;
    e.timed = std::min(e.timed, e.last - e.first + 1);  // of very short iterations the last group counts as complete
    run->strip.push_back(e);
  }
  return same;
}

// Each iteration counts once. Within an entry of the strip they are taken to last as long as its mean.
double mean_of(const std::vector<StripEntry>& strip) {
  double time = 0, timed = 0;
  for (const StripEntry& e : strip) {
    time += e.mean_ns * static_cast<double>(e.timed);
    timed += static_cast<double>(e.timed);
  }
  return timed > 0 ? time / timed : 0;
}

void find_outliers(const std::vector<const ProcessLoop*>& loops, RunIterations* run) {
  const double usual = run->typical_ns = typical(run->strip);
  std::map<uint64_t, Outlier> by_iteration;
  for (uint32_t p = 0; p < loops.size(); ++p) {
    if (!loops[p]->found) continue;
    for (const trace::SlowTime& s : loops[p]->times.slow) {
      if (s.time_ns < outlier_factor * usual) continue;
      auto [at, fresh] = by_iteration.try_emplace(s.iteration);
      Outlier& o = at->second;
      // A rank that computed for most of the excess was slow; the ranks that waited for it took as long.
      const double excess = (s.time_ns - usual) / 2;
      const bool slower = s.longest_gap_ns > excess || o.computation_ns > excess ? s.longest_gap_ns > o.computation_ns
                                                                                 : s.time_ns > o.time_ns;
      if (fresh || slower) o = {s.iteration, p, s.time_ns, usual, s.longest_gap_ns};
    }
  }
  for (const auto& [iteration, outlier] : by_iteration) run->outliers.push_back(outlier);
  std::sort(run->outliers.begin(), run->outliers.end(),
            [](const Outlier& a, const Outlier& b) { return a.time_ns > b.time_ns; });
}

void keep_common(const std::vector<uint64_t>& with, std::vector<uint64_t>* sampled) {
  std::vector<uint64_t> both;
  std::set_intersection(sampled->begin(), sampled->end(), with.begin(), with.end(), std::back_inserter(both));
  *sampled = std::move(both);
}

// If a rank counts an inner loop, it counts a multiple of what the others count. These are the others' iterations of
// which it kept all, and one on either side, since it is unknown where in an iteration its count begins.
std::vector<uint64_t> usual_iterations(const ProcessLoop& l, uint64_t usual) {
  std::vector<uint64_t> found;
  const uint64_t own = l.times.iterations(), ratio = usual ? (own + usual / 2) / usual : 0;
  const uint64_t exact = ratio * usual;
  if (ratio < 2 || (own > exact ? own - exact : exact - own) > ratio) return found;
  for (size_t from = 0; from < l.sampled.size();) {
    size_t end = from + 1;
    while (end < l.sampled.size() && l.sampled[end] == l.sampled[end - 1] + 1) ++end;
    const uint64_t last = l.sampled[end - 1] + 1;
    for (uint64_t k = (l.sampled[from] + ratio - 1) / ratio + 1; (k + 2) * ratio <= last; ++k) found.push_back(k);
    from = end;
  }
  return found;
}

}  // namespace

uint64_t usual_count(const std::vector<const ProcessLoop*>& loops, uint32_t main) {
  std::vector<uint64_t> counts;
  for (const ProcessLoop* l : loops) {
    if (l->found && l->loop == main) counts.push_back(l->times.iterations());
  }
  std::sort(counts.begin(), counts.end());
  uint64_t usual = 0;
  std::ptrdiff_t most = 0;
  for (auto at = counts.begin(); at != counts.end(); at = std::upper_bound(at, counts.end(), *at)) {
    const auto alike = [&](uint64_t count) { return similar_counts(count, *at); };
    const auto first = std::partition_point(counts.begin(), at, [&](uint64_t count) { return !alike(count); });
    const auto end = std::partition_point(at, counts.end(), alike);
    if (end - first > most) usual = *at, most = end - first;
  }
  return usual;
}

RunIterations merge_loops(const std::vector<const ProcessLoop*>& all, uint32_t main) {
  // Ranks that count differently cannot be compared with the others.
  static const ProcessLoop none;
  const uint64_t usual = usual_count(all, main);
  std::vector<const ProcessLoop*> loops = all, others;
  for (const ProcessLoop*& l : loops) {
    if (!l->found || similar_counts(l->times.iterations(), usual)) continue;
    others.push_back(l);
    l = &none;
  }
  RunIterations run;
  double ranks = 0, timed = 0, calls = 0, time = 0, longest = 0;
  bool first = true, whole = true, any = false;
  for (uint32_t p = 0; p < loops.size(); ++p) {
    const ProcessLoop& l = *loops[p];
    if (!l.found) continue;
    run.found = true;
    run.count = std::max(run.count, l.times.iterations());
    const auto own = static_cast<double>(l.times.timed);
    ++ranks;
    timed += own;
    calls += own > 0 ? static_cast<double>(l.times.calls) / own : 0;
    time += l.times.time_ns;
    if (l.times.time_ns > longest) {
      longest = l.times.time_ns;
      run.process = p;
      run.site = l.site;
      run.after = l.after;
    }
    whole &= l.whole;
    any |= l.kept_any;
    if (l.whole) continue;  // it has them all
    if (first) {
      run.sampled = l.sampled;
    } else {
      keep_common(l.sampled, &run.sampled);
    }
    first = false;
  }
  if (!run.found) return run;
  run.calls = calls / ranks;
  for (const ProcessLoop* l : others) {
    if (l->whole) continue;
    const std::vector<uint64_t> own = usual_iterations(*l, usual);
    if (first) {
      run.sampled = own;
    } else {
      keep_common(own, &run.sampled);
    }
    first = whole = false;
  }
  run.kept = whole ? "full" : any ? "sampled" : "none";
  // The strip's times are rounded: the exact sums are better where they may be used.
  const bool same = merge_strips(loops, &run);
  run.mean_ns = !same ? mean_of(run.strip) : timed > 0 ? time / timed : 0;
  run.min_ns = run.strip.empty() ? 0 : run.strip.front().min_ns;
  for (const StripEntry& e : run.strip) {
    run.min_ns = std::min(run.min_ns, e.min_ns);
    run.max_ns = std::max(run.max_ns, e.max_ns);
  }
  find_outliers(loops, &run);
  return run;
}

}  // namespace leadline::analysis
