#include "analysis/clocks.hpp"

#include <algorithm>
#include <map>

namespace leadline::analysis {

namespace {

using trace::ProcessClock;

constexpr double largest_drift = 0.01;  // no clock drifts that much: it was set in between

int64_t sum(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
int64_t difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

// A clock related to the reference: when it shows own_ns, the reference shows reference_ns; it runs at `rate` times the
// speed.
struct Placed {
  int64_t own_ns = 0, reference_ns = 0;
  double rate = 1, error_ns = 0;
  bool drift_known = true;

  double at(int64_t own) const {
    return static_cast<double>(reference_ns) + rate * static_cast<double>(difference(own, own_ns));
  }
};

class Clocks {
 public:
  explicit Clocks(const std::vector<OwnTime>& processes) : processes_(processes) {
    for (const OwnTime& p : processes) {
      if (p.rank == 0 && p.clock.identity) roots_.try_emplace(p.world, &p.clock);
    }
  }

  // From the reference outwards, as far as comparisons lead.
  void place_all(const ProcessClock& reference) {
    placed_[reference.identity] = {reference.start_ns, 0, 1, 0, true};
    // Clocks that were compared twice come first.
    for (size_t least = 2; least > 0; --least) {
      while (place_some(least)) {
      }
    }
  }
  const Placed* find(const ProcessClock& clock) const {
    const auto at = clock.identity ? placed_.find(clock.identity) : placed_.end();
    return at == placed_.end() ? nullptr : &at->second;
  }

 private:
  bool place_some(size_t least) {
    bool any = false;
    for (const OwnTime& p : processes_) {
      const auto root = roots_.find(p.world);
      if (!p.clock.identity || root == roots_.end() || p.clock.comparisons.size() < least ||
          placed_.count(p.clock.identity))
        continue;
      const auto of_root = placed_.find(root->second->identity);
      if (of_root == placed_.end()) continue;
      placed_[p.clock.identity] = beside(p.clock, of_root->second);
      any = true;
    }
    return any;
  }

  static Placed beside(const ProcessClock& clock, const Placed& root) {
    const ProcessClock::Comparison &first = clock.comparisons.front(), &last = clock.comparisons.back();
    Placed p;
    p.own_ns = static_cast<int64_t>(first.own_ns);
    p.reference_ns = static_cast<int64_t>(std::clamp(root.at(sum(p.own_ns, first.offset_ns)), -0x1p62, 0x1p62));
    p.error_ns = root.error_ns + static_cast<double>(std::max(first.error_ns, last.error_ns));
    p.drift_known = root.drift_known && clock.comparisons.size() > 1;
    double drift = 0;
    if (last.own_ns > first.own_ns) {
      drift = static_cast<double>(difference(last.offset_ns, first.offset_ns)) /
              static_cast<double>(last.own_ns - first.own_ns);
    }
    p.rate = root.rate * (drift > -largest_drift && drift < largest_drift ? 1 + drift : 1);
    return p;
  }

  const std::vector<OwnTime>& processes_;
  std::map<uint64_t, const ProcessClock*> roots_;  // by world
  std::map<uint64_t, Placed> placed_;              // by identity
};

const OwnTime* reference_of(const std::vector<OwnTime>& processes) {
  const OwnTime* best = nullptr;
  for (const OwnTime& p : processes) {
    const auto before = [](const OwnTime& a, const OwnTime& b) {
      return std::pair(a.rank != 0, a.start_unix_ns) < std::pair(b.rank != 0, b.start_unix_ns);
    };
    if (p.clock.identity && (!best || before(p, *best))) best = &p;
  }
  return best;
}

}  // namespace

RunTime run_time(const std::vector<OwnTime>& processes) {
  RunTime run;
  const OwnTime* reference = reference_of(processes);
  Clocks clocks(processes);
  if (reference) clocks.place_all(reference->clock);
  const int64_t reference_start = reference ? reference->start_unix_ns : 0;
  std::map<uint64_t, bool> seen;
  for (const OwnTime& p : processes) {
    ProcessTime t;
    const Placed* placed = clocks.find(p.clock);
    if (placed) {
      t = {placed->at(p.clock.start_ns), placed->rate, placed->error_ns};
    } else {
      t = {static_cast<double>(difference(p.start_unix_ns, reference_start)), 1, -1};
    }
    if (seen.try_emplace(p.clock.identity, true).second || !p.clock.identity) ++run.clocks;
    const bool far = placed && p.clock.identity != reference->clock.identity;
    if (!placed) run.kind = "system";
    if (far && run.kind == "shared") run.kind = "exchanged";
    if (far && !placed->drift_known) run.drift_known = false;
    if (t.error_ns < 0 || run.error_ns < 0) {
      run.error_ns = -1;
    } else {
      run.error_ns = std::max(run.error_ns, t.error_ns);
    }
    run.processes.push_back(t);
  }
  double first = run.processes.empty() ? 0 : run.processes[0].begin_ns;
  for (const ProcessTime& t : run.processes) first = std::min(first, t.begin_ns);
  for (ProcessTime& t : run.processes) t.begin_ns -= first;
  return run;
}

}  // namespace leadline::analysis
