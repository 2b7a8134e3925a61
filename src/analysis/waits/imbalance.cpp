#include "analysis/waits/imbalance.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <string>

namespace leadline::analysis {

namespace {

constexpr double least_share = 0.01;   // of the mean computation: less is not worth telling apart
constexpr double least_certainty = 3;  // standard errors that a part must have
constexpr double least_of_lost = 0.1;  // share that a part must have
constexpr size_t least_steps = 4;
// Of the mean computation: more is not what a system does to a program. What a rank in a step, or the slowest one of a
// step, differs by in half of the cases.
constexpr double least_change = 0.10, least_change_of_slowest = 0.25;
constexpr size_t most_named = 5;

double mean(const std::vector<double>& v) {
  return v.empty() ? 0 : std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

// Rows: steps; columns: processes.
using Table = std::vector<std::vector<double>>;

size_t highest(const std::vector<double>& v) {
  return static_cast<size_t>(std::max_element(v.begin(), v.end()) - v.begin());
}

// The mean of these values if it is significant.
double certain(const std::vector<double>& values, double lost) {
  if (values.size() < 2) return 0;
  const double m = mean(values);
  double squares = 0;
  for (const double v : values) squares += (v - m) * (v - m);
  const auto n = static_cast<double>(values.size());
  return m > least_of_lost * lost && m > least_certainty * std::sqrt(squares / (n - 1) / n) ? m : 0;
}

double median(std::vector<double> v) {
  const auto middle = v.begin() + static_cast<ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  return *middle;
}

// Whether what differs from step to step does so by more than a system's noise, which is rare or small. beside_own: a
// rank's mean excess, by process.
bool changes_much(const Table& beside_mean, const std::vector<double>& beside_own, double computation_ns) {
  std::vector<double> of_all, of_slowest;
  for (const std::vector<double>& row : beside_mean) {
    double most = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      const double change = row[i] - beside_own[i];
      of_all.push_back(std::abs(change));
      most = std::max(most, change);
    }
    of_slowest.push_back(most);
  }
  return median(std::move(of_all)) >= least_change * computation_ns ||
         median(std::move(of_slowest)) >= least_change_of_slowest * computation_ns;
}

// What the rank that computed longest in one half of the steps exceeds the mean by in each step of the other half.
std::vector<double> excess_of_the_same(const Table& beside_mean) {
  const size_t half = beside_mean.size() / 2, n = beside_mean[0].size();
  std::vector<double> found, before(n), after(n);
  for (size_t s = 0; s < beside_mean.size(); ++s) {
    for (size_t i = 0; i < n; ++i) (s < half ? before : after)[i] += beside_mean[s][i];
  }
  for (size_t s = 0; s < beside_mean.size(); ++s) found.push_back(beside_mean[s][highest(s < half ? after : before)]);
  return found;
}

// What the rank that computed longest in a step exceeds the mean by in the next one, or in the one before.
std::vector<double> excess_beside(const Table& beside_mean, const std::vector<StepComputation>& all) {
  std::vector<double> found;
  for (size_t s = 1; s < all.size(); ++s) {
    if (all[s].iteration != all[s - 1].iteration + 1) continue;
    const double next = beside_mean[s][highest(beside_mean[s - 1])], back = beside_mean[s - 1][highest(beside_mean[s])];
    found.push_back((next + back) / 2);
  }
  return found;
}

}  // namespace

// The rank that computes longest in a step exceeds the mean in that step by chance, too. So the rank is found in some
// steps, and its excess is measured in others.
Imbalance imbalance_of(const std::vector<StepComputation>& all, const std::vector<std::string>& hosts) {
  Imbalance found;
  // Processes that are in every step.
  std::vector<uint32_t> processes;
  for (uint32_t p = 0; p < hosts.size(); ++p) {
    if (std::all_of(all.begin(), all.end(), [&](const StepComputation& s) { return p < s.ns.size() && s.ns[p] >= 0; }))
      processes.push_back(p);
  }
  if (all.size() < least_steps || processes.size() < 2) return found;
  const size_t n = processes.size();
  std::vector<double> of_process(n), lost, means;
  Table beside_mean;
  for (const StepComputation& s : all) {
    std::vector<double>& row = beside_mean.emplace_back();
    for (const uint32_t p : processes) row.push_back(s.ns[p]);
    means.push_back(mean(row));
    for (size_t i = 0; i < n; ++i) {
      of_process[i] += row[i] / static_cast<double>(all.size());
      row[i] -= means.back();
    }
    lost.push_back(row[highest(row)]);
  }
  found.computation_ns = mean(means);
  found.lost_ns = mean(lost);
  found.found = found.lost_ns >= least_share * found.computation_ns && found.lost_ns > 0;
  if (!found.found) return found;
  found.fixed_ns = std::min(certain(excess_of_the_same(beside_mean), found.lost_ns), found.lost_ns);
  const double lasting = std::min(certain(excess_beside(beside_mean, all), found.lost_ns), found.lost_ns);
  const double wandering = lasting - found.fixed_ns;
  found.wandering_ns = wandering > least_of_lost * found.lost_ns ? wandering : 0;
  found.noise_ns = found.lost_ns - found.fixed_ns - found.wandering_ns;
  std::vector<double> beside_own;
  for (const double own : of_process) beside_own.push_back(own - found.computation_ns);
  if (found.noise_ns > least_of_lost * found.lost_ns && changes_much(beside_mean, beside_own, found.computation_ns))
    std::swap(found.changing_ns, found.noise_ns);

  if (found.fixed_ns > 0) {
    std::map<std::string, std::vector<double>> by_host;
    double whole = 0, between = 0;
    for (size_t i = 0; i < n; ++i) {
      by_host[hosts[processes[i]]].push_back(of_process[i]);
      whole += (of_process[i] - found.computation_ns) * (of_process[i] - found.computation_ns);
    }
    for (const auto& [host, values] : by_host) {
      const double d = mean(values) - found.computation_ns;
      between += d * d * static_cast<double>(values.size());
    }
    const bool several = by_host.size() > 1 && by_host.size() < n;
    found.between_hosts = several && whole > 0 ? between / whole : 0;
  }
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return of_process[a] > of_process[b]; });
  for (size_t i = 0; i < std::min(most_named, n) && found.computation_ns > 0; ++i) {
    found.slowest.emplace_back(processes[order[i]], of_process[order[i]] / found.computation_ns);
  }
  return found;
}

