#include "analysis/patterns/exchanges/consecutive_exchanges.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/patterns/exchanges/sequence.hpp"
#include "analysis/patterns/exchanges/site_sets.hpp"

namespace leadline::analysis {

namespace {

using trace::Category;

// Smaller messages may tell how much will follow, which then depends on them. Of larger ones, latency is a small part.
constexpr int64_t least_packed_bytes = 65, most_packed_bytes = 1 << 16;

// Of the messages of one call to one partner in a step, the longest and the shortest of fields of one grid.
constexpr int64_t most_unlike = 2;

// Call sites whose messages belong together: one exchange of one field, or its messages in one direction.
struct Unit {
  std::vector<uint32_t> sites;
  std::vector<uint32_t> senders;  // those that send
  uint32_t graph = 0;             // units with the same number have the same partners
  bool mutual = false;            // all partners send to the rank as well,
  bool of_one = false;            // of which it has one only
  int64_t mean_bytes = 0, bytes_of_rank = 0;
  std::vector<std::pair<uint32_t, uint64_t>> calls;  // where in the code it sends: module and address of each
};

// Units of a row that could be one exchange.
struct Together {
  std::set<uint32_t> units;
  uint64_t exchanges = 0;
  double messages = 0, computed_ns = 0;
  uint32_t first = UINT32_MAX, last = 0;  // stretches of the row
  std::set<uint32_t> processes;
  double saved() const { return messages * (1 - 1 / static_cast<double>(exchanges)); }
};

class ConsecutiveExchanges {
 public:
  ConsecutiveExchanges(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                       const SourcePlaces& places, const std::set<uint32_t>& dependent)
      : profile_(profile), traffic_(traffic), step_(steps.iteration), computation_(profile) {
    unit_of_.assign(profile.sites().size(), UnitOf::none);
    for (const SiteSet& set : sets_of_sites(profile, traffic, steps, places)) add_unit(set, dependent);
  }

  std::vector<Pattern> run() {
    const UnitOf units{
        [this](uint32_t call) { return unit_at(call); },
        [this](uint32_t unit, double ns) { return computation_.is_little(ns, units_[unit].bytes_of_rank); },
        [](uint32_t, uint32_t) { return true; },
    };
    drop_repeated(rows_of(step_, computation_, units, false));
    std::vector<Together> found;
    for (const CallRow& row : rows_of(step_, computation_, units, false)) {
      for (Together& t : in_row(row)) join(std::move(t), &found);
    }
    std::vector<Pattern> patterns;
    for (const Together& t : found) {
      if (2 * t.processes.size() >= participants(t).size() && !shares_units(t, found)) patterns.push_back(pattern(t));
    }
    return patterns;
  }

 private:
  const trace::Function& function(uint32_t site) const { return profile_.functions()[profile_.sites()[site].function]; }

  void add_unit(const SiteSet& set, const std::set<uint32_t>& dependent) {
    if (!set.sends || !set.in_main_loop || set.one_sided) return;
    Unit unit;
    std::set<SiteTraffic::Edge> edges;
    uint64_t messages = 0;
    int64_t bytes = 0;
    for (const uint32_t s : set.sites) {
      if (dependent.count(s) || of_several_grids(s)) return;
      const SiteTraffic& t = traffic_.sites()[s];
      if (t.wildcards) return;  // who comes first decides what follows
      for (const auto& [edge, amount] : t.sent) {
        if (edge.first == edge.second) continue;
        edges.insert(edge);
        messages += amount.messages;
        bytes += amount.bytes;
      }
      if (t.sent.empty()) continue;
      unit.senders.push_back(s);
      const trace::Context& context = profile_.contexts()[profile_.sites()[s].context];
      unit.calls.emplace_back(context.frame.module, context.frame.offset);
    }
    if (edges.empty() || !messages) return;
    unit.sites = set.sites;
    unit.mean_bytes = bytes / static_cast<int64_t>(messages);
    std::set<uint32_t> from;
    for (const SiteTraffic::Edge& e : edges) from.insert(e.first);
    unit.bytes_of_rank = 2 * unit.mean_bytes * static_cast<int64_t>(edges.size()) / static_cast<int64_t>(from.size());
    unit.of_one = edges.size() == from.size();
    unit.mutual =
        std::all_of(edges.begin(), edges.end(), [&](const auto& e) { return edges.count({e.second, e.first}) > 0; });
    unit.graph = graphs_.try_emplace(edges, static_cast<uint32_t>(graphs_.size())).first->second;
    std::sort(unit.calls.begin(), unit.calls.end());
    for (const uint32_t s : unit.sites) unit_of_[s] = static_cast<uint32_t>(units_.size());
    units_.push_back(std::move(unit));
  }

