#include "analysis/waits/waits.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>

#include "analysis/matching/step.hpp"
#include "analysis/waits/critical_path.hpp"
#include "analysis/waits/imbalance.hpp"

namespace leadline::analysis {

namespace {

constexpr double intervals = 1.96;  // standard errors, for 95 %
constexpr size_t most_causes = 8;
constexpr size_t most_path_rows = 200;

// What was seen of one kind of wait at a site on a process.
struct Seen {
  std::vector<std::pair<uint32_t, double>> by_step;  // steps with a wait, and its ns
  Causes causes;
};
using Key = std::tuple<WaitKind, uint32_t, uint32_t>;  // kind, site, process

class Collector {
 public:
  Collector(const Profile& profile, const std::vector<Step>& steps, bool whole)
      : profile_(profile), steps_(steps), whole_(whole) {
    std::vector<OwnTime> times;
    for (const ProcessSummary& p : profile.processes()) times.push_back(own_time(p.meta));
    time_ = run_time(times);
  }

  RunWaits run() {
    RunWaits found;
    found.found = !steps_.empty();
    found.estimated = !whole_;
    found.iterations = whole_ ? 0 : steps_.size();
    std::vector<StepComputation> computation;
    Causes path;
    double length = 0;
    for (uint32_t s = 0; s < steps_.size(); ++s) {
      const TimedStep timed = wait_states(steps_[s], profile_, time_);
      collect(timed, s);
      const double own = add_critical_path(timed, profile_, &path);
      length += own;
      found.path_steps += own > 0;
      if (!whole_) computation.push_back(computation_of(steps_[s]));
    }
    rows(&found);
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
    return found;
  }

  void collect(const TimedStep& timed, uint32_t number) {
    const CauseFinder finder(timed, profile_);
    const std::vector<StepCall>& calls = timed.step->calls;
    for (uint32_t c = 0; c < calls.size(); ++c) {
      if (calls[c].margin || calls[c].site >= profile_.sites().size()) continue;
      times_[{calls[c].site, calls[c].process}].resize(steps_.size());
      times_[{calls[c].site, calls[c].process}][number] += timed.end_ns[c] - timed.begin_ns[c];
      const CallWait& wait = timed.waits[c];
      if (wait.kind == WaitKind::none) continue;
      Seen& seen = seen_[{wait.kind, calls[c].site, calls[c].process}];
      if (seen.by_step.empty() || seen.by_step.back().first != number) seen.by_step.emplace_back(number, 0);
      seen.by_step.back().second += wait.waited_ns();
      finder.add(c, &seen.causes);
    }
  }

 private:
  StepComputation computation_of(const Step& step) const {
    StepComputation c{step.iteration, std::vector<double>(profile_.processes().size(), -1)};
    for (const StepCall& call : step.calls) {
      if (call.margin) continue;
      double& sum = c.ns[call.process];
      sum = std::max(sum, 0.0) + (call.polled ? 0 : call.gap_ns);
    }
    return c;
  }

  // The time of the site on the process in the whole run.
  double whole_time(uint32_t site, uint32_t process) const {
    for (const Cell& c : profile_.sites()[site].cells) {
      if (c.process == process) return c.counts.time_ns;
    }
    return 0;
  }

  void rows(RunWaits* found) const {
    for (const auto& [key, seen] : seen_) {
      const auto& [kind, site, process] = key;
      WaitRow row{kind, site, process, 0, 0, {}};
      double waited = 0;
      for (const auto& [step, ns] : seen.by_step) waited += ns;
      row.ns = waited;
      if (!whole_) estimate(seen, times_.at({site, process}), whole_time(site, process), waited, &row);
      causes(seen.causes, &row);
      found->rows.push_back(std::move(row));
    }
    std::sort(found->rows.begin(), found->rows.end(), [](const WaitRow& a, const WaitRow& b) { return a.ns > b.ns; });
  }

  // The part of the site's time that is waiting is taken to be the same in all iterations as in those looked at.
  void estimate(const Seen& seen, const std::vector<double>& times, double whole, double waited, WaitRow* row) const {
    double time = 0;
    for (const double t : times) time += t;
    if (time <= 0) return;
    const double ratio = waited / time;
    row->ns = ratio * whole;
    if (steps_.size() < 2) {
      row->error_ns = row->ns;
      return;
    }
    double squares = 0;
    size_t at = 0;
    for (uint32_t s = 0; s < times.size(); ++s) {
      double ns = 0;
      if (at < seen.by_step.size() && seen.by_step[at].first == s) ns = seen.by_step[at++].second;
      const double residual = ns - ratio * times[s];
      squares += residual * residual;
    }
    const auto n = static_cast<double>(times.size());
    row->error_ns = intervals * std::sqrt(squares * n / (n - 1)) / time * whole;
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
  const std::vector<Step>& steps_;
  bool whole_;
  RunTime time_;
  std::map<Key, Seen> seen_;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<double>> times_;  // by site and process; by step
};

}  // namespace

struct WaitFinder::State {
  explicit State(const Profile& p)
      : profile(p), whole(p, StepReader::Part::whole), iterations(p, StepReader::Part::iterations) {}
  const Profile& profile;
  StepReader whole, iterations;
};

WaitFinder::WaitFinder(const Profile& profile) : state_(std::make_unique<State>(profile)) {}
WaitFinder::~WaitFinder() = default;

void WaitFinder::add(const trace::Process& process, uint32_t index) {
  state_->whole.add(process, index);
  state_->iterations.add(process, index);
}

RunWaits WaitFinder::find() {
  const std::vector<Step> whole = state_->whole.finish(), iterations = state_->iterations.finish();
  if (whole.empty()) return Collector(state_->profile, iterations, false).run();
  // Exact waits of the whole run; path and imbalance are those of steps.
  RunWaits steps = Collector(state_->profile, iterations, false).run();
  RunWaits all = Collector(state_->profile, whole, true).run();
  if (steps.found) {
    all.path = std::move(steps.path);
    all.path_steps = steps.path_steps;
    all.imbalance = std::move(steps.imbalance);
  }
  return all;
}

}  // namespace leadline::analysis
