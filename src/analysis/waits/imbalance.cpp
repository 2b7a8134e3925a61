#include "analysis/waits/imbalance.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

namespace leadline::analysis {

namespace {

constexpr double least_lag = 0.5;  // correlation with the next step from which on a deviation lasts
constexpr size_t most_named = 5;

double mean(const std::vector<double>& v) {
  return v.empty() ? 0 : std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

}  // namespace

Imbalance imbalance_of(const std::vector<StepComputation>& all, const std::vector<std::string>& hosts) {
  Imbalance found;
  // Processes that are in every step.
  std::vector<uint32_t> processes;
  for (uint32_t p = 0; p < hosts.size(); ++p) {
    if (std::all_of(all.begin(), all.end(), [&](const StepComputation& s) { return p < s.ns.size() && s.ns[p] >= 0; }))
      processes.push_back(p);
  }
  if (all.size() < 2 || processes.size() < 2) return found;
  const size_t n = processes.size();
  std::vector<double> of_process(n), lost, means;
  for (const StepComputation& s : all) {
    double sum = 0, most = 0;
    for (size_t i = 0; i < n; ++i) {
      sum += s.ns[processes[i]];
      most = std::max(most, s.ns[processes[i]]);
      of_process[i] += s.ns[processes[i]] / static_cast<double>(all.size());
    }
    means.push_back(sum / static_cast<double>(n));
    lost.push_back(most - means.back());
  }
  found.found = true;
  found.computation_ns = mean(means);
  found.lost_ns = mean(lost);
  const double highest = *std::max_element(of_process.begin(), of_process.end());
  // The mean of the one rank that computes longest on average is biased by chance: by what the means scatter anyway.
  std::vector<std::vector<double>> rest(all.size(), std::vector<double>(n));
  double scatter = 0;
  for (size_t s = 0; s < all.size(); ++s) {
    for (size_t i = 0; i < n; ++i) {
      rest[s][i] = all[s].ns[processes[i]] - means[s] - (of_process[i] - found.computation_ns);
      scatter += rest[s][i] * rest[s][i];
    }
  }
  const double samples = static_cast<double>(all.size()) * static_cast<double>(n);
  const double deviation = std::sqrt(scatter / samples);
  const double by_chance = deviation / std::sqrt(static_cast<double>(all.size())) *
                           std::sqrt(2 * std::log(static_cast<double>(std::max<size_t>(n, 2))));
  const double fixed = highest - found.computation_ns;
  found.fixed_ns = fixed > 2 * by_chance ? std::min(fixed, found.lost_ns) : 0;
  // What is left lasts if it is alike in steps that follow one another.
  double both = 0, one = 0, other = 0;
  for (size_t s = 1; s < all.size(); ++s) {
    if (all[s].iteration != all[s - 1].iteration + 1) continue;
    for (size_t i = 0; i < n; ++i) {
      both += rest[s][i] * rest[s - 1][i];
      one += rest[s - 1][i] * rest[s - 1][i];
      other += rest[s][i] * rest[s][i];
    }
  }
  const double lag = one > 0 && other > 0 ? both / std::sqrt(one * other) : 0;
  const double left = found.lost_ns - found.fixed_ns;
  (lag >= least_lag ? found.wandering_ns : found.noise_ns) = left;

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

}  // namespace leadline::analysis
