#include "structure/gap_shares.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "structure/parse.hpp"
#include "structure/tree_calls.hpp"
#include "trace/reading/series_walk.hpp"
#include "trace/saturating.hpp"

namespace leadline::structure {

namespace {

constexpr uint64_t most_shared_calls = uint64_t{1} << 16;  // of a thread whose times are looked at
constexpr double as_long = 1.02;                           // kept times are rounded
constexpr uint32_t no_site = Parser::no_site;

// The site of each sequence's first call; no_site if it has none.
std::vector<uint32_t> first_sites(const LoopTree& tree) {
  std::vector<uint32_t> found(tree.sequences.size(), no_site);
  for (Sequence s = 1; s < tree.sequences.size(); ++s) {
    for (const Element& e : tree.sequences.elements(s)) {
      found[s] = is_call(e) ? tree.calls[Item(e.id).index()].key.site : found[inside(tree, e)];
      if (found[s] != no_site) break;
    }
  }
  return found;
}

struct Gaps {
  double count = 0, sum_ns = 0;
  void add(double ns) {
    ++count;
    sum_ns += ns;
  }
  void add(const Gaps& other) {
    count += other.count;
    sum_ns += other.sum_ns;
  }
  std::optional<double> mean() const { return count > 0 ? std::optional(sum_ns / count) : std::nullopt; }
};

// Calls at one site, by what control did before them.
struct Arrival {
  uint32_t site = 0;
  uint32_t entered = 0;  // how many of the loops around the site had been entered before, the outermost ones
  bool repeats = false;  // the innermost of these began its next iteration
  auto operator<=>(const Arrival&) const = default;
};

// What the kept times of the calls tell.
class Observed {
 public:
  explicit Observed(const trace::Stream& stream) : nest_(stream) {
    read(stream);
    for (const trace::SilentSteps& s : stream.steps) part(s);
    for (const auto& [arrival, gaps] : gaps_) {
      for (const double ns : gaps) by_arrival_[arrival].add(ns);
    }
    for (const auto& [arrival, gaps] : by_arrival_) {
      if (arrival.repeats) repeats_[nest_.around(arrival.site)[arrival.entered - 1]].add(gaps);
    }
  }

  const std::vector<uint32_t>& around(uint32_t site) const { return nest_.around(site); }
  // Between two iterations of the loop.
  std::optional<double> between(uint32_t loop) const {
    const auto at = repeats_.find(loop);
    return at == repeats_.end() ? std::nullopt : at->second.mean();
  }
  // Before calls of the site that enter the loop at this depth, or before its others.
  std::optional<double> before(uint32_t site, size_t depth, bool entering) const {
    Gaps all;
    for (auto at = by_arrival_.lower_bound({site, 0, false}); at != by_arrival_.end() && at->first.site == site; ++at) {
      if ((depth >= at->first.entered) == entering) all.add(at->second);
    }
    return all.mean();
  }

 private:
  void read(const trace::Stream& stream) {
    const trace::Passed passed{[](const trace::Event&) {}, [](uint32_t, uint32_t, uint64_t) {}};
    trace::SeriesWalk walk(stream);
    trace::TimedEvent e;
    for (uint64_t calls = 0; calls < most_shared_calls && walk.next_timed(&e, passed); ++calls) {
      if (e.event.run) continue;
      const uint32_t site = e.event.key.site;
      const Crossing& c = nest_.crossing(e.from, site);
      const auto entered = static_cast<uint32_t>(nest_.around(site).size() - c.enters);
      gaps_[{site, entered, c.repeats}].push_back(e.gap_ns);
    }
  }

