#include "analysis/patterns/collectives/separate_reductions.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace leadline::analysis {

namespace {

constexpr int64_t most_reduced_bytes = 64;  // some scalar products
constexpr size_t least = 2, most = 4;
constexpr uint64_t least_iterations = 4;  // of the step seen; of the main loop, in the run
constexpr uint64_t steps_of_main = 10;

bool reduces_to_all(const std::string& name) { return name == "MPI_Allreduce" || name == "MPI_Allreduce_c"; }

// One thread's reductions and exchanges in a loop, in order: a reduction is its call site, an exchange `exchange`.
using CallSequence = std::vector<uint32_t>;
constexpr uint32_t exchange = UINT32_MAX;

struct FoundLoop {
  std::set<uint32_t> sites;
  int64_t exchanges = 0;  // in an iteration, counted between its reductions
  bool operator==(const FoundLoop&) const = default;
};

// An iteration begins with the first reduction and ends before it comes again; what comes before the first one belongs
// to the last iteration before the loop was entered, or is the start of the solver. The last iteration may end early.
// Where only one was seen, a step of the main loop, what comes before its first reduction belongs to it, too.
// Nothing: iterations differ, or a reduction comes twice in one.
FoundLoop cycle_of(const CallSequence& all, uint64_t least_times) {
  const auto first = std::find_if(all.begin(), all.end(), [](uint32_t s) { return s != exchange; });
  if (first == all.end()) return {};
  std::map<CallSequence, uint64_t> iterations;
  uint64_t number = 0;
  for (auto begin = first; begin != all.end();) {
    const auto end = std::find(begin + 1, all.end(), *first);
    ++number;
    if (end != all.end() || iterations.empty()) ++iterations[CallSequence(begin, end)];
    begin = end;
  }
  if (number < least_times) return {};
  const auto usual = std::max_element(iterations.begin(), iterations.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  if (4 * (usual->second + 1) < 3 * number) return {};
  FoundLoop found;
  for (const uint32_t s : usual->first) {
    if (s == exchange)
      ++found.exchanges;
    else if (!found.sites.insert(s).second)
      return {};
  }
  if (number == 1 && first != all.begin() && usual->first.back() != exchange) ++found.exchanges;
  return found;
}

class SeparateReductions {
 public:
  SeparateReductions(const Profile& profile, const RunTraffic& traffic, const Step& step,
                     const std::set<uint32_t>& in_a_row)
      : profile_(profile), traffic_(traffic), step_(step), in_a_row_(in_a_row) {}

  std::vector<Pattern> run() {
    for (uint32_t s = 0; s < profile_.sites().size(); ++s) {
      if (counts(s)) loops_.insert(traffic_.sites()[s].loop);
    }
    std::vector<Pattern> patterns;
    for (const uint32_t loop : loops_) {
      const FoundLoop found = in_loop(loop);
      if (found.sites.size() < least || found.sites.size() > most || found.exchanges != 1) continue;
      if (communicators(found.sites) == 1) patterns.push_back(pattern(loop, found));
    }
    return patterns;
  }

 private:
  const trace::Function& function(uint32_t site) const { return profile_.functions()[profile_.sites()[site].function]; }

  // Not in most iterations of its loop, such as what a solver looks at when it is about to end.
  bool is_rare(uint32_t site) const {
    uint64_t calls = 0, iterations = 0;
    for (const Cell& c : profile_.sites()[site].cells) calls += c.counts.calls;
    for (const LoopCell& c : profile_.loops().all()[traffic_.sites()[site].loop].cells) iterations += c.iterations();
    return 4 * calls < 3 * iterations;
  }

  bool counts(uint32_t site) const {
    const SiteTraffic& t = traffic_.sites()[site];
    if (!t.loop || is_rare(site) || in_a_row_.count(site) || !reduces_to_all(function(site).name) || t.least_size < 2)
      return false;
    int64_t bytes = 0;
    uint64_t calls = 0;
    for (const Cell& c : profile_.sites()[site].cells) {
      bytes += c.counts.contributed;
      calls += c.counts.calls;
    }
    return calls && bytes <= most_reduced_bytes * static_cast<int64_t>(calls);
  }

  // The same on all threads that make such reductions there; else nothing, and nothing if there are other collectives
  // or transfers of files in the loop: a step of a simulation, not of a solver.
  FoundLoop in_loop(uint32_t loop) const {
    const bool is_main = loop == profile_.loops().main();
    if (is_main && profile_.loops().iterations(loop) < steps_of_main) return {};
    std::map<std::pair<uint32_t, uint32_t>, CallSequence> threads;
    for (const StepCall& c : step_.calls) {
      if (c.margin || c.site >= profile_.sites().size()) continue;
      const SiteTraffic& t = traffic_.sites()[c.site];
      if (!t.loop || !profile_.loops().within(t.loop, loop)) continue;
      CallSequence& s = threads[{c.process, c.stream}];
      if (t.loop == loop && counts(c.site))
        s.push_back(c.site);
      else if (category_of(c.cls) == trace::Category::collective || trace::is_posix(c.cls)) {
        if (!is_rare(c.site)) return {};
      } else if (!t.sent.empty() && (s.empty() || s.back() != exchange))
        s.push_back(exchange);
    }
    FoundLoop found;
    for (const auto& [thread, sequence] : threads) {
      if (std::all_of(sequence.begin(), sequence.end(), [](uint32_t s) { return s == exchange; })) continue;
      const FoundLoop here = cycle_of(sequence, is_main ? 1 : least_iterations);
      if (here.sites.empty() || (!found.sites.empty() && here.sites != found.sites)) return {};
      found.sites = here.sites;
      found.exchanges = std::max(found.exchanges, here.exchanges);
    }
    return found;
  }

  size_t communicators(const std::set<uint32_t>& sites) const {
    std::set<uint64_t> all;
    for (const uint32_t s : sites)
      all.insert(traffic_.sites()[s].communicators.begin(), traffic_.sites()[s].communicators.end());
    return all.size();
  }

  Pattern pattern(uint32_t loop, const FoundLoop& found) const {
    Pattern p;
    p.name = "separate_reductions";
    p.in_main_loop = profile_.loops().main() && profile_.loops().within(loop, profile_.loops().main());
    p.sites.assign(found.sites.begin(), found.sites.end());
    std::set<uint32_t> processes;
    for (const uint32_t s : found.sites) {
      for (const Cell& c : profile_.sites()[s].cells) {
        processes.insert(c.process);
        p.bytes += c.counts.contributed;
      }
    }
    p.ranks = static_cast<uint32_t>(processes.size());
    p.evidence = {{"loop", int64_t{loop}}, {"reductions", static_cast<int64_t>(found.sites.size())}};
    return p;
  }

  const Profile& profile_;
  const RunTraffic& traffic_;
  const Step& step_;
  const std::set<uint32_t>& in_a_row_;
  std::set<uint32_t> loops_;
};

}  // namespace

std::vector<Pattern> separate_reductions(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                                         const std::set<uint32_t>& in_a_row) {
  if (!steps.iteration.found) return {};
  return SeparateReductions(profile, traffic, steps.iteration, in_a_row).run();
}

}  // namespace leadline::analysis
