#include "analysis/profile.hpp"

#include <algorithm>
#include <bit>

#include "analysis/sums.hpp"

namespace leadline::analysis {

using trace::TimeStats;

namespace {

constexpr uint32_t no_site = UINT32_MAX;

}  // namespace

void Counts::add(const Counts& other) {
  calls += other.calls;
  messages += other.messages;
  add_to(sent, other.sent);
  add_to(received, other.received);
  add_to(contributed, other.contributed);
  add_to(collected, other.collected);
  time_ns += other.time_ns;
}

void Sizes::add(int64_t size, uint64_t times, int64_t total_bytes, bool exact) {
  const size_t bucket = size <= 0 ? 0 : static_cast<size_t>(std::bit_width(static_cast<uint64_t>(size)));
  messages[bucket] += times;
  bytes[bucket] += static_cast<double>(total_bytes);
  if (!exact) {
    distinct.clear();
    distinct_complete = false;
  }
  if (!distinct_complete) return;
  distinct[size] += times;
  if (distinct.size() > max_distinct) {
    distinct.clear();
    distinct_complete = false;
  }
}

void Sizes::add(const Sizes& other) {
  for (size_t b = 0; b < bucket_count; ++b) {
    messages[b] += other.messages[b];
    bytes[b] += other.bytes[b];
  }
  distinct_complete = distinct_complete && other.distinct_complete;
  if (distinct_complete)
    for (const auto& [size, times] : other.distinct) distinct[size] += times;
  if (!distinct_complete || distinct.size() > max_distinct) {
    distinct.clear();
    distinct_complete = false;
  }
}

StreamReader trace_reader() { return {trace::for_each_tally, trace::for_each_site_time}; }

size_t Profile::PathHash::operator()(const std::vector<uint64_t>& path) const {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (const uint64_t word : path) hash = (hash ^ word) * 0xff51afd7ed558ccdu + (hash >> 29);
  return hash ^ hash >> 32;
}

struct Profile::Mapping {
  std::vector<uint32_t> functions, modules, regions;
  std::vector<std::vector<uint32_t>> sites;  // by stream; no_site where the trace names no function