  // Messages of one call site to one partner that are of very unlike lengths in a step: the levels of a multigrid
  // cycle, or directions that pass on what others brought. Each needs what the one before it brought.
  bool of_several_grids(uint32_t site) const {
    const auto at = step_.sent_at.find(site);
    if (at == step_.sent_at.end()) return false;
    std::map<std::pair<uint32_t, uint32_t>, std::pair<int64_t, int64_t>> lengths;
    for (const uint32_t m : at->second) {
      const StepMessage& message = step_.messages[m];
      if (message.send == StepMessage::none || message.receive == StepMessage::none) continue;
      const auto edge = std::make_pair(step_.calls[message.send].process, step_.calls[message.receive].process);
      auto& [least, most] = lengths.try_emplace(edge, message.bytes, message.bytes).first->second;
      least = std::min(least, message.bytes);
      most = std::max(most, message.bytes);
    }
    return std::any_of(lengths.begin(), lengths.end(),
                       [](const auto& of) { return of.second.second > most_unlike * of.second.first; });
  }

  // Stretches in which a call sends one partner several messages are a sweep, or several relaxations, but no exchange:
  // only its last messages and what follows could be one.
  void drop_repeated(const std::vector<CallRow>& rows) {
    for (const CallRow& row : rows) {
      for (const Stretch& s : row.stretches) {
        if (!repeats(s)) continue;
        for (const uint32_t site : units_[s.unit].sites) unit_of_[site] = UnitOf::none;
      }
    }
  }

  bool repeats(const Stretch& stretch) const {
    for (const uint32_t s : units_[stretch.unit].senders) {
      const auto at = step_.sent_at.find(s);
      if (at == step_.sent_at.end()) continue;
      std::set<uint32_t> partners;
      for (const uint32_t m : at->second) {
        const StepMessage& message = step_.messages[m];
        if (message.send < stretch.first || message.send > stretch.last || message.receive == StepMessage::none)
          continue;
        if (!partners.insert(step_.calls[message.receive].process).second) return true;
      }
    }
    return false;
  }

  // Calls of other exchanges, collectives and files divide: what follows may need what they brought.
  uint32_t unit_at(uint32_t call) const {
    const uint32_t site = step_.calls[call].site;
    if (site >= unit_of_.size()) return UnitOf::divides;
    if (unit_of_[site] != UnitOf::none) return unit_of_[site];
    return category_of(step_.calls[call].cls) == Category::local ? UnitOf::none : UnitOf::divides;
  }

  // Of those with the same partners.
  std::vector<Together> in_row(const CallRow& row) const {
    std::map<uint32_t, std::set<uint32_t>> by_graph;
    for (const Stretch& s : row.stretches) {
      const Unit& unit = units_[s.unit];
      if (unit.mean_bytes >= least_packed_bytes && unit.mean_bytes <= most_packed_bytes)
        by_graph[unit.graph].insert(s.unit);
    }
    std::vector<Together> all;
    for (const auto& [graph, units] : by_graph) {
      Together t;
      const bool one_by_one =
          std::all_of(row.stretches.begin(), row.stretches.end(),
                      [&, &among = units](const auto& s) { return !among.count(s.unit) || sent_in(s) < 2; });
      t.exchanges = exchanges(units, one_by_one);
      if (t.exchanges < 2) continue;
      t.units = units;
      t.processes.insert(row.process);
      for (uint32_t i = 0; i < row.stretches.size(); ++i) {
        const Stretch& s = row.stretches[i];
        if (!units.count(s.unit)) continue;
        t.first = std::min(t.first, i);
        t.last = i;
        t.messages += static_cast<double>(sent_in(s));
      }
      for (uint32_t i = t.first + 1; i <= t.last; ++i) t.computed_ns += row.stretches[i].computed_ns;
      take(std::move(t), &all);
    }
    return all;
  }

  // Those between which others come are parts of the same exchanges: their directions.
  static void take(Together t, std::vector<Together>* all) {
    for (Together& other : *all) {
      if (other.exchanges != t.exchanges || t.first > other.last || other.first > t.last) continue;
      other.units.insert(t.units.begin(), t.units.end());
      other.messages += t.messages;
      other.computed_ns = std::max(other.computed_ns, t.computed_ns);
      other.first = std::min(other.first, t.first);
      other.last = std::max(other.last, t.last);
      return;
    }
    all->push_back(std::move(t));
  }

