#include "structure/timed_tree.hpp"

#include <algorithm>
#include <cmath>

#include "structure/build_tree.hpp"
#include "structure/tree_calls.hpp"
#include "trace/structure.hpp"

namespace leadline::structure {

namespace {

using trace::TimeStats;

void merge(const TimeStats& from, TimeStats* to) {
  if (!from.count) return;
  to->min_ns = to->count ? std::min(to->min_ns, from.min_ns) : from.min_ns;
  to->max_ns = to->count ? std::max(to->max_ns, from.max_ns) : from.max_ns;
  to->count += from.count;
  to->sum_ns += from.sum_ns;
  to->gap_sum_ns += from.gap_sum_ns;
  to->hist.add(from.hist);
}

double deviation_of(const TimeStats& times) {
  const double mean = times.sum_ns / static_cast<double>(times.count);
  double squares = 0, counted = 0;
  for (size_t i = 0; i < times.hist.size(); ++i) {
    if (!times.hist[i]) continue;
    const int power = static_cast<int>(i);
    const double low = std::clamp(std::ldexp(1, power) - 1, times.min_ns, times.max_ns);
    const bool last = i + 1 == times.hist.size();
    const double high = last ? times.max_ns : std::clamp(std::ldexp(1, power + 1) - 1, times.min_ns, times.max_ns);
    const double from_mean = (low + high) / 2 - mean, width = high - low;
    const auto calls = static_cast<double>(times.hist[i]);
    squares += calls * (from_mean * from_mean + width * width / 12);
    counted += calls;
  }
  return counted > 0 ? std::sqrt(squares / counted) : 0;
}

// As for the deviation, durations are taken to be spread evenly within a power of two.
double quantile_of(const TimeStats& times, double part) {
  double counted = 0, before = 0;
  for (size_t i = 0; i < times.hist.size(); ++i) counted += static_cast<double>(times.hist[i]);
  const double wanted = part * counted;
  for (size_t i = 0; i < times.hist.size(); ++i) {
    const auto calls = static_cast<double>(times.hist[i]);
    if (!calls || before + calls < wanted) {
      before += calls;
      continue;
    }
    const int power = static_cast<int>(i);
    const double low = std::clamp(std::ldexp(1, power) - 1, times.min_ns, times.max_ns);
    const bool last = i + 1 == times.hist.size();
    const double high = last ? times.max_ns : std::clamp(std::ldexp(1, power + 1) - 1, times.min_ns, times.max_ns);
    return low + (high - low) * (wanted - before) / calls;
  }
  return times.min_ns;
}

}  // namespace

TimedTree timed_tree(const trace::Stream& stream) {
  TimedTree timed;
  std::vector<TimeStats> own, rest;  // by number of the call; by site, of calls without a place
  timed.tree = loop_tree(stream, [&](uint32_t call, const trace::DecodedPosition& place) {
    std::vector<TimeStats>& all = call == no_call ? rest : own;
    const size_t at = call == no_call ? place.key.site : call;
    if (at >= all.size()) all.resize(at + 1);
    merge(place.times, &all[at]);
  });
  const std::vector<uint64_t> calls = count_occurrences_of_calls(timed.tree);
  own.resize(calls.size());
  timed.times.resize(calls.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    const uint32_t site = timed.tree.calls[i].key.site;
    LeafTimes& leaf = timed.times[i];
    leaf.calls = calls[i];
    leaf.shared = calls[i] > own[i].count ? calls[i] - own[i].count : 0;
    TimeStats all = own[i];
    double sum_ns = own[i].sum_ns, before_ns = own[i].gap_sum_ns;
    if (leaf.shared && site < rest.size() && rest[site].count) {
      const double part = static_cast<double>(leaf.shared) / static_cast<double>(rest[site].count);
      leaf.shared_before_ns = rest[site].gap_sum_ns / static_cast<double>(rest[site].count);
      sum_ns += part * rest[site].sum_ns;
      before_ns += part * rest[site].gap_sum_ns;
      merge(rest[site], &all);
    }
    if (!calls[i] || !all.count) continue;
    leaf.duration_ns = sum_ns / static_cast<double>(calls[i]);
    leaf.before_ns = before_ns / static_cast<double>(calls[i]);
    leaf.least_ns = all.min_ns;
    leaf.most_ns = all.max_ns;
    for (size_t part = 0; part < low_parts.size(); ++part) leaf.low_ns[part] = quantile_of(all, low_parts[part]);
    leaf.deviation_ns = deviation_of(all);
  }
  return timed;
}

}  // namespace leadline::structure
