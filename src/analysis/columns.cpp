#include "analysis/columns.hpp"

#include <algorithm>
#include <limits>

#include "analysis/sums.hpp"

namespace leadline::analysis {

namespace {

constexpr double unknown_s = std::numeric_limits<double>::quiet_NaN();

// Damaged traces may contain any value.
int64_t integer(uint64_t value) { return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX)); }

// What the sites of a group did together on one process.
struct Merged {
  Counts counts;
  double min_ns = 0, max_ns = 0;
  bool touched = false, timed = false;
};

void merge(const GlobalSite& site, std::vector<Merged>* by_process, std::vector<uint32_t>* touched) {
  for (const Cell& cell : site.cells) {
    Merged& all = (*by_process)[cell.process];
    if (!all.touched) touched->push_back(cell.process);
    all.touched = true;
    all.counts.add(cell.counts);
    if (site.local || cell.max_ns == 0) continue;  // timed in sum only, or not at all
    all.min_ns = all.timed ? std::min(all.min_ns, cell.min_ns) : cell.min_ns;
    all.max_ns = std::max(all.max_ns, cell.max_ns);
    all.timed = true;
  }
}

void add_row(const WorldRank& at, int32_t site, const std::string& function, bool receives, const Merged& all,
             CallColumns* to) {
  const Counts& c = all.counts;
  const int64_t received = sum_of(c.received, c.collected);
  to->site.push_back(site);
  to->process.push_back(at.process);
  to->world.push_back(at.world);
  to->rank.push_back(at.rank);
  to->function.add(function);
  to->calls.push_back(integer(c.calls));
  to->messages.push_back(integer(c.messages));
  to->bytes.push_back(receives ? received : sum_of(c.sent, c.contributed));
  to->received.push_back(received);
  to->operations.push_back(integer(c.operations));
  to->put.push_back(c.put);
  to->got.push_back(c.got);
  to->time_s.push_back(c.time_ns * 1e-9);
  to->min_s.push_back(all.timed ? all.min_ns * 1e-9 : unknown_s);
  to->max_s.push_back(all.timed ? all.max_ns * 1e-9 : unknown_s);
}

template <class T>
Validity validity(const T* values, size_t count) {
  Validity found;
  for (size_t i = 0; i < count; ++i) {
    const bool unknown = std::numeric_limits<T>::is_integer ? values[i] == T(-1) : values[i] != values[i];
    if (!unknown) continue;
    if (found.unknown++ == 0) found.bits.assign((count + 7) / 8, 0xff);
    found.bits[i / 8] &= static_cast<uint8_t>(~(1U << (i % 8)));
  }
  return found;
}

}  // namespace

void TextColumn::add(std::string_view text) {
  bytes.insert(bytes.end(), text.begin(), text.end());
  offsets.push_back(static_cast<int64_t>(bytes.size()));
}

CallColumns call_columns(const Profile& profile, const std::vector<std::vector<uint32_t>>& groups,
                         const std::vector<std::string>& functions, const std::vector<WorldRank>& world_ranks) {
  CallColumns columns;
  const std::vector<GlobalSite>& sites = profile.sites();
  std::vector<Merged> by_process(profile.processes().size());
  std::vector<uint32_t> touched;
  for (size_t group = 0; group < groups.size(); ++group) {
    touched.clear();
    uint32_t function = 0;
    for (const uint32_t site : groups[group]) {
      if (site >= sites.size()) continue;
      function = sites[site].function;
      merge(sites[site], &by_process, &touched);
    }
    std::sort(touched.begin(), touched.end(),
              [&](uint32_t a, uint32_t b) { return world_ranks[a].process < world_ranks[b].process; });
    const bool receives = !touched.empty() && receives_only(profile.functions()[function].cls);
    for (const uint32_t process : touched) {
      add_row(world_ranks[process], static_cast<int32_t>(group), functions[function], receives, by_process[process],
              &columns);
      by_process[process] = {};
    }
  }
  return columns;
}

MatrixColumns matrix_columns(const Profile& profile, const std::vector<WorldRank>& world_ranks) {
  std::vector<Edge> edges = profile.edges();
  std::stable_sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) {
    const int32_t from_a = world_ranks[a.source].process, from_b = world_ranks[b.source].process;
    // -1 as the largest number of all
    return from_a != from_b ? from_a < from_b : static_cast<uint32_t>(a.target) < static_cast<uint32_t>(b.target);
  });
  MatrixColumns columns;
  for (const Edge& edge : edges) {
    const WorldRank& at = world_ranks[edge.source];
    columns.process.push_back(at.process);
    columns.world.push_back(at.world);
    columns.source.push_back(at.rank);
    columns.target.push_back(edge.target >= 0 ? edge.target : -1);
    columns.messages.push_back(integer(edge.messages));
    columns.bytes.push_back(edge.bytes);
    columns.operations.push_back(integer(edge.operations));
    columns.put.push_back(edge.put);
    columns.got.push_back(edge.got);
  }
  return columns;
}

Validity validity_of(const int32_t* values, size_t count) { return validity(values, count); }
Validity validity_of(const int64_t* values, size_t count) { return validity(values, count); }
Validity validity_of(const double* values, size_t count) { return validity(values, count); }

}  // namespace leadline::analysis
