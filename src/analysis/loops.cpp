#include "analysis/loops.hpp"

#include <algorithm>
#include <type_traits>

#include "trace/frames.hpp"
#include "trace/main_loop.hpp"
#include "trace/process.hpp"
#include "trace/saturating.hpp"
#include "trace/time_buckets.hpp"

namespace leadline::analysis {

namespace {

using trace::CallClass;

trace::Frame with_module(trace::Frame f, const std::vector<uint32_t>& modules) {
  f.module = f.module < modules.size() ? modules[f.module] : trace::no_module;
  return f;
}

structure::SiteKinds kinds_of_sites(const trace::Process& process, const trace::Stream& stream) {
  const std::vector<bool> none(stream.sites.size());
  structure::SiteKinds kinds{none, none, none};
  for (uint32_t s = 0; s < stream.sites.size(); ++s) {
    const uint32_t function = stream.sites[s].function;
    if (function >= process.functions.size()) continue;
    const CallClass cls = process.functions[function].cls;
    kinds.files[s] = trace::is_posix(cls);
    kinds.broadcasts[s] = process.functions[function].name == "MPI_Bcast";
    kinds.messages[s] = trace::facts_of(cls).category == trace::Category::point_to_point;
  }
  return kinds;
}

}  // namespace

const LoopCell* RunLoop::cell(uint32_t process) const {
  const auto at = std::lower_bound(cells.begin(), cells.end(), process,
                                   [](const LoopCell& c, uint32_t p) { return c.process < p; });
  return at != cells.end() && at->process == process ? &*at : nullptr;
}

void RunLoop::count(const LoopCell& cell, int by) {
  silent_on_ += cell.silent ? by : 0;
  about_on_ += cell.about ? by : 0;
  unsure_on_ += cell.unsure() ? by : 0;
  cut_on_ += cell.shape.cut ? by : 0;
  counted_ += by;
  silent = silent_on_ > 0 && silent_on_ >= unsure_on_;
  about = about_on_ > silent_on_;
  cut = cut_on_ > 0 && 2 * cut_on_ >= counted_;
}

void RunLoop::add(const LoopCell& cell) {
  if (cells.empty() || cells.back().process != cell.process) {
    cells.push_back(cell);
    return count(cell, 1);
  }
  if (cells.back().time_ns >= cell.time_ns) return;
  count(cells.back(), -1);
  cells.back() = cell;
  count(cell, 1);
}

bool RunLoops::within(uint32_t inner, uint32_t loop) const {
  while (inner && inner != loop) inner = loops_[inner].outer;
  return inner == loop;
}

uint32_t RunLoops::number(const trace::Stream& stream, uint32_t loop, const std::vector<uint32_t>& modules,
                          std::vector<uint32_t>* numbers) {
  if (!loop || (*numbers)[loop]) return (*numbers)[loop];
  const trace::SourceLoop& l = stream.loops[loop];
  RunLoop made;
  made.outer = number(stream, l.outer, modules, numbers);
  made.header = with_module(l.header, modules);
  made.last = with_module(l.last, modules);
  made.by_order = l.by_order;
  std::vector<uint64_t> key{made.header.module, made.header.offset, made.outer};
  for (uint32_t c = l.context; c < stream.contexts.size() && c >= trace::first_context; c = stream.contexts[c].parent) {
    made.callers.push_back(with_module(stream.contexts[c].frame, modules));
    key.push_back(made.callers.back().module);
    key.push_back(made.callers.back().offset);
  }
  const auto [at, fresh] = ids_.try_emplace(key, static_cast<uint32_t>(loops_.size()));
  if (fresh) loops_.push_back(std::move(made));
  return (*numbers)[loop] = at->second;
}

void RunLoops::add(const trace::Process& process, uint32_t index, const std::vector<uint32_t>& modules,
                   std::vector<std::vector<uint32_t>>* numbers) {
  ++processes_;
  main_.reset();
  numbers->clear();
  for (const trace::Stream& stream : process.streams) {
    const bool cut = process.initialized && !process.finalized;
    std::vector<uint32_t>& own = numbers->emplace_back(std::max<size_t>(stream.loops.size(), 1));
    std::vector<LoopCell> cells(own.size());
    std::vector<std::vector<trace::Frame>> calls(own.size());
    for (uint32_t l = 1; l < own.size(); ++l) {
      number(stream, l, modules, &own);
      cells[l].process = index;
      cells[l].thread = stream.thread;
      cells[l].repeats = stream.loops[l].repeats;
      cells[l].entries = stream.loops[l].entries;
      cells[l].silent = stream.loops[l].silent;
      // The process died before its code was read, so that calls which the compiler moved look like loops.
      cells[l].about = stream.loops[l].about || (cut && stream.loops[l].by_order);
      cells[l].by_time = stream.loops[l].by_time;
    }
    const structure::ThreadShape& shape = shapes_.of(stream, kinds_of_sites(process, stream), cut);
    lost_calls_ = trace::saturating_sum(lost_calls_, shape.lost_calls);
    for (uint32_t l = 1; l < shape.loops.size() && l < own.size(); ++l) {
      cells[l].shape = shape.loops[l];
      if (cells[l].shape.revisited && !cells[l].unsure()) cells[l].silent = true;
      if (cells[l].shape.ends_with_files && !cells[l].silent) cells[l].about = true;
    }
    const std::vector<structure::GapShare> shares = structure::gap_shares(stream, shape.first_calls);
    trace::for_each_site_time(stream, [&](uint32_t site, const trace::TimeStats& times) {
      if (site >= stream.sites.size()) return;
      const uint32_t function = stream.sites[site].function;
      const CallClass cls = function < process.functions.size() ? process.functions[function].cls : CallClass::other;
      if (trace::facts_of(cls).category == trace::Category::startup) return;
      const double own_ns = std::min(times.gap_sum_ns, process.own_per_call_ns * static_cast<double>(times.count));
      const double gap_ns = times.gap_sum_ns - own_ns;
      // The usual duration of all calls: the first may make a connection, and the machine may hold any of them up.
      const double typical_ns =
          times.gap_sum_ns + static_cast<double>(trace::median_of(times.hist, times.count) * times.count);
      all_.ns += typical_ns;
      const uint64_t calls = trace::is_posix(cls) ? 0 : times.count;
      all_.calls += calls;
      auto own_share = std::lower_bound(shares.begin(), shares.end(), site,
                                        [](const structure::GapShare& s, uint32_t of) { return s.site < of; });
      for (uint32_t l = stream.loop_around(site); l; l = stream.loops[l].outer) {
        const bool enters = own_share != shares.end() && own_share->site == site && own_share->loop == l;
        const double share = enters ? (own_share++)->share : 1;
        if (share < 1) outside_.push_back({index, own[l], (1 - share) * gap_ns});
        cells[l].time_ns += times.sum_ns + share * gap_ns;
        cells[l].typical_ns += typical_ns;
        cells[l].calls += calls;
        cells[l].has_mpi |= !trace::is_posix(cls);
      }
    });
    for (uint32_t site = 0; site < stream.sites.size(); ++site) {
      for (uint32_t l = stream.loop_around(site); l; l = stream.loops[l].outer) {
        ++cells[l].sites;
        uint32_t c = stream.sites[site].context;
        while (c < stream.contexts.size() && c >= trace::first_context &&
               stream.contexts[c].parent != stream.loops[l].context) {
          c = stream.contexts[c].parent;
        }
        if (c < stream.contexts.size() && c >= trace::first_context) {
          calls[l].push_back(with_module(stream.contexts[c].frame, modules));
        }
      }
    }
    const auto before = [](const trace::Frame& a, const trace::Frame& b) { return a.offset < b.offset; };
    const auto same = [](const trace::Frame& a, const trace::Frame& b) { return a.offset == b.offset; };
    for (uint32_t l = 1; l < own.size(); ++l) {
      RunLoop& loop = loops_[own[l]];
      loop.calls.insert(loop.calls.end(), calls[l].begin(), calls[l].end());
      std::sort(loop.calls.begin(), loop.calls.end(), before);
      loop.calls.erase(std::unique(loop.calls.begin(), loop.calls.end(), same), loop.calls.end());
      loop.add(cells[l]);
    }
  }
}

uint64_t RunLoops::iterations(uint32_t loop) const { return iterations(std::vector<uint32_t>{loop}); }

uint64_t RunLoops::iterations(const std::vector<uint32_t>& same) const {
  std::map<uint32_t, uint64_t> by_process;
  for (const uint32_t loop : same) {
    for (const LoopCell& c : loops_[loop].cells) {
      if (!loops_[loop].counts(c)) continue;
      uint64_t& own = by_process[c.process];
      own = trace::saturating_sum(own, c.iterations());
    }
  }
  std::vector<uint64_t> all;
  for (const auto& [process, own] : by_process) {
    if (own) all.push_back(own);
  }
  if (all.empty()) return 0;
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

double RunLoops::time_ns(uint32_t loop) const {
  double sum = 0;
  for (const LoopCell& c : loops_[loop].cells) sum += c.time_ns;
  return sum;
}

bool similar_counts(uint64_t a, uint64_t b) {
  const uint64_t more = std::max(a, b), less = std::min(a, b);
  return more - less <= std::max<uint64_t>(2, more / 4);
}

double RunLoops::mean_ns(uint32_t loop) const {
  const uint64_t usual = iterations(loop);
  double sum = 0, ranks = 0;
  for (const LoopCell& c : loops_[loop].cells) {
    if (!c.iterations() || !similar_counts(c.iterations(), usual)) continue;
    sum += c.time_ns / static_cast<double>(c.iterations());
    ++ranks;
  }
  return ranks > 0 ? sum / ranks : 0;
}

structure::LoopShape RunLoops::shape(uint32_t loop) const {
  structure::LoopShape all;
  std::vector<uint64_t> usual;
  std::map<uint64_t, size_t> restarts;  // ranks, by number of restarts
  for (const LoopCell& c : loops_[loop].cells) {
    if (!c.shape.iterations || !loops_[loop].counts(c)) continue;
    all.iterations += c.shape.iterations;
    all.variants = std::max(all.variants, c.shape.variants);
    all.commonest = std::max(all.commonest, c.shape.commonest);
    all.fewest = usual.empty() ? c.shape.fewest : std::min(all.fewest, c.shape.fewest);
    all.most = std::max(all.most, c.shape.most);
    all.varying = std::max(all.varying, c.shape.varying);
    all.cut_within |= loops_[loop].cut && c.shape.cut_within;
    usual.push_back(c.shape.usual);
    if (c.shape.restarts.times) ++restarts[c.shape.restarts.times];
  }
  const auto middle = usual.begin() + static_cast<std::ptrdiff_t>(usual.size() / 2);
  std::nth_element(usual.begin(), middle, usual.end());
  if (!usual.empty()) all.usual = *middle;
  // Most ranks must agree: one rank's calls may have a period of their own.
  for (const auto& [times, ranks] : restarts) {
    if (2 * ranks <= usual.size()) continue;
    all.restarts.times = times;
    for (const LoopCell& c : loops_[loop].cells) {
      const structure::Restarts& own = c.shape.restarts;
      if (own.times != times) continue;
      all.restarts.iterations =
          all.restarts.iterations && all.restarts.iterations != own.iterations ? 0 : own.iterations;
      if (!all.restarts.iterations) break;
    }
  }
  return all;
}

bool RunLoops::in_common(uint32_t loop) const {
  const uint64_t usual = iterations(loop);
  uint32_t like = 0;
  for (const LoopCell& c : loops_[loop].cells) like += c.iterations() + 1 >= usual && c.iterations() <= usual + 1;
  return 2 * like >= processes_;
}

trace::LoopWeight RunLoops::weight(uint32_t loop) const {
  constexpr uint32_t many_sites = 8;  // a loop over fields or partners has fewer, unless it has loops of its own
  constexpr uint64_t many_variants = 4;
  trace::LoopWeight w{};
  const RunLoop& l = loops_[loop];
  for (const LoopCell& c : l.cells) w.has_mpi |= c.has_mpi;
  if (!in_common(loop)) return w;
  const auto middle = [&](const auto& of) {
    std::vector<std::decay_t<decltype(of(l.cells[0]))>> all;
    for (const LoopCell& c : l.cells) {
      if (c.iterations()) all.push_back(of(c));
    }
    if (all.empty()) return decltype(of(l.cells[0])){};
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
    return all[all.size() / 2];
  };
  const uint64_t all = iterations(loop);
  w.entries = std::min(middle([](const LoopCell& c) { return c.entries; }), all);
  w.repeats = all - w.entries;
  for (const LoopCell& c : l.cells) {
    w.ns += c.typical_ns;
    w.delayed_s += static_cast<float>(c.time_ns * 1e-9);
    w.calls += c.calls;
  }
  const structure::LoopShape usual = shape(loop);
  w.silent = l.silent;
  w.hidden = std::any_of(l.callers.begin(), l.callers.end(),
                         [](const trace::Frame& f) { return f.module == trace::no_module; });
  w.restarts = usual.restarts.iterations > 1;
  w.restarted = usual.restarts.times;
  w.concentrated = middle([](const LoopCell& c) { return c.shape.effective; });
  w.varied = usual.variants >= many_variants && 2 * usual.commonest < 1;
  w.uneven = is_uneven(usual);
  w.commands = middle([](const LoopCell& c) { return static_cast<int>(c.shape.commands); }) != 0;
  w.broadcasts = middle([](const LoopCell& c) { return static_cast<int>(c.shape.broadcasts); }) != 0;
  w.rich = middle([](const LoopCell& c) { return c.sites; }) >= many_sites;
  return w;
}

void RunLoops::find_recursive(std::vector<trace::LoopWeight>* weights) const {
  for (uint32_t l = 1; l < loops_.size(); ++l) {
    for (uint32_t outer = loops_[l].outer; outer; outer = loops_[outer].outer) {
      if (same_code(l, outer)) (*weights)[l].recursive = (*weights)[outer].recursive = true;
    }
  }
  // A tree, or levels of a grid, are gone through evenly.
  for (trace::LoopWeight& w : *weights) {
    w.commands |= w.recursive && w.concentrated > 0 && w.concentrated < trace::least_iterations_of_main_loop;
  }
}

bool RunLoops::same_code(uint32_t a, uint32_t b) const {
  const trace::Frame &one = loops_[a].header, &other = loops_[b].header;
  return one.module == other.module && one.offset == other.offset;
}

// One of the iterations around it makes ten times as many of its as usual, or usually they make ten times as many as
// one does.
bool RunLoops::is_uneven(const structure::LoopShape& shape) {
  constexpr uint64_t many_times = 10;
  return (shape.usual && shape.most / many_times >= shape.usual) ||
         (shape.fewest && shape.usual / many_times >= shape.fewest);
}

std::vector<trace::LoopWeight> RunLoops::weights_of_all() const {
  std::vector<trace::LoopWeight> weights(loops_.size());
  for (uint32_t l = 1; l < loops_.size(); ++l) weights[l] = weight(l);
  find_recursive(&weights);
  return weights;
}

uint32_t RunLoops::find_main() const {
  const std::vector<trace::LoopWeight> weights = weights_of_all();
  return trace::choose_main_loop(
      weights, static_cast<uint32_t>(weights.size()), all_, [&](uint32_t l) { return loops_[l].outer; },
      [&](uint32_t a, uint32_t b) { return within(a, b); }, [&](uint32_t a, uint32_t b) { return same_code(a, b); });
}

std::string RunLoops::missing() const {
  const std::vector<trace::LoopWeight> weights = weights_of_all();
  for (const trace::LoopWeight& w : weights) {
    if (w.recursive && w.commands && 2e9 * double{w.delayed_s} > all_.ns) return "commands";
  }
  bool apart = false, small = false, files = false;
  for (uint32_t l = 1; l < loops_.size(); ++l) {
    const uint64_t t = iterations(l);
    if (t > 1 && t < trace::least_iterations_of_main_loop && 2 * time_ns(l) > all_.ns) return "few";
    if (t < trace::least_iterations_of_main_loop || 10 * time_ns(l) <= all_.ns) continue;
    (!weights[l].has_mpi ? files : in_common(l) ? small : apart) = true;
  }
  return small ? "small" : apart ? "apart" : files ? "files" : "none";
}

}  // namespace leadline::analysis