  uint32_t site(size_t stream, uint32_t index) const {
    return stream < sites.size() && index < sites[stream].size() ? sites[stream][index] : no_site;
  }
};

uint32_t Profile::intern_site(uint32_t function, bool local, std::vector<trace::Frame> frames, uint32_t region) {
  std::vector<uint64_t> path{static_cast<uint64_t>(region) << 32 | function << 1 | (local ? 1u : 0u)};
  for (const trace::Frame& frame : frames) {
    path.push_back(frame.module);
    path.push_back(frame.offset);
  }
  const auto [it, fresh] = site_ids_.emplace(std::move(path), static_cast<uint32_t>(sites_.size()));
  if (fresh) {
    GlobalSite site;
    site.function = function;
    site.local = local;
    site.frames = std::move(frames);
    site.region = region;
    sites_.push_back(std::move(site));
  }
  return it->second;
}

// Processes are added one after the other, so a site's cell for the current one is its last.
Cell& Profile::cell(uint32_t site, uint32_t process) {
  std::vector<Cell>& cells = sites_[site].cells;
  if (cells.empty() || cells.back().process != process) {
    cells.emplace_back();
    cells.back().process = process;
  }
  return cells.back();
}

uint32_t Profile::add(const trace::Process& process, const StreamReader& reader) {
  const auto index = static_cast<uint32_t>(processes_.size());
  Mapping mapping;
  for (const trace::Function& function : process.functions) {
    const auto [it, fresh] = function_ids_.emplace(function.name, static_cast<uint32_t>(functions_.size()));
    if (fresh) functions_.push_back(function);
    mapping.functions.push_back(it->second);
  }
  for (const trace::Module& module : process.modules) {
    const auto [it, fresh] =
        module_ids_.emplace(module.path + '\n' + module.build_id, static_cast<uint32_t>(modules_.size()));
    if (fresh) modules_.push_back(module);
    mapping.modules.push_back(it->second);
  }

  add_regions(process, &mapping);

  ProcessSummary summary;
  for (const trace::Stream& stream : process.streams) mapping.sites.push_back(map_sites(stream, mapping));
  for (size_t stream = 0; stream < process.streams.size(); ++stream)
    add_stream(process, stream, index, reader, mapping, &summary);
  add_region_times(process, mapping, &summary);
  summary.loop = loop_of(process);
  if (summary.loop.found) summary.loop.site = mapping.site(summary.loop.stream, summary.loop.site);
  trace::Process& meta = summary.meta;
  meta.file = process.file;
  meta.rank = process.rank;
  meta.clock = process.clock;
  meta.world_size = process.world_size;
  meta.world = process.world;
  meta.host = process.host;
  meta.program = process.program;
  meta.library = process.library;
  meta.family = process.family;
  meta.pid = process.pid;
  meta.finalized = process.finalized;
  meta.complete = process.complete;
  meta.start_unix_ns = process.start_unix_ns;
  meta.duration_ns = process.duration_ns;
  meta.own_overhead_ns = process.own_overhead_ns;
  meta.file_bytes = process.file_bytes;
  meta.pauses = process.pauses;
  meta.files = process.files;
  meta.files_recorded = process.files_recorded;
  meta.variables = process.variables;
  meta.settings = process.settings;
  meta.losses.insert(meta.losses.end(), process.losses.begin(), process.losses.end());
  finish(index, &summary);
  processes_.push_back(std::move(summary));
  return index;
}

std::vector<uint32_t> Profile::map_sites(const trace::Stream& stream, const Mapping& mapping) {
  std::vector<uint32_t> mapped;
  for (const trace::Site& site : stream.sites) {
    std::vector<trace::Frame> frames;
    for (const trace::Frame& frame : site.frames)
      if (frame.module < mapping.modules.size()) frames.push_back({mapping.modules[frame.module], frame.offset});
    const bool known = site.function < mapping.functions.size();
    mapped.push_back(known ? intern_site(mapping.functions[site.function], false, std::move(frames),
                                         site.region < mapping.regions.size() ? mapping.regions[site.region] : 0)
                           : no_site);
  }
  return mapped;
}

void Profile::add_stream(const trace::Process& process, size_t stream_index, uint32_t index, const StreamReader& reader,
                         const Mapping& mapping, ProcessSummary* summary) {
  const trace::Stream& stream = process.streams[stream_index];
  Measurer measurer(process, stream_index);
  if (measurer.needs_learning()) reader.tallies(stream, [&](const trace::Tally& tally) { measurer.learn(tally); });
  std::vector<Transfer> transfers;
  reader.tallies(stream, [&](const trace::Tally& tally) {
    const uint32_t own = mapping.site(stream_index, tally.key->site);
    if (own == no_site) return;
    cell(own, index).counts.calls += tally.times;
    transfers.clear();
    measurer.measure(tally, &transfers);
    for (const Transfer& transfer : transfers) {
      const uint32_t site = mapping.site(transfer.stream, transfer.site);
      if (site == no_site) continue;
      Counts& counts = cell(site, index).counts;
      const int64_t bytes = transfer.bytes;
      switch (transfer.kind) {
        case Transfer::Kind::message: {
          counts.messages += transfer.times;
          add_to(counts.sent, bytes);
          sites_[site].sizes.add(transfer.size, transfer.times, bytes, transfer.exact_size);
          Edge& edge = edges_[static_cast<uint64_t>(index) << 32 | static_cast<uint32_t>(transfer.partner)];
          edge.source = index;
          edge.target = transfer.partner;
          edge.messages += transfer.times;
          add_to(edge.bytes, bytes);
          break;
        }
        case Transfer::Kind::put:
          add_to(counts.sent, bytes);
          break;
        case Transfer::Kind::received:
          add_to(counts.received, bytes);
          break;
        case Transfer::Kind::contributed:
          add_to(counts.contributed, bytes);
          break;
        case Transfer::Kind::collected:
          add_to(counts.collected, bytes);
          break;
      }
    }
  });
  if (measurer.unknown_bytes() > 0)
    summary->meta.losses.push_back({"bytes-unknown", measurer.unknown_bytes(),
                                    "calls whose bytes are not counted: persistent collectives of differing sizes "
                                    "started at one place, or calls summed up beyond the trace's budget"});
  for (const trace::Generation& g : stream.generations) {
    summary->placed_polls += g.polls.kept;
    summary->unplaced_polls += g.polls.dropped;
  }
  add_times(process, stream, index, reader, mapping.sites[stream_index], summary);
  add_locals(stream, index, mapping);
}

void Profile::add_times(const trace::Process& process, const trace::Stream& stream, uint32_t index,
                        const StreamReader& reader, const std::vector<uint32_t>& site_map, ProcessSummary* summary) {
  double gap_ns = 0, files_ns = 0;
  bool calls_mpi = false, does_io = false;
  reader.times(stream, [&](uint32_t site, const TimeStats& stats) {
    if (site >= site_map.size() || site_map[site] == no_site || stats.count == 0) return;
    GlobalSite& global = sites_[site_map[site]];
    Cell& own = cell(site_map[site], index);
    const bool first = own.counts.time_ns == 0 && own.max_ns == 0;
    own.counts.time_ns += stats.sum_ns;
    own.min_ns = first ? stats.min_ns : std::min(own.min_ns, stats.min_ns);
    own.max_ns = std::max(own.max_ns, stats.max_ns);
    TimeStats& all = global.times;
    all.min_ns = all.count == 0 ? stats.min_ns : std::min(all.min_ns, stats.min_ns);
    all.max_ns = std::max(all.max_ns, stats.max_ns);
    all.count += stats.count;
    all.sum_ns += stats.sum_ns;
    all.gap_sum_ns += stats.gap_sum_ns;
    for (size_t i = 0; i < all.hist.size(); ++i) all.hist[i] += stats.hist[i];
    gap_ns += stats.gap_sum_ns;
    if (trace::is_posix(functions_[global.function].cls)) {
      files_ns += stats.sum_ns;
      does_io = true;
    } else {
      calls_mpi = true;
    }
  });
  for (const trace::LocalCalls& local : stream.locals) {
    if (local.function >= process.functions.size()) continue;
    if (trace::is_posix(process.functions[local.function].cls)) {
      files_ns += local.sum_ns;
    } else {
      calls_mpi = true;
    }
  }
  // A thread that does nothing but I/O is no part of the rank's time.
  if (does_io && !calls_mpi) return;
  ++summary->threads;
  summary->gap_ns += gap_ns;
  summary->files_ns += files_ns;
}

// The same names within one another are one region on all ranks.
void Profile::add_regions(const trace::Process& process, Mapping* mapping) {
  mapping->regions.push_back(0);
  for (size_t i = 1; i < process.regions.size(); ++i) {
    const trace::NamedRegion& region = process.regions[i];
    const uint32_t parent = region.parent < i ? mapping->regions[region.parent] : 0;
    const auto [it, fresh] =
        region_ids_.emplace(std::to_string(parent) + '\n' + region.name, static_cast<uint32_t>(regions_.size()));
    if (fresh) regions_.push_back({parent, region.name});
    mapping->regions.push_back(it->second);
  }
}

void Profile::add_region_times(const trace::Process& process, const Mapping& mapping, ProcessSummary* summary) {
  std::unordered_map<uint32_t, size_t> known;
  for (const trace::Stream& stream : process.streams) {
    for (trace::RegionTimes times : stream.region_times) {
      if (times.region >= mapping.regions.size()) continue;
      times.region = mapping.regions[times.region];
      const auto [it, fresh] = known.emplace(times.region, summary->regions.size());
      if (fresh) {
        summary->regions.push_back(times);
        continue;
      }
      trace::RegionTimes& all = summary->regions[it->second];
      all.entries += times.entries;
      all.sum_ns += times.sum_ns;
      all.min_ns = std::min(all.min_ns, times.min_ns);
      all.max_ns = std::max(all.max_ns, times.max_ns);
    }
  }
}

void Profile::add_locals(const trace::Stream& stream, uint32_t index, const Mapping& mapping) {
  for (const trace::LocalCalls& local : stream.locals) {
    if (local.function >= mapping.functions.size()) continue;
    std::vector<trace::Frame> frames;
    if (local.caller.module < mapping.modules.size())
      frames.push_back({mapping.modules[local.caller.module], local.caller.offset});
    Counts& counts = cell(intern_site(mapping.functions[local.function], true, std::move(frames)), index).counts;
    counts.calls += local.calls;
    counts.time_ns += local.sum_ns;
  }
}

RunIterations Profile::iterations() const {
  std::vector<const ProcessLoop*> loops;
  for (const ProcessSummary& p : processes_) loops.push_back(&p.loop);
  return merge_loops(loops);
}

RunTime Profile::time() const {
  std::vector<OwnTime> times;
  for (const ProcessSummary& p : processes_) times.push_back(own_time(p.meta));
  return run_time(times);
}

void Profile::finish(uint32_t index, ProcessSummary* summary) {
  for (const GlobalSite& site : sites_) {
    if (site.cells.empty() || site.cells.back().process != index) continue;
    const Counts& counts = site.cells.back().counts;
    if (trace::is_posix(functions_[site.function].cls)) {
      summary->files.add(counts);
      continue;
    }
    summary->total.add(counts);
    const auto category = site.local ? Category::local : category_of(functions_[site.function].cls);
    summary->category_ns[static_cast<size_t>(category)] += counts.time_ns;
    summary->category_calls[static_cast<size_t>(category)] += counts.calls;
  }
}

std::vector<Edge> Profile::edges() const {
  std::vector<Edge> sorted;
  sorted.reserve(edges_.size());
  for (const auto& [key, edge] : edges_) sorted.push_back(edge);
  std::sort(sorted.begin(), sorted.end(), [](const Edge& a, const Edge& b) {
    return a.source != b.source ? a.source < b.source : a.target < b.target;
  });
  return sorted;
}

std::vector<Counts> Profile::per_process(const std::vector<uint32_t>& sites) const {
  std::vector<Counts> counts(processes_.size());
  for (const uint32_t site : sites) {
    if (site >= sites_.size()) continue;
    for (const Cell& cell : sites_[site].cells) counts[cell.process].add(cell.counts);
  }
  return counts;
}

}  // namespace leadline::analysis
