#include "analysis/phases/phases.hpp"

#include <algorithm>
#include <map>

#include "structure/build_tree.hpp"
#include "structure/shape_pool.hpp"

namespace leadline::analysis {

namespace {

using trace::Category;

constexpr double least_inner_share = 0.05;  // of the main loop's time
constexpr double nearly_whole = 0.8;
constexpr size_t most_inner = 12;
constexpr size_t most_recurring = 32;

// One site of the run, over all processes.
struct SiteUse {
  uint64_t before = 0, after = 0;
  Stretches iterations;  // of the first process that reaches it in the main loop
  bool in_main = false;
};

// n if a phase occurs in every n-th iteration: all distances are equal, but for the first and the last one.
uint64_t regular_distance(const Stretches& stretches) {
  if (stretches.size() < 2) return 0;
  for (const auto& [first, count] : stretches) {
    if (count != 1) return 0;
  }
  std::vector<uint64_t> distances;
  for (size_t i = 1; i < stretches.size(); ++i) distances.push_back(stretches[i].first - stretches[i - 1].first);
  if (distances.size() == 1) return distances[0];
  const size_t from = distances.size() > 2 ? 1 : 0, to = distances.size() > 1 ? distances.size() - 1 : 1;
  const uint64_t usual = distances[from];
  for (size_t i = from; i < to; ++i) {
    if (distances[i] != usual) return 0;
  }
  return usual;
}

using Paths = std::vector<std::vector<uint32_t>>;

Stretches united(const Stretches& a, const Stretches& b) {
  Stretches both, all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end());
  for (const auto& [first, count] : all) {
    if (!both.empty() && first <= both.back().first + both.back().second) {
      both.back().second = std::max(both.back().second, first + count - both.back().first);
    } else {
      both.emplace_back(first, count);
    }
  }
  return both;
}

uint64_t number_of(const Stretches& stretches) {
  uint64_t n = 0;
  for (const auto& [first, count] : stretches) n += count;
  return n;
}

}  // namespace

struct PhaseFinder::State {
  explicit State(const Profile& p) : profile(p), occurrences(p.sites().size()), main(p.loops().main()) {}

  void add_stream(const trace::Process& process, size_t index, uint32_t p) {
    const trace::Stream& stream = process.streams[index];
    const std::vector<uint32_t>& loops = profile.processes()[p].loop_numbers[index];
    uint32_t own_main = 0;
    for (uint32_t l = 1; main && l < loops.size(); ++l) {
      if (loops[l] == main) own_main = l;
    }
    const auto [at, fresh] = pool.try_emplace({structure::source_of_tree(stream), own_main});
    if (fresh) at->second = occurrences_of(structure::loop_tree(stream), stream, own_main);
    const ThreadOccurrences& o = at->second;
    complete &= o.complete;
    iterations = std::max(iterations, o.iterations);
    const std::vector<uint32_t>& sites = profile.processes()[p].site_numbers[index];
    for (uint32_t s = 0; s < o.sites.size() && s < sites.size(); ++s) {
      if (sites[s] >= occurrences.size()) continue;
      SiteUse& site = occurrences[sites[s]];
      site.before += o.sites[s].before;
      site.after += o.sites[s].after;
      if (o.sites[s].iterations.empty() || site.in_main) continue;
      site.in_main = true;
      site.iterations = o.sites[s].iterations;
    }
  }

  const trace::Function& function(uint32_t s) const { return profile.functions()[profile.sites()[s].function]; }

  bool writes(uint32_t s) const {
    const trace::Function& f = function(s);
    return category_of(f.cls) == Category::io && (trace::moves_of(f.cls, f.name) & trace::moves::writes) != 0;
  }

  void add_time(uint32_t s, double share, Phase* phase) const {
    const GlobalSite& site = profile.sites()[s];
    const Category category = site.local ? Category::local : category_of(function(s).cls);
    for (const Cell& c : site.cells) {
      PhaseTime& t = phase->times[c.process];
      const double ns = share * (c.counts.time_ns - c.aside_ns);
      t.computation += share * (c.gap_ns - c.aside_gap_ns);
      (category == Category::io ? t.io : category == Category::startup ? t.startup : t.mpi) += ns;
    }
  }

  void put(uint32_t s, double share, Phase* phase) const {
    if (share <= 0) return;
    phase->sites.push_back(s);
    phase->share.push_back(share);
    phase->writes |= writes(s);
    add_time(s, share, phase);
  }

