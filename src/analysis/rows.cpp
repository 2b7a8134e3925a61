// Profile::rows: sums of sites by group, and their spread over processes.
#include <algorithm>

#include "analysis/profile.hpp"

namespace leadline::analysis {

namespace {

// `values`: one per process; reordered.
template <class Value>
Spread spread_of(const std::vector<Value>& per_process, std::vector<double>* values, double (*value_of)(const Value&)) {
  Spread spread;
  const size_t n = per_process.size();
  if (n == 0) return spread;
  values->resize(n);
  size_t low = 0, high = 0;
  for (size_t i = 0; i < n; ++i) {
    (*values)[i] = value_of(per_process[i]);
    if ((*values)[i] < (*values)[low]) low = i;
    if ((*values)[i] > (*values)[high]) high = i;
  }
  spread = {(*values)[low], 0, (*values)[high], static_cast<uint32_t>(low), static_cast<uint32_t>(high)};
  const auto middle = values->begin() + static_cast<std::ptrdiff_t>(n / 2);
  std::nth_element(values->begin(), middle, values->end());
  spread.median = *middle;
  if (n % 2 == 0) spread.median = (spread.median + *std::max_element(values->begin(), middle)) / 2;
  return spread;
}

void add_site(const GlobalSite& site, Category category, std::vector<Counts>* per_process, std::vector<bool>* called,
              Row* row) {
  for (const Cell& cell : site.cells) {
    (*per_process)[cell.process].add(cell.counts);
    if (cell.counts.calls > 0) (*called)[cell.process] = true;
    row->total.add(cell.counts);
    if (cell.max_ns > row->max_ns) {
      row->max_ns = cell.max_ns;
      row->max_ns_process = cell.process;
    }
  }
  if (site.times.count > 0) {  // where the counter is coarse, the shortest call may well take 0
    const bool is_first = std::all_of(row->hist.begin(), row->hist.end(), [](uint64_t calls) { return calls == 0; });
    row->min_ns = is_first ? site.times.min_ns : std::min(row->min_ns, site.times.min_ns);
  }
  for (size_t i = 0; i < row->hist.size(); ++i) row->hist[i] += site.times.hist[i];
  (category == Category::one_sided ? row->operation_sizes : row->sizes).add(site.sizes);
}

}  // namespace

std::vector<Row> Profile::rows(const std::vector<std::vector<uint32_t>>& groups) const {
  std::vector<Row> rows(groups.size());
  std::vector<double> values;
  for (size_t group = 0; group < groups.size(); ++group) {
    Row& row = rows[group];
    std::vector<Counts> per_process(processes_.size());
    std::vector<bool> called(processes_.size());
    for (const uint32_t site : groups[group]) {
      if (site >= sites_.size()) continue;
      const Category category = category_of(functions_[sites_[site].function].cls);
      add_site(sites_[site], category, &per_process, &called, &row);
    }
    row.processes = static_cast<uint32_t>(std::count(called.begin(), called.end(), true));
    const auto spread = [&](double (*value_of)(const Counts&)) { return spread_of(per_process, &values, value_of); };
    row.calls = spread([](const Counts& c) { return static_cast<double>(c.calls); });
    row.messages = spread([](const Counts& c) { return static_cast<double>(c.messages); });
    row.bytes = spread([](const Counts& c) { return static_cast<double>(c.sent + c.contributed); });
    row.received = spread([](const Counts& c) { return static_cast<double>(c.received + c.collected); });
    row.time_ns = spread([](const Counts& c) { return c.time_ns; });
  }
  return rows;
}

}  // namespace leadline::analysis
