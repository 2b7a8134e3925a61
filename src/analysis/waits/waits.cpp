#include "analysis/waits/waits.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>

#include "analysis/matching/step_reader.hpp"
#include "analysis/waits/critical_path.hpp"
#include "analysis/waits/imbalance.hpp"

namespace leadline::analysis {

namespace {

// Standard errors that hold 95 %, by the number of values less one: Student's t.
double quantile(size_t freedom) {
  constexpr double table[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14};
  return freedom == 0                  ? 0
         : freedom <= std::size(table) ? table[freedom - 1]
                                       : 1.96 + 2.5 / static_cast<double>(freedom);
}

constexpr size_t most_causes = 8;
constexpr size_t most_path_rows = 200;

// What was seen of one kind of wait at a site on a process.
struct Seen {
  std::vector<std::pair<uint32_t, double>> by_step;  // steps with a wait, and its ns
  Causes causes;
  double slow = 0;  // ns in steps that stand for themselves
  Causes slow_causes;
};
struct Times {
  std::vector<double> by_step;
  double slow = 0;
};
using Key = std::tuple<WaitKind, uint32_t, uint32_t>;  // kind, site, process

class Collector {
 public:
  // `slow`: steps that are not scaled.
  Collector(const Profile& profile, const std::vector<Step>& steps, const std::vector<Step>& slow, bool whole)
      : profile_(profile), steps_(steps), slow_(slow), whole_(whole) {
    std::vector<OwnTime> times;
    for (const ProcessSummary& p : profile.processes()) times.push_back(own_time(p.meta));
    time_ = run_time(times);
  }

  RunWaits run() {
    RunWaits found;
    found.found = !steps_.empty();
    found.estimated = !whole_;
    found.iterations = whole_ ? 0 : steps_.size();
    std::vector<StepComputation> computation, rare;
    const RunIterations iterations = whole_ ? RunIterations{} : profile_.iterations();
    Causes path;
    double length = 0;
    const auto calls = std::make_shared<CallWaits>();
    SeenToReturn& seen = found.seen;
    for (const Step& step : steps_) seen.learn(step, profile_, time_);
    for (const Step& step : slow_) {
      collect(wait_states(step, profile_, time_, seen), in_slow);
      if (!whole_) rare.push_back(computation_of(step));
    }
    for (uint32_t s = 0; s < steps_.size(); ++s) {
      const TimedStep timed = wait_states(steps_[s], profile_, time_, seen);
      collect(timed, s);
      if (whole_) calls->add(timed);
      const double own = add_critical_path(timed, profile_, &path);
      length += own;
      found.path_steps += own > 0;
      if (whole_) continue;
      // Some were kept because they were slow at the time, and are not among the slowest of all.
      StepComputation own_computation = computation_of(steps_[s]);
      (is_slow(own_computation, iterations) ? rare : computation).push_back(std::move(own_computation));
    }
    rows(&found);
    if (!whole_) unseen(&found);
    if (whole_) found.calls = calls;
    for (const auto& [where, ns] : path) {
      const auto& [process, doing, site] = where;
      found.path.push_back({process, site, doing, length > 0 ? ns / length : 0});
    }
    std::sort(found.path.begin(), found.path.end(),
              [](const PathRow& a, const PathRow& b) { return a.share > b.share; });
    if (found.path.size() > most_path_rows) found.path.resize(most_path_rows);
    std::vector<std::string> hosts;
    for (const ProcessSummary& p : profile_.processes()) hosts.push_back(p.meta.host);
    found.imbalance = imbalance_of(computation, hosts);
    add_slow_steps(rare, iterations.count, &found.imbalance);
    return found;
  }

  void collect(const TimedStep& timed, uint32_t number) {
    const CauseFinder finder(timed, profile_);
    const std::vector<StepCall>& calls = timed.step->calls;
    for (uint32_t c = 0; c < calls.size(); ++c) {
      if (calls[c].margin || calls[c].site >= profile_.sites().size()) continue;
      Times& times = times_[{calls[c].site, calls[c].process}];
      times.by_step.resize(steps_.size());
      (number == in_slow ? times.slow : times.by_step[number]) += timed.end_ns[c] - timed.begin_ns[c];
      const CallWait& wait = timed.waits[c];
      if (wait.kind == WaitKind::none) continue;
      Seen& seen = seen_[{wait.kind, calls[c].site, calls[c].process}];
      if (number == in_slow) {
        seen.slow += wait.waited_ns();
        finder.add(c, &seen.slow_causes);
        continue;
      }
      if (seen.by_step.empty() || seen.by_step.back().first != number) seen.by_step.emplace_back(number, 0);
      seen.by_step.back().second += wait.waited_ns();
      finder.add(c, &seen.causes);
    }
  }

 private:
  static constexpr uint32_t in_slow = UINT32_MAX;

  StepComputation computation_of(const Step& step) const {
    StepComputation c{step.iteration, std::vector<double>(profile_.processes().size(), -1)};
    for (const StepCall& call : step.calls) {
      if (call.margin) continue;
      double& sum = c.ns[call.process];
      sum = std::max(sum, 0.0) + (call.polled ? 0 : call.gap_ns);
    }
    return c;
  }

  static bool is_slow(const StepComputation& step, const RunIterations& iterations) {
    const double longest = *std::max_element(step.ns.begin(), step.ns.end());
    return iterations.typical_ns > 0 && longest >= outlier_factor * iterations.typical_ns;
  }