namespace {

// How many steps lie between them if that is always the same number, or a multiple of it; 0: it is not.
uint64_t period_of(std::vector<uint64_t> iterations) {
  constexpr size_t least = 3;
  std::sort(iterations.begin(), iterations.end());
  if (iterations.size() < least) return 0;
  uint64_t common = 0;
  for (size_t i = 1; i < iterations.size(); ++i) common = std::gcd(common, iterations[i] - iterations[i - 1]);
  const uint64_t places = common ? (iterations.back() - iterations.front()) / common + 1 : 0;
  return common > 1 && places <= 2 * iterations.size() ? common : 0;
}

}  // namespace

void add_slow_steps(const std::vector<StepComputation>& slow, uint64_t count, Imbalance* found) {
  if (slow.empty() || count < slow.size()) return;
  const auto all = static_cast<double>(count);
  double lost = 0, computation = 0;
  std::vector<uint64_t> iterations;
  for (const StepComputation& step : slow) {
    std::vector<double> row;
    std::copy_if(step.ns.begin(), step.ns.end(), std::back_inserter(row), [](double ns) { return ns >= 0; });
    if (row.empty()) continue;
    computation += mean(row) / all;
    lost += (row[highest(row)] - mean(row)) / all;
    iterations.push_back(step.iteration);
  }
  const double others = (all - static_cast<double>(iterations.size())) / all;
  found->computation_ns = others * found->computation_ns + computation;
  for (double* part : {&found->fixed_ns, &found->wandering_ns, &found->changing_ns, &found->noise_ns}) *part *= others;
  found->rare_ns = lost;
  found->rare_steps = iterations.size();
  found->rare_period = period_of(iterations);
  found->lost_ns = found->fixed_ns + found->wandering_ns + found->changing_ns + found->noise_ns + lost;
  found->found = found->lost_ns >= least_share * found->computation_ns && found->lost_ns > 0;
}

}  // namespace leadline::analysis