  // Iterations of the outer loop that no call shows begin with the longest of the times between the inner one's.
  void part(const trace::SilentSteps& steps) {
    std::vector<double> all;
    std::vector<std::pair<Arrival, std::vector<double>*>> arrivals;
    for (auto& [arrival, gaps] : gaps_) {
      if (!arrival.repeats || nest_.around(arrival.site)[arrival.entered - 1] != steps.inner) continue;
      all.insert(all.end(), gaps.begin(), gaps.end());
      arrivals.emplace_back(arrival, &gaps);
    }
    const size_t first = all.size() / std::max<uint64_t>(steps.inner_iterations, 1);
    if (!first || first == all.size()) return;
    std::nth_element(all.begin(), all.end() - static_cast<std::ptrdiff_t>(first), all.end());
    const double least = all[all.size() - first];
    auto ties =
        static_cast<int64_t>(first) - std::count_if(all.begin(), all.end(), [&](double ns) { return ns > least; });
    const auto stays = [&](double ns) { return ns < least || (ns == least && ties-- <= 0); };
    std::map<Arrival, std::vector<double>> of_outer;
    for (auto& [arrival, gaps] : arrivals) {
      const auto longer = std::partition(gaps->begin(), gaps->end(), stays);
      of_outer[{arrival.site, arrival.entered - 1, arrival.entered > 1}].assign(longer, gaps->end());
      gaps->erase(longer, gaps->end());
    }
    for (auto& [arrival, gaps] : of_outer) {
      std::vector<double>& known = gaps_[arrival];
      known.insert(known.end(), gaps.begin(), gaps.end());
    }
  }

  Nest nest_;
  std::map<Arrival, std::vector<double>> gaps_;
  std::map<Arrival, Gaps> by_arrival_;
  std::map<uint32_t, Gaps> repeats_;
};

// A site's calls: `first` of them enter the loop.
double share_within(const Gaps& site, double first, std::optional<double> before_first,
                    std::optional<double> before_others, std::optional<double> between) {
  const double others = std::max(site.count - first, 0.0), mean = site.sum_ns / site.count;
  if (!before_first && !before_others) {
    before_first = before_others = mean;
  } else if (!before_first) {
    before_first = std::max(site.sum_ns - others * *before_others, 0.0) / first;
  } else if (!before_others) {
    before_others = others > 0 ? std::max(site.sum_ns - first * *before_first, 0.0) / others : 0;
  }
  const double own = others * *before_others, entering = first * *before_first;
  const double usual = between.value_or(0);
  if (own + entering <= 0 || *before_first <= as_long * usual) return 1;
  return (own + first * std::min(*before_first, usual)) / (own + entering);
}

}  // namespace

std::vector<FirstCalls> first_calls(const LoopTree& tree) {
  const std::vector<uint32_t> sites = first_sites(tree);
  const std::vector<uint64_t> occur = tree.count_instances();
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> found;
  for (size_t i = 0; i < tree.instances.size(); ++i) {
    const uint32_t site = sites[tree.instances[i].iterations];
    if (site == no_site || !occur[i]) continue;
    uint64_t& times = found[{tree.instances[i].loop, site}];
    times = trace::saturating_sum(times, occur[i]);
  }
  std::vector<FirstCalls> all;
  for (const auto& [where, times] : found) all.push_back({where.first, where.second, times});
  return all;
}

std::vector<GapShare> gap_shares(const trace::Stream& stream, const std::vector<FirstCalls>& first) {
  std::vector<GapShare> found;
  if (first.empty()) return found;
  std::map<uint32_t, Gaps> sites;
  for (const FirstCalls& f : first) sites[f.site];
  trace::for_each_site_time(stream, [&](uint32_t site, const trace::TimeStats& times) {
    const auto at = sites.find(site);
    if (at != sites.end()) at->second.add({static_cast<double>(times.count), times.gap_sum_ns});
  });
  const Observed observed(stream);
  const auto times_of = [&](uint32_t loop, uint32_t site) {
    const auto at = std::lower_bound(first.begin(), first.end(), std::pair(loop, site),
                                     [](const auto& f, auto where) { return std::pair(f.loop, f.site) < where; });
    return at != first.end() && at->loop == loop && at->site == site ? static_cast<double>(at->times) : 0.0;
  };
  for (auto& [site, gaps] : sites) {
    const std::vector<uint32_t>& around = observed.around(site);
    double least = 0;
    for (size_t depth = around.size(); gaps.sum_ns > 0 && depth-- > 0;) {
      const double times = times_of(around[depth], site);
      if (times <= 0) break;  // it enters no loop around this one either
      gaps.count = std::max(gaps.count, times);
      const double share = share_within(gaps, times, observed.before(site, depth, true),
                                        observed.before(site, depth, false), observed.between(around[depth]));
      least = std::max(least, share);
      found.push_back({site, around[depth], std::min(least, 1.0)});
    }
  }
  return found;
}

}  // namespace leadline::structure
