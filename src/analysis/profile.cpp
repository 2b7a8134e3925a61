#include "analysis/profile.hpp"

#include <algorithm>
#include <bit>

#include "analysis/sums.hpp"
#include "trace/hash.hpp"

namespace leadline::analysis {

using trace::TimeStats;

namespace {

constexpr uint32_t no_site = UINT32_MAX;

}  // namespace

void Counts::add(const Counts& other) {
  calls += other.calls;
  messages += other.messages;
  operations += other.operations;
  add_to(sent, other.sent);
  add_to(received, other.received);
  add_to(contributed, other.contributed);
  add_to(collected, other.collected);
  add_to(put, other.put);
  add_to(got, other.got);
  ends.add(other.ends);
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

size_t Profile::KeyHash::operator()(const SiteKey& key) const {
  const uint64_t place = static_cast<uint64_t>(key.context) << 32 | key.region;
  return trace::mix(trace::mix(place, key.function), key.local ? 1 : 0);
}

size_t Profile::KeyHash::operator()(const ContextKey& key) const {
  return trace::mix(key.offset, static_cast<uint64_t>(key.module) << 32 | key.parent);
}

struct Profile::Mapping {
  std::vector<uint32_t> functions, modules, regions;
  std::vector<std::vector<uint32_t>> sites;  // by stream; no_site where the trace names no function

  uint32_t site(size_t stream, uint32_t index) const {
    return stream < sites.size() && index < sites[stream].size() ? sites[stream][index] : no_site;
  }
};

void Profile::add_samples(const trace::Process& process, const Mapping& mapping, ProcessSummary* summary) {
  std::map<uint32_t, size_t> streams;  // by thread
  for (size_t i = 0; i < process.streams.size(); ++i) streams.emplace(process.streams[i].thread, i);
  for (const trace::Sample& sample : process.sampling.samples) {
    SampledPlace& place = summary->samples.emplace_back();
    place.offset = sample.offset;
    place.count = sample.count;
    if (sample.module < mapping.modules.size()) place.module = mapping.modules[sample.module];
    const auto stream = streams.find(sample.thread);
    if (stream == streams.end()) continue;
    place.site = mapping.site(stream->second, sample.site);
    const uint32_t loop = process.streams[stream->second].loop_around(sample.site);
    const std::vector<uint32_t>& loops = summary->loop_numbers[stream->second];
    if (loop < loops.size()) place.loop = loops[loop];
  }
}

uint32_t Profile::intern_context(const trace::Frame& frame, uint32_t parent) {
  const auto [it, fresh] =
      context_ids_.emplace(ContextKey{frame.offset, frame.module, parent}, static_cast<uint32_t>(contexts_.size()));
  if (fresh) contexts_.push_back({frame, parent, contexts_[parent].depth + 1});
  return it->second;
}

uint32_t Profile::intern_site(const SiteKey& key) {
  const auto [it, fresh] = site_ids_.emplace(key, static_cast<uint32_t>(sites_.size()));
  if (fresh) {
    GlobalSite& site = sites_.emplace_back();
    site.function = key.function;
    site.local = key.local;
    site.context = key.context;
    site.region = key.region;
  }
  return it->second;
}

// Processes are added one after the other, so a site's cell for the current one is its last.
Cell& Profile::cell(uint32_t site, uint32_t process) {
  std::vector<Cell>& cells = sites_[site].cells;
  if (cells.empty() || cells.back().process != process) {
    if (cells.size() == cells.capacity()) cells.reserve(cells.size() + cells.size() / 8 + 4);  // of many ranks
    cells.emplace_back();
    cells.back().process = process;
  }
  return cells.back();
}

uint32_t Profile::add(const trace::Process& process, const StreamReader& reader) {
  const auto index = static_cast<uint32_t>(processes_.size());
  Mapping mapping;
  for (const trace::Function& function : process.functions) {
    if (function.name.empty() && !mapping.functions.empty() && functions_[mapping.functions.back()].name.empty()) {
      mapping.functions.push_back(mapping.functions.back());  // most numbers are of functions that were not called
      continue;
    }
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
  add_ends(process, mapping, &summary);
  loops_.add(process, index, mapping.modules, &summary.loop_numbers);
  summary.loops = loops_of(process, summary.loop_numbers);
  for (ProcessLoop& loop : summary.loops) loop.site = mapping.site(loop.stream, loop.site);
  add_samples(process, mapping, &summary);
  trace::Process& meta = summary.meta;
  meta.file = process.file;
  meta.rank = process.rank;
  meta.clock = process.clock;
  meta.conditions = process.conditions;
  meta.world_size = process.world_size;
  meta.world = process.world;
  meta.host = process.host;
  meta.program = process.program;
  meta.library = process.library;
  meta.family = process.family;
  meta.pid = process.pid;
  meta.initialized = process.initialized;
  meta.initializing = process.initializing;
  meta.finalized = process.finalized;
  meta.complete = process.complete;
  meta.start_unix_ns = process.start_unix_ns;
  meta.duration_ns = process.duration_ns;
  meta.own_overhead_ns = process.own_overhead_ns;
  meta.own_between_calls_ns = process.own_between_calls_ns;
  meta.file_bytes = process.file_bytes;
  meta.pauses = process.pauses;
  meta.sampling = process.sampling;
  meta.sampling.samples.clear();
  meta.files = process.files;
  meta.files_recorded = process.files_recorded;
  meta.variables = process.variables;
  meta.settings = process.settings;
  meta.losses.insert(meta.losses.end(), process.losses.begin(), process.losses.end());
  summary.site_numbers = std::move(mapping.sites);
  finish(index, &summary);
  processes_.push_back(std::move(summary));
  return index;
}

std::vector<uint32_t> Profile::map_contexts(const trace::Stream& stream, const Mapping& mapping) {
  std::vector<uint32_t> mapped{0, 1};
  for (size_t i = mapped.size(); i < stream.contexts.size(); ++i) {
    const trace::Context& context = stream.contexts[i];
    trace::Frame frame = context.frame;
    if (frame.module < mapping.modules.size()) frame.module = mapping.modules[frame.module];
    mapped.push_back(intern_context(frame, mapped[context.parent]));
  }
  return mapped;
}

std::vector<uint32_t> Profile::map_sites(const trace::Stream& stream, const Mapping& mapping) {
  const std::vector<uint32_t> contexts = map_contexts(stream, mapping);
  std::vector<uint32_t> mapped;
  for (const trace::Site& site : stream.sites) {
    const bool known = site.function < mapping.functions.size();
    const uint32_t region = site.region < mapping.regions.size() ? mapping.regions[site.region] : 0;
    mapped.push_back(known ? intern_site({mapping.functions[site.function], contexts[site.context], region, false})
                           : no_site);
  }
  return mapped;
}

void Profile::add_ends(const trace::Process& process, const Mapping& mapping, ProcessSummary* summary) {
  for (size_t stream = 0; stream < process.streams.size(); ++stream) {
    const trace::Stream& s = process.streams[stream];
    const trace::CallUnderWay& call = s.under_way;
    if (!s.last_end_ns && !call.known) continue;
    ThreadEnd end;
    end.last_end_ns = s.last_end_ns;
    end.in_call = call.known && call.function < mapping.functions.size();
    if (end.in_call) {
      end.function = mapping.functions[call.function];
      end.site = call.site == UINT32_MAX ? no_site : mapping.site(stream, call.site);
      end.begin_ns = call.begin_ns;
    }
    summary->ends.push_back(end);
  }
}

void Profile::add_stream(const trace::Process& process, size_t stream_index, uint32_t index, const StreamReader& reader,
                         const Mapping& mapping, ProcessSummary* summary) {
  const trace::Stream& stream = process.streams[stream_index];
  Measurer measurer(process, stream_index);
  std::vector<Transfer> transfers;
  reader.tallies(stream, [&](const trace::Tally& tally) {
    const uint32_t own = mapping.site(stream_index, tally.key->site);
    if (own == no_site) return;
    cell(own, index).counts.calls += tally.times;
    transfers.clear();
    measurer.measure(tally, &transfers);
    cell(own, index).counts.ends.add(measurer.ends(), tally.times);
    for (const Transfer& transfer : transfers) {
      const uint32_t site = mapping.site(transfer.stream, transfer.site);
      if (site != no_site) count(transfer, site, index);
    }
  });
  if (measurer.unknown_bytes() > 0)
    summary->meta.losses.push_back(
        {"bytes-unknown", measurer.unknown_bytes(),
         "calls without byte counts, because the trace size limit was reached (raise --budget)"});
  for (const trace::WrittenGeneration& g : stream.generations) {
    summary->placed_polls += g.facts().polls_kept;
    summary->unplaced_polls += g.facts().polls_dropped;
  }
  add_times(process, stream, index, reader, mapping.sites[stream_index], summary);
  add_locals(stream, index, mapping);
}

Edge& Profile::edge(uint32_t process, int32_t target) {
  Edge& edge = edges_[static_cast<uint64_t>(process) << 32 | static_cast<uint32_t>(target)];
  edge.source = process;
  edge.target = target;
  return edge;
}

void Profile::count(const Transfer& transfer, uint32_t site, uint32_t process) {
  Counts& counts = cell(site, process).counts;
  const int64_t bytes = transfer.bytes;
  const auto add_size = [&] { sites_[site].sizes.add(transfer.size, transfer.times, bytes, transfer.exact_size); };
  switch (transfer.kind) {
    case Transfer::Kind::message: {
      counts.messages += transfer.times;
      add_to(counts.sent, bytes);
      add_size();
      Edge& to = edge(process, transfer.partner);
      to.messages += transfer.times;
      add_to(to.bytes, bytes);
      return;
    }
    case Transfer::Kind::operation:
      counts.operations += transfer.times;
      add_size();
      edge(process, transfer.partner).operations += transfer.times;
      return;
    case Transfer::Kind::put:
      add_to(counts.sent, bytes);
      add_to(counts.put, bytes);
      return add_to(edge(process, transfer.partner).put, bytes);
    case Transfer::Kind::got:
      add_to(counts.received, bytes);
      add_to(counts.got, bytes);
      return add_to(edge(process, transfer.partner).got, bytes);
    case Transfer::Kind::written:
      return add_to(counts.sent, bytes);
    case Transfer::Kind::received:
      return add_to(counts.received, bytes);
    case Transfer::Kind::contributed:
      return add_to(counts.contributed, bytes);
    case Transfer::Kind::collected:
      return add_to(counts.collected, bytes);
  }
}

void Profile::add_times(const trace::Process& process, const trace::Stream& stream, uint32_t index,
                        const StreamReader& reader, const std::vector<uint32_t>& site_map, ProcessSummary* summary) {
  struct Own {
    uint32_t site;
    double time_ns, gap_ns;
  };
  std::vector<Own> found;
  double gap_ns = 0, files_ns = 0, own_ns = 0;
  bool calls_mpi = false;
  reader.times(stream, [&](uint32_t site, const TimeStats& stats) {
    if (site >= site_map.size() || site_map[site] == no_site || stats.count == 0) return;
    GlobalSite& global = sites_[site_map[site]];
    Cell& own = cell(site_map[site], index);
    const bool first = own.counts.time_ns == 0 && own.max_ns == 0;
    own.counts.time_ns += stats.sum_ns;
    // What recording a call usually takes is no computation before the next one.
    const double recording_ns = std::min(stats.gap_sum_ns, process.own_per_call_ns * static_cast<double>(stats.count));
    own_ns += recording_ns;
    own.gap_ns += stats.gap_sum_ns - recording_ns;
    own.min_ns = first ? stats.min_ns : std::min(own.min_ns, stats.min_ns);
    own.max_ns = std::max(own.max_ns, stats.max_ns);
    TimeStats& all = global.times;
    all.min_ns = all.count == 0 ? stats.min_ns : std::min(all.min_ns, stats.min_ns);
    all.max_ns = std::max(all.max_ns, stats.max_ns);
    all.count += stats.count;
    all.sum_ns += stats.sum_ns;
    all.gap_sum_ns += stats.gap_sum_ns;
    all.hist.add(stats.hist);
    gap_ns += stats.gap_sum_ns - recording_ns;
    found.push_back({site_map[site], stats.sum_ns, stats.gap_sum_ns - recording_ns});
    if (trace::is_posix(functions_[global.function].cls)) {
      files_ns += stats.sum_ns;
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
  // A thread that makes no MPI call, such as one that writes files or a library's own, is not part of the rank's time.
  if (!calls_mpi) {
    for (const Own& own : found) {
      Cell& of = cell(own.site, index);
      of.aside_ns += own.time_ns;
      of.aside_gap_ns += own.gap_ns;
    }
    return;
  }
  ++summary->threads;
  summary->gap_ns += gap_ns;
  summary->own_ns += own_ns;
  summary->files_ns += files_ns;
}

// Regions with the same nested names are one region on all ranks.
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
    uint32_t context = 0;
    if (local.caller.module < mapping.modules.size())
      context = intern_context({mapping.modules[local.caller.module], local.caller.offset}, 0);
    Counts& counts = cell(intern_site({mapping.functions[local.function], context, 0, true}), index).counts;
    counts.calls += local.calls;
    counts.time_ns += local.sum_ns;
  }
}

RunIterations Profile::iterations(uint32_t loop) const {
  const uint32_t main = loop ? loop : loops_.main();
  std::vector<const std::vector<ProcessLoop>*> loops;
  for (const ProcessSummary& p : processes_) loops.push_back(&p.loops);
  RunIterations run = merge_loops(loops_to_merge(loops, main), main);
  run.loop = main;
  if (main) {
    run.found = true;
    run.count = loops_.iterations(main);
  }
  if (!run.found) run.missing = loops_.missing();
  return run;
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

}  // namespace leadline::analysis