  // What comes before a phase's calls, but not within its loop: to `around`, if that is given.
  void leave_out(const std::vector<uint32_t>& same, Phase* phase, Phase* around) const {
    for (const Outside& o : outside) {
      if (std::find(same.begin(), same.end(), o.loop) == same.end()) continue;
      if (around && profile.loops().all()[o.loop].cell(o.process)->entries > 1) continue;  // some of it lies between
      double& own = phase->times[o.process].computation;
      const double ns = std::clamp(own, 0.0, o.ns);
      own -= ns;
      if (around) around->times[o.process].computation += ns;
    }
  }

  Phase phase(Phase::Kind kind) const {
    Phase made;
    made.kind = kind;
    made.times.resize(profile.processes().size());
    return made;
  }

  // The iterations in which the site's routine makes the call, by any path.
  std::map<std::pair<std::vector<uint32_t>, uint32_t>, Stretches> by_routine(const Paths& paths) const {
    std::map<std::pair<std::vector<uint32_t>, uint32_t>, Stretches> all;
    for (uint32_t s = 0; s < occurrences.size(); ++s) {
      if (!occurrences[s].in_main || s >= paths.size()) continue;
      Stretches& known = all[{paths[s], profile.sites()[s].function}];
      known = known.empty() ? occurrences[s].iterations : united(known, occurrences[s].iterations);
    }
    return all;
  }

  RunPhases run(const Paths& paths) const {
    const auto stretches = by_routine(paths);
    RunPhases found;
    found.iterations = main ? profile.loops().iterations(main) : 0;
    found.recurring_known = complete;
    Phase init = phase(Phase::Kind::init), loop = phase(Phase::Kind::loop), last = phase(Phase::Kind::final);
    loop.loop = main;
    loop.iterations = found.iterations;
    std::map<Stretches, Phase> recurring;
    for (uint32_t s = 0; s < occurrences.size(); ++s) {
      const SiteUse& site = occurrences[s];
      if (profile.sites()[s].local) continue;
      if (site.in_main) {
        put(s, 1, &loop);
        if (s >= paths.size()) continue;
        const Stretches& when = stretches.at({paths[s], profile.sites()[s].function});
        if (complete && number_of(when) + 1 < iterations && iterations > 2)
          put(s, 1, &recurring.try_emplace(when, phase(Phase::Kind::recurring)).first->second);
        continue;
      }
      const Category category = category_of(function(s).cls);
      const auto before = static_cast<double>(site.before), after = static_cast<double>(site.after);
      const bool finalize = category == Category::startup && function(s).name == "MPI_Finalize";
      const double early = finalize ? 0 : before + after > 0 ? before / (before + after) : 1;
      put(s, early, &init);
      put(s, 1 - early, &last);
    }
    if (main) leave_out({main}, &loop, &init);
    found.phases.push_back(std::move(init));
    if (!loop.sites.empty()) {
      found.phases.push_back(std::move(loop));
      add_recurring(&recurring, &found);
      add_inner(&found);
    }
    found.phases.push_back(std::move(last));
    for (Phase& p : found.phases) p.region = region_around(p.sites);
    return found;
  }

  uint32_t region_around(const std::vector<uint32_t>& sites) const {
    if (sites.empty()) return 0;
    const std::vector<trace::NamedRegion>& regions = profile.regions();
    const auto within = [&](uint32_t inner, uint32_t outer) {
      while (inner && inner != outer) inner = regions[inner].parent;
      return inner == outer;
    };
    uint32_t around = profile.sites()[sites[0]].region;
    for (const uint32_t s : sites) {
      while (around && !within(profile.sites()[s].region, around)) around = regions[around].parent;
    }
    return around;
  }

  static double time_of(const Phase& p) {
    double sum = 0;
    for (const PhaseTime& t : p.times) sum += t.sum();
    return sum;
  }

  // If iterations may be invisible, the iterations of an inner loop run on through several outer ones. That is not so
  // if every outer iteration that enters an inner loop has the same number of its iterations.
  bool shows_all_iterations() const {
    const RunLoops& loops = profile.loops();
    if (!loops.all()[main].silent) return true;
    for (uint32_t l = 1; l < loops.all().size(); ++l) {
      if (loops.all()[l].outer != main) continue;
      const structure::LoopShape shape = loops.shape(l);
      if (shape.usual != shape.most || (shape.fewest && shape.fewest != shape.most)) return false;
    }
    return true;
  }

  void add_recurring(std::map<Stretches, Phase>* recurring, RunPhases* found) const {
    std::vector<Phase> all;
    const bool countable = shows_all_iterations();
    for (auto& [stretches, phase] : *recurring) {
      phase.iterations = number_of(stretches);
      phase.every = countable ? regular_distance(stretches) : 0;
      all.push_back(std::move(phase));
    }
    std::stable_sort(all.begin(), all.end(), [](const Phase& a, const Phase& b) { return time_of(a) > time_of(b); });
    if (all.size() > most_recurring) all.resize(most_recurring);
    for (Phase& p : all) found->phases.push_back(std::move(p));
  }