  uint64_t sent_in(const Stretch& stretch) const {
    uint64_t sum = 0;
    for (const uint32_t s : units_[stretch.unit].senders) {
      const auto at = step_.sent_at.find(s);
      if (at == step_.sent_at.end()) continue;
      for (const uint32_t m : at->second) {
        const uint32_t call = step_.messages[m].send;
        sum += call >= stretch.first && call <= stretch.last;
      }
    }
    return sum;
  }

  // Where a dimension is two ranks wide, both faces of a field go to the same partner. Calls at one place in the code
  // that several paths lead to are the same face of several fields; without that, two units may be one field.
  // `one_by_one`: each sends to one partner at a time, as where the directions of a grid take turns.
  uint64_t exchanges(const std::set<uint32_t>& units, bool one_by_one) const {
    std::map<std::vector<std::pair<uint32_t, uint64_t>>, uint64_t> of_place;
    bool ambiguous = false;
    for (const uint32_t u : units) {
      ++of_place[units_[u].calls];
      ambiguous |= units_[u].mutual && (units_[u].of_one || one_by_one) && units_[u].senders.size() == 1;
    }
    uint64_t most = 0;
    for (const auto& [place, number] : of_place) most = std::max(most, number);
    if (most > 1 && of_place.size() > 1) return most;
    return ambiguous ? units.size() / 2 : units.size();
  }

  // The time of a call counts once: where rows of several lengths have calls in common, with those that save most.
  static bool shares_units(const Together& t, const std::vector<Together>& found) {
    return std::any_of(found.begin(), found.end(), [&](const Together& f) {
      if (&f == &t || f.saved() < t.saved() || (f.saved() == t.saved() && &f > &t)) return false;
      return std::any_of(t.units.begin(), t.units.end(), [&](uint32_t u) { return f.units.count(u) > 0; });
    });
  }

  static void join(Together t, std::vector<Together>* found) {
    for (Together& f : *found) {
      const bool common = std::any_of(t.units.begin(), t.units.end(), [&](uint32_t u) { return f.units.count(u) > 0; });
      if (f.exchanges != t.exchanges || !common) continue;
      f.units.insert(t.units.begin(), t.units.end());
      f.processes.insert(t.processes.begin(), t.processes.end());
      f.messages += t.messages;
      f.computed_ns += t.computed_ns;
      return;
    }
    found->push_back(std::move(t));
  }

  std::set<uint32_t> participants(const Together& t) const {
    std::set<uint32_t> processes;
    for (const uint32_t u : t.units) {
      for (const uint32_t s : units_[u].senders) {
        for (const auto& [edge, amount] : traffic_.sites()[s].sent) processes.insert(edge.first);
      }
    }
    return processes;
  }

  Pattern pattern(const Together& t) const {
    Pattern p;
    p.name = "consecutive_exchanges";
    p.in_main_loop = true;
    p.ranks = static_cast<uint32_t>(participants(t).size());
    for (const uint32_t u : t.units) {
      p.sites.insert(p.sites.end(), units_[u].sites.begin(), units_[u].sites.end());
      for (const uint32_t s : units_[u].senders) {
        for (const auto& [edge, amount] : traffic_.sites()[s].sent) {
          p.messages += amount.messages;
          p.bytes += amount.bytes;
        }
      }
    }
    p.evidence = {{"together", static_cast<int64_t>(t.exchanges)},
                  {"messages_saved_in_step", t.saved()},
                  {"computation_between_s", t.computed_ns * 1e-9 / static_cast<double>(t.processes.size())},
                  {"assumes", std::string("independent exchanges")}};
    return p;
  }

  const Profile& profile_;
  const RunTraffic& traffic_;
  const Step& step_;
  ComputationBetween computation_;
  std::vector<Unit> units_;
  std::vector<uint32_t> unit_of_;  // by site
  std::map<std::set<SiteTraffic::Edge>, uint32_t> graphs_;
};

}  // namespace

std::vector<Pattern> consecutive_exchanges(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                                           const SourcePlaces& places, const std::set<uint32_t>& dependent) {
  if (!steps.iteration.found) return {};
  return ConsecutiveExchanges(profile, traffic, steps, places, dependent).run();
}

}  // namespace leadline::analysis
