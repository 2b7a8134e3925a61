#include "analysis/patterns/collectives/consecutive_reductions.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/patterns/exchanges/sequence.hpp"

namespace leadline::analysis {

namespace {

using trace::CallClass;
using trace::Category;

constexpr int64_t most_bytes = 1 << 13;  // larger ones gain little by being combined
// An array that is reduced number by number: one place makes so many, and computes nothing between.
constexpr size_t least_of_one_line = 4;
constexpr double most_between_ns = 1e3;

bool reduces(const std::string& name) {
  return name == "MPI_Allreduce" || name == "MPI_Allreduce_c" || name == "MPI_Reduce" || name == "MPI_Reduce_c";
}
bool broadcasts(const std::string& name) { return name == "MPI_Bcast" || name == "MPI_Bcast_c"; }

// Reductions or broadcasts that follow one another on all processes, by their call sites in order.
struct FoundRow {
  std::set<uint32_t> processes;
  uint64_t rows = 0;
  double computed_ns = 0;
};

class ConsecutiveReductions {
 public:
  ConsecutiveReductions(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                        const SourcePlaces& places)
      : profile_(profile), traffic_(traffic), step_(steps.iteration), places_(places), computation_(profile) {
    for (const StepCollective& c : step_.collectives) {
      for (const StepCollective::Member& m : c.members) {
        if (m.rooted && m.is_root) at_root_.insert(m.call);
      }
    }
  }

  // Units are call sites, doubled: those with a root are other ones there.
  std::vector<Pattern> run() {
    const UnitOf units{
        [this](uint32_t call) { return unit_at(call); },
        [this](uint32_t unit, double ns) { return is_little(unit / 2, ns); },
        [this](uint32_t a, uint32_t b) { return alike(a, b); },
    };
    std::vector<Pattern> patterns = find_loops();
    find_varying(rows_of(step_, computation_, units, true));
    std::map<std::vector<uint32_t>, FoundRow> found;
    for (const CallRow& row : rows_of(step_, computation_, units, true)) {
      std::vector<uint32_t> sites;
      double computed = 0;
      for (const Stretch& s : row.stretches) {
        sites.push_back(s.unit / 2);
        computed += s.computed_ns;
      }
      if (lines(sites) < 2) continue;
      FoundRow& f = found[sites];
      f.processes.insert(row.process);
      ++f.rows;
      f.computed_ns += computed;
    }
    for (Pattern& each : patterns_of(found)) patterns.push_back(std::move(each));
    return patterns;
  }

 private:
  struct Loop {
    std::vector<size_t> rows;  // calls in each
    std::vector<double> gaps_ns;
    std::set<uint32_t> processes;
    // The lower quartile, as ranks that share a core lose it in many gaps.
    double gap_ns() {
      const auto at = gaps_ns.begin() + static_cast<std::ptrdiff_t>(gaps_ns.size() / 4);
      std::nth_element(gaps_ns.begin(), at, gaps_ns.end());
      return *at;
    }
  };
  using Rows = std::map<std::vector<uint32_t>, FoundRow>;

  // The time of a call counts once: where rows have calls in common, with those that save most.
  std::vector<Pattern> patterns_of(const Rows& found) const {
    std::vector<Rows::const_iterator> all;
    for (auto at = found.begin(); at != found.end(); ++at) {
      if (on_all(at->first, at->second)) all.push_back(at);
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return saved(a) > saved(b); });
    std::set<uint32_t> taken;
    std::vector<Pattern> patterns;
    for (const auto& at : all) {
      const std::vector<uint32_t>& sites = at->first;
      if (std::any_of(sites.begin(), sites.end(), [&](uint32_t s) { return taken.count(s) > 0; })) continue;
      taken.insert(sites.begin(), sites.end());
      patterns.push_back(pattern(sites, at->second));
    }
    return patterns;
  }

  // Places that make many one after another, in each row and on each process as many: with nothing computed between, an
  // array that is reduced number by number. They are in no other row.
  std::vector<Pattern> find_loops() {
    std::map<uint32_t, Loop> loops;  // by unit
    const StepCall* before = nullptr;
    uint32_t last = UnitOf::divides, last_call = 0;
    for (uint32_t c = 0; c < step_.calls.size(); ++c) {
      const StepCall& call = step_.calls[c];
      if (before && (before->process != call.process || before->stream != call.stream)) last = UnitOf::divides;
      before = &call;
      const uint32_t unit = unit_at(c);
      if (unit == UnitOf::none) continue;
      if (unit != UnitOf::divides) {
        Loop& loop = loops[unit];
        if (unit == last) {
          ++loop.rows.back();
          loop.gaps_ns.push_back(computation_.least_ns(step_, last_call, c));
        } else {
          loop.rows.push_back(1);
          loop.processes.insert(call.process);
        }
      }
      last = unit;
      last_call = c;
    }
    std::vector<Pattern> patterns;
    for (auto& [unit, loop] : loops) {
      const size_t each = loop.rows.front();
      const uint32_t site = unit / 2;
      const bool fixed = std::all_of(loop.rows.begin(), loop.rows.end(), [&](size_t n) { return n == each; });
      if (!fixed || each < least_of_one_line || varies(site)) continue;
      in_loops_.insert(site);
      if (loop.gap_ns() > most_between_ns) continue;
      FoundRow f;
      f.processes = loop.processes;
      f.rows = loop.rows.size();
      const std::vector<uint32_t> sites(each, site);
      if (on_all(sites, f)) patterns.push_back(pattern(sites, f));
    }
    return patterns;
  }