  // Loops within the main one that take a good part of its time. Loops with one header, within such loops,
  // are one, whatever way leads to it, and what takes nearly all the time of a loop around it is left out.
  void add_inner(RunPhases* found) const {
    const RunLoops& loops = profile.loops();
    const double whole = loops.time_ns(main);
    std::map<std::vector<std::pair<uint32_t, uint64_t>>, std::vector<uint32_t>>
        by_header;  // and those of loops around it
    for (uint32_t l = 1; l < loops.all().size(); ++l) {
      if (l == main || !loops.within(l, main)) continue;
      std::vector<std::pair<uint32_t, uint64_t>> headers;
      for (uint32_t at = l; at != main; at = loops.all()[at].outer)
        headers.emplace_back(loops.all()[at].header.module, loops.all()[at].header.offset);
      by_header[headers].push_back(l);
    }
    const auto time_of = [&](const std::vector<uint32_t>& same) {
      double sum = 0;
      for (const uint32_t l : same) sum += loops.time_ns(l);
      return sum;
    };
    std::vector<std::vector<uint32_t>> weighty;
    for (const auto& [header, same] : by_header) {
      if (time_of(same) >= least_inner_share * whole && loops.iterations(same) > found->iterations)
        weighty.push_back(same);
    }
    std::stable_sort(weighty.begin(), weighty.end(),
                     [&](const auto& a, const auto& b) { return time_of(a) > time_of(b); });
    std::vector<std::vector<uint32_t>> kept;
    for (const std::vector<uint32_t>& same : weighty) {
      const bool most_of_another = std::any_of(kept.begin(), kept.end(), [&](const std::vector<uint32_t>& other) {
        return time_of(same) > nearly_whole * time_of(other) && std::all_of(same.begin(), same.end(), [&](uint32_t l) {
                 return std::any_of(other.begin(), other.end(), [&](uint32_t o) { return loops.within(l, o); });
               });
      });
      if (!most_of_another && kept.size() < most_inner) kept.push_back(same);
    }
    for (const std::vector<uint32_t>& same : kept) {
      Phase inner = phase(Phase::Kind::inner);
      inner.loop = same.front();
      inner.iterations = found->iterations;
      inner.inner_iterations = loops.iterations(same);
      for (uint32_t s = 0; s < occurrences.size(); ++s) {
        const bool in_it =
            !profile.sites()[s].local && site_loops[s] &&
            std::any_of(same.begin(), same.end(), [&](uint32_t l) { return loops.within(site_loops[s], l); });
        if (in_it) put(s, 1, &inner);
      }
      leave_out(same, &inner, nullptr);
      if (!inner.sites.empty()) found->phases.push_back(std::move(inner));
    }
  }

  struct Outside {
    uint32_t process, loop;
    double ns;
  };
  const Profile& profile;
  std::vector<Outside> outside;      // computation
  std::vector<SiteUse> occurrences;  // by site of the profile
  std::vector<uint32_t> site_loops;  // the innermost loop of the run around each
  uint32_t main;
  bool complete = true;
  uint64_t iterations = 0;
  std::map<std::pair<structure::TreeSource, uint32_t>, ThreadOccurrences> pool;
};

PhaseFinder::PhaseFinder(const Profile& profile) : state_(std::make_unique<State>(profile)) {
  state_->site_loops.resize(profile.sites().size());
  for (const OutsideGap& gap : profile.loops().outside_gaps())
    state_->outside.push_back({gap.process, gap.loop, gap.ns});
}
PhaseFinder::~PhaseFinder() = default;

void PhaseFinder::add(const trace::Process& process, uint32_t index) {
  for (size_t s = 0; s < process.streams.size(); ++s) {
    const trace::Stream& stream = process.streams[s];
    const ProcessSummary& summary = state_->profile.processes()[index];
    for (uint32_t site = 0; site < stream.sites.size(); ++site) {
      const uint32_t own = summary.site_numbers[s][site], loop = stream.loop_around(site);
      if (own >= state_->site_loops.size() || loop >= summary.loop_numbers[s].size()) continue;
      uint32_t& known = state_->site_loops[own];
      const uint32_t number = summary.loop_numbers[s][loop];
      if (number && state_->profile.loops().within(number, known)) known = number;
    }
    state_->add_stream(process, s, index);
  }
}

RunPhases PhaseFinder::find(const std::vector<std::vector<uint32_t>>& paths) { return state_->run(paths); }

}  // namespace leadline::analysis