  // The time of the site on the process in the whole run.
  double whole_time(uint32_t site, uint32_t process) const {
    const std::vector<Cell>& cells = profile_.sites()[site].cells;
    const auto at = std::lower_bound(cells.begin(), cells.end(), process,
                                     [](const Cell& c, uint32_t of) { return c.process < of; });
    return at != cells.end() && at->process == process ? at->counts.time_ns : 0;
  }

  void unseen(RunWaits* found) const {
    for (uint32_t site = 0; site < profile_.sites().size(); ++site) {
      double ns = 0;
      for (const Cell& c : profile_.sites()[site].cells) ns += times_.count({site, c.process}) ? 0 : c.counts.time_ns;
      if (ns > 0) found->unseen.emplace_back(site, ns);
    }
  }

  void rows(RunWaits* found) const {
    for (const auto& [key, seen] : seen_) {
      const auto& [kind, site, process] = key;
      WaitRow row{kind, site, process, 0, 0, {}};
      double waited = 0;
      for (const auto& [step, ns] : seen.by_step) waited += ns;
      row.ns = waited;
      if (!whole_) estimate(seen, times_.at({site, process}), whole_time(site, process), waited, &row);
      Causes all = seen.slow_causes;
      const double weight = waited > 0 ? (row.ns - seen.slow) / waited : 0;
      for (const auto& [cause, ns] : seen.causes) all[cause] += ns * weight;
      causes(all, &row);
      found->rows.push_back(std::move(row));
    }
    std::sort(found->rows.begin(), found->rows.end(), [](const WaitRow& a, const WaitRow& b) { return a.ns > b.ns; });
  }

  // The part of the site's time that is waiting is taken to be the same in all iterations as in those looked at, but
  // for slow ones, whose waits are known.
  void estimate(const Seen& seen, const Times& kept, double all, double waited, WaitRow* row) const {
    const std::vector<double>& times = kept.by_step;
    const double whole = std::max(all - kept.slow, 0.0);
    row->ns = seen.slow;
    double time = 0;
    for (const double t : times) time += t;
    if (time <= 0) return;
    const double ratio = waited / time;
    row->ns += ratio * whole;
    // Iterations that follow one another are alike: they count as one value.
    std::vector<double> residuals;
    size_t at = 0;
    for (uint32_t s = 0; s < times.size(); ++s) {
      double ns = 0;
      if (at < seen.by_step.size() && seen.by_step[at].first == s) ns = seen.by_step[at++].second;
      if (s == 0 || steps_[s].iteration != steps_[s - 1].iteration + 1) residuals.push_back(0);
      residuals.back() += ns - ratio * times[s];
    }
    if (residuals.size() < 2) {
      row->error_ns = row->ns;
      return;
    }
    double squares = 0;
    for (const double r : residuals) squares += r * r;
    const auto n = static_cast<double>(residuals.size());
    row->error_ns = quantile(residuals.size() - 1) * std::sqrt(squares * n / (n - 1)) / time * whole;
  }

  void causes(const Causes& all, WaitRow* row) const {
    double sum = 0;
    for (const auto& [cause, ns] : all) sum += ns;
    for (const auto& [cause, ns] : all) {
      const auto& [process, doing, site] = cause;
      row->causes.push_back({process, site, doing, sum > 0 ? ns / sum : 0});
    }
    std::sort(row->causes.begin(), row->causes.end(),
              [](const WaitCause& a, const WaitCause& b) { return a.share > b.share; });
    if (row->causes.size() > most_causes) row->causes.resize(most_causes);
  }

  const Profile& profile_;
  const std::vector<Step>&steps_, &slow_;
  bool whole_;
  RunTime time_;
  std::map<Key, Seen> seen_;
  std::map<std::pair<uint32_t, uint32_t>, Times> times_;  // by site and process
};

}  // namespace

struct WaitFinder::State {
  explicit State(const Profile& p)
      : profile(p),
        whole(p, StepReader::Part::whole),
        iterations(p, StepReader::Part::iterations),
        slowest(p, StepReader::Part::slowest) {}
  const Profile& profile;
  StepReader whole, iterations, slowest;
};

WaitFinder::WaitFinder(const Profile& profile) : state_(std::make_unique<State>(profile)) {}
WaitFinder::~WaitFinder() = default;

void WaitFinder::add(const trace::Process& process, uint32_t index) {
  state_->whole.add(process, index);
  state_->iterations.add(process, index);
  state_->slowest.add(process, index);
}

RunWaits WaitFinder::find() {
  const std::vector<Step> whole = state_->whole.finish(), iterations = state_->iterations.finish();
  const std::vector<Step> slowest = state_->slowest.finish();
  if (whole.empty()) return Collector(state_->profile, iterations, slowest, false).run();
  const std::vector<Step> none;
  // Exact waits of the whole run; path and imbalance are those of steps.
  RunWaits steps = Collector(state_->profile, iterations, slowest, false).run();
  RunWaits all = Collector(state_->profile, whole, none, true).run();
  if (steps.found) {
    all.path = std::move(steps.path);
    all.path_steps = steps.path_steps;
    all.imbalance = std::move(steps.imbalance);
  }
  return all;
}

}  // namespace leadline::analysis