  // Whether the loop of a call has another number of iterations at times: it converges, perhaps.
  bool varies(uint32_t site) const {
    const uint32_t loop = traffic_.sites()[site].loop;
    if (!loop || loop == profile_.loops().main()) return false;
    const structure::LoopShape shape = profile_.loops().shape(loop);
    return shape.fewest != shape.most;
  }

  static uint64_t saved(Rows::const_iterator at) { return at->second.rows * (at->first.size() - 1); }

  // Call sites that a process passes in one row more often than in another: an iteration until it converges, or vectors
  // made orthogonal to one another. Each reduction there needs what the one before it computed.
  void find_varying(const std::vector<CallRow>& rows) {
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> often;  // by process and call site
    std::set<uint32_t> varying;
    for (const CallRow& row : rows) {
      std::map<uint32_t, uint64_t> times;
      for (const Stretch& s : row.stretches) ++times[s.unit / 2];
      for (const auto& [site, number] : times) {
        const auto [at, is_new] = often.try_emplace({row.process, site}, number);
        if (!is_new && at->second != number) varying.insert(site);
      }
    }
    varying_ = std::move(varying);
  }

  const trace::Function& function(uint32_t site) const { return profile_.functions()[profile_.sites()[site].function]; }

  uint32_t unit_at(uint32_t call) const {
    const StepCall& c = step_.calls[call];
    if (c.site >= profile_.sites().size()) return UnitOf::divides;
    if (category_of(c.cls) == Category::local) return UnitOf::none;
    const SiteTraffic& t = traffic_.sites()[c.site];
    const std::string& name = function(c.site).name;
    const bool counts = c.cls == CallClass::coll && !varying_.count(c.site) && !in_loops_.count(c.site) &&
                        (reduces(name) || broadcasts(name)) && t.communicators.size() == 1 && t.least_size > 1 &&
                        bytes_of(c.site) <= most_bytes;
    return counts ? 2 * c.site + (at_root_.count(call) ? 1 : 0) : UnitOf::divides;
  }

  int64_t bytes_of(uint32_t site) const {
    int64_t bytes = 0;
    uint64_t calls = 0;
    for (const Cell& c : profile_.sites()[site].cells) {
      bytes += c.counts.contributed;
      calls += c.counts.calls;
    }
    return calls ? bytes / static_cast<int64_t>(calls) : 0;
  }

  // The root of a broadcast gets nothing that the next one could need: only a long computation tells them apart.
  bool is_little(uint32_t site, double ns) const {
    const int64_t bytes = bytes_of(site);
    const bool broadcast = broadcasts(function(site).name);
    return broadcast ? computation_.is_negligible(ns, bytes) : computation_.is_little(ns, bytes);
  }

  // A broadcast that is much shorter than the next one may say how much that brings.
  bool alike(uint32_t a, uint32_t b) const {
    constexpr int64_t much = 4;
    if (broadcasts(function(a / 2).name) && bytes_of(b / 2) > much * bytes_of(a / 2)) return false;
    return a % 2 == b % 2 && profile_.sites()[a / 2].function == profile_.sites()[b / 2].function &&
           traffic_.sites()[a / 2].communicators == traffic_.sites()[b / 2].communicators;
  }

  size_t lines(const std::vector<uint32_t>& sites) const {
    std::set<uint32_t> numbers;
    for (const uint32_t s : sites) numbers.insert(s < places_.lines.size() ? places_.lines[s] : s);
    return numbers.size();
  }

  bool on_all(const std::vector<uint32_t>& sites, const FoundRow& f) const {
    return std::all_of(sites.begin(), sites.end(), [&](uint32_t s) {
      const std::vector<Cell>& cells = profile_.sites()[s].cells;
      return std::all_of(cells.begin(), cells.end(), [&](const Cell& c) { return f.processes.count(c.process) > 0; });
    });
  }

  Pattern pattern(const std::vector<uint32_t>& sites, const FoundRow& f) const {
    Pattern p;
    const bool broadcast = broadcasts(function(sites[0]).name);
    p.name = broadcast ? "consecutive_broadcasts" : "consecutive_reductions";
    p.in_main_loop = true;
    p.ranks = static_cast<uint32_t>(f.processes.size());
    for (const uint32_t s : std::set<uint32_t>(sites.begin(), sites.end())) {
      p.sites.push_back(s);
      for (const Cell& c : profile_.sites()[s].cells) p.bytes += c.counts.contributed;
    }
    const double each = static_cast<double>(f.rows) / static_cast<double>(f.processes.size());
    p.evidence = {{"together", static_cast<int64_t>(sites.size())},
                  {broadcast ? "broadcasts_saved_in_step" : "reductions_saved_in_step",
                   each * static_cast<double>(sites.size() - 1)},
                  {"computation_between_s", f.computed_ns * 1e-9 / static_cast<double>(f.processes.size())},
                  {"function", function(sites[0]).name},
                  {"assumes", std::string(broadcast ? "independent broadcasts" : "independent reductions")}};
    return p;
  }

  const Profile& profile_;
  const RunTraffic& traffic_;
  const Step& step_;
  const SourcePlaces& places_;
  ComputationBetween computation_;
  std::set<uint32_t> at_root_;             // calls
  std::set<uint32_t> varying_, in_loops_;  // call sites
};

}  // namespace

std::vector<Pattern> consecutive_reductions(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                                            const SourcePlaces& places) {
  if (!steps.iteration.found) return {};
  return ConsecutiveReductions(profile, traffic, steps, places).run();
}

}  // namespace leadline::analysis
