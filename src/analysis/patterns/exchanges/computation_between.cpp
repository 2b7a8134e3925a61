#include "analysis/patterns/exchanges/computation_between.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "analysis/patterns/exchanges/rows.hpp"

namespace leadline::analysis {

namespace {

// Of a site's gaps in one of so many iterations. A site in an inner loop may follow computation once in each iteration,
// when the inner loop begins: the longest gaps are one for each iteration, and so are the next ones.
double usual_sum(std::vector<double> gaps, double iterations) {
  std::sort(gaps.begin(), gaps.end(), std::greater<>());
  const auto each = static_cast<std::ptrdiff_t>(std::max(std::lround(iterations), 1L));
  double sum = 0;
  for (auto from = gaps.begin(); from != gaps.end();) {
    const auto to = from + std::min(each, gaps.end() - from);
    sum += static_cast<double>(to - from) / iterations * middle(std::vector<double>(from, to));
    from = to;
  }
  return sum;
}

}  // namespace

ComputationBetween::ComputationBetween(const Profile& profile) : profile_(profile) {
  for (const GlobalSite& site : profile.sites()) {
    std::vector<double> means;
    for (const Cell& c : site.cells) {
      if (c.counts.calls) means.push_back(c.gap_ns / static_cast<double>(c.counts.calls));
    }
    // Of an even number, the lower one: ranks that lost their core must not decide.
    std::sort(means.begin(), means.end());
    usual_ns_.push_back(means.empty() ? 0 : means[(means.size() - 1) / 2]);
  }
  const uint32_t main = profile.loops().main();
  most_ns_ = main ? most_of_iteration * profile.loops().mean_ns(main) : std::numeric_limits<double>::infinity();
}

double ComputationBetween::gap_ns(const Step& step, uint32_t call) const {
  const StepCall& c = step.calls[call];
  const double usual = c.site < usual_ns_.size() ? usual_ns_[c.site] : 0;
  return step.timed ? std::min(usual, c.gap_ns) : usual;
}

double ComputationBetween::ns(const Step& step, uint32_t first, uint32_t last) const {
  double sum = 0;
  for (uint32_t c = first + 1; c <= last; ++c) sum += gap_ns(step, c);
  return sum;
}

double ComputationBetween::least_ns(const Step& step, uint32_t first, uint32_t last) const {
  double sum = 0;
  for (uint32_t c = first + 1; c <= last; ++c) {
    const double gap = gap_ns(step, c);
    sum += step.timed ? std::max(std::min(gap, step.calls[c].least_gap_ns), step.calls[c].sure_gap_ns) : gap;
  }
  return sum;
}

std::vector<uint32_t> ComputationBetween::breaks(const Step& step, int64_t bytes) const {
  std::vector<uint32_t> calls;
  for (uint32_t c = 1; c < step.calls.size(); ++c) {
    if (!is_little(gap_ns(step, c), bytes)) calls.push_back(c - 1);
  }
  return calls;
}

double ComputationBetween::in_iteration_ns(const Step& step, uint32_t loop,
                                           const std::vector<uint32_t>& loop_of_site) const {
  const auto inside = [&](const StepCall& c) {
    return c.site < loop_of_site.size() && loop_of_site[c.site] && profile_.loops().within(loop_of_site[c.site], loop);
  };
  std::map<uint32_t, std::vector<double>> gaps;  // by call site, of calls after others of the loop
  std::set<std::pair<uint32_t, uint32_t>> threads;
  const StepCall* before = nullptr;
  for (const StepCall& c : step.calls) {
    const bool same = before && before->process == c.process && before->stream == c.stream;
    if (inside(c)) threads.emplace(c.process, c.stream);
    if (same && inside(c) && inside(*before)) gaps[c.site].push_back(c.gap_ns);
    before = &c;
  }
  if (!step.timed || gaps.empty()) return mean_in_iteration_ns(loop, loop_of_site);
  double iterations = iterations_in_step(loop, threads.size());
  if (iterations == 0) {
    for (const auto& [site, of] : gaps) iterations = std::max(iterations, static_cast<double>(of.size()));
  }
  double sum = 0;
  for (auto& [site, of] : gaps) sum += usual_sum(std::move(of), iterations);
  return sum;
}

double ComputationBetween::iterations_in_step(uint32_t loop, size_t threads) const {
  const RunLoops& loops = profile_.loops();
  const uint32_t main = loops.main();
  if (!main || !loops.within(loop, main) || loops.all()[loop].silent) return 0;
  const auto steps = static_cast<double>(loops.iterations(main));
  return steps > 0 ? static_cast<double>(loops.iterations(loop)) / steps * static_cast<double>(threads) : 0;
}

double ComputationBetween::mean_in_iteration_ns(uint32_t loop, const std::vector<uint32_t>& loop_of_site) const {
  const RunLoops& loops = profile_.loops();
  double sum = 0;
  for (uint32_t s = 0; s < profile_.sites().size(); ++s) {
    if (profile_.sites()[s].local || !loop_of_site[s] || !loops.within(loop_of_site[s], loop)) continue;
    for (const Cell& c : profile_.sites()[s].cells) sum += c.gap_ns;
  }
  uint64_t iterations = 0;
  for (const LoopCell& c : loops.all()[loop].cells) iterations += c.iterations();
  return iterations ? sum / static_cast<double>(iterations) : 0;
}

}  // namespace leadline::analysis
