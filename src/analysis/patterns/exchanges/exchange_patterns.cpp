#include "analysis/patterns/exchanges/exchange_patterns.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "analysis/clocks.hpp"
#include "analysis/patterns/exchanges/computation_between.hpp"
#include "analysis/patterns/exchanges/one_way.hpp"
#include "analysis/patterns/exchanges/order.hpp"
#include "analysis/patterns/exchanges/packing.hpp"

namespace leadline::analysis {

namespace {

using Kind = Shape::Kind;
using trace::Category;

constexpr double most_exceptions = 0.1;           // of what a pattern is recognised by
constexpr int64_t least_bytes_to_wait = 1 << 12;  // for smaller messages, no library waits for the receiver

class Namer {
 public:
  Namer(const Profile& profile, const RunTraffic& traffic, const Steps& steps, const SourcePlaces& places,
        const std::vector<Exchange>& exchanges, std::vector<Pattern>* found)
      : profile_(profile),
        traffic_(traffic),
        steps_(steps),
        places_(places),
        exchanges_(exchanges),
        found_(found),
        computation_(profile),
        packing_(profile, traffic, steps, computation_) {
    std::vector<OwnTime> times;
    for (const ProcessSummary& p : profile.processes()) times.push_back(own_time(p.meta));
    time_ = run_time(times);
  }

  void run() {
    const std::vector<bool> named = masters();
    for (size_t i = 0; i < exchanges_.size(); ++i) {
      const Exchange& e = exchanges_[i];
      Ordering order = ordering_of(e, steps_.of(e), time_, computation_);
      if (e.one_sided && !order.between) {  // the step may be one of some ranks only
        const Ordering early = ordering_of(e, steps_.first_calls, time_, computation_);
        order.passes_on = early.passes_on;
        order.passing_ns = early.passing_ns;
      }
      const size_t first = found_->size();
      const std::optional<OneWay> ways = one_way(profile_, traffic_, places_, e);
      const bool dependent = named[i] || name(e, order);
      if (!named[i]) details(e, order, dependent, first);
      if (e.wildcards) wildcards(e);
      for (size_t p = first; p < found_->size(); ++p) {
        PatternEvidence& told = (*found_)[p].evidence;
        if (e.one_sided) told.emplace_back("one_sided", operations(e));
        if (!ways || ((*found_)[p].name != "packable_messages" && (*found_)[p].name != "all_to_one")) continue;
        const PatternEvidence more = ways->evidence();
        told.insert(told.end(), more.begin(), more.end());
      }
    }
  }

 private:
  static Pattern base(const Exchange& e) {
    Pattern p;
    p.sites = e.sites;
    p.in_main_loop = e.in_main_loop;
    p.ranks = e.shape.nodes;
    p.messages = e.messages;
    p.bytes = e.bytes;
    return p;
  }
  static Pattern pattern(const char* name, const Exchange& e) {
    Pattern p = base(e);
    p.name = name;
    return p;
  }

  void add(Pattern p) { found_->push_back(std::move(p)); }

  static std::string operations(const Exchange& e) {
    if (e.accesses.size() != 1) return "operations";
    constexpr const char* names[] = {"", "puts", "gets", "accumulates"};
    return names[static_cast<size_t>(*e.accesses.begin())];
  }
  const trace::Function& function_at(uint32_t site) const {
    return profile_.functions()[profile_.sites()[site].function];
  }

  std::set<int64_t> halo_widths(const Exchange& e) const {
    std::set<int64_t> widths;
    for (const uint32_t s : e.sites) {
      const std::set<int64_t>& told = traffic_.sites()[s].halo_widths;
      widths.insert(told.begin(), told.end());
    }
    return widths;
  }

  static std::vector<int64_t> numbers(const auto& values) { return {values.begin(), values.end()}; }

  // Pairs each gather from anyone with the scatter of the same rank that is nearest to it in the program.
  std::vector<bool> masters() {
    std::vector<bool> named(exchanges_.size());
    for (size_t i = 0; i < exchanges_.size(); ++i) {
      const Exchange& from = exchanges_[i];
      size_t best = exchanges_.size(), most = 0;
      for (size_t j = 0; j < exchanges_.size(); ++j) {
        const Exchange& to = exchanges_[j];
        if (named[j] || to.in_main_loop != from.in_main_loop) continue;
        const auto ends = std::mismatch(from.path.begin(), from.path.end(), to.path.begin(), to.path.end());
        const auto common = static_cast<size_t>(ends.first - from.path.begin()) + 1;
        if (common > most && is_pair(from, to)) most = common, best = j;
      }
      if (named[i] || best == exchanges_.size()) continue;
      named[i] = named[best] = true;
      master_and_workers(from, exchanges_[best]);
    }
    return named;
  }

  bool is_pair(const Exchange& to_one, const Exchange& from_one) const {
    const bool apart = to_one.shape.kind == Kind::gather && from_one.shape.kind == Kind::scatter &&
                       to_one.shape.root == from_one.shape.root;
    const bool both = &to_one == &from_one && to_one.shape.kind == Kind::exchange_with_one;
    return (apart || both) && to_one.wildcards && replies(to_one.sites, from_one.sites, steps_.of(to_one));
  }

  // A coordinator receives from anyone and sends each rank in turn its next piece of work.
  void master_and_workers(const Exchange& to_one, const Exchange& from_one) {
    Pattern p = pattern("master_worker", to_one);
    if (&to_one != &from_one) {
      p.sites.insert(p.sites.end(), from_one.sites.begin(), from_one.sites.end());
      p.messages += from_one.messages;
      p.bytes += from_one.bytes;
    }
    uint64_t least = UINT64_MAX, most = 0;
    for (const GraphEdge& e : from_one.edges) {
      if (e.from != from_one.shape.root) continue;
      least = std::min(least, e.messages);
      most = std::max(most, e.messages);
    }
    p.evidence = {{"master", int64_t{to_one.shape.root}},
                  {"least_messages_to_a_worker", static_cast<int64_t>(least)},
                  {"most_messages_to_a_worker", static_cast<int64_t>(most)}};
    add(std::move(p));
  }

  // Returns whether messages wait for one another, so that they cannot travel together.
  bool name(const Exchange& e, const Ordering& o) {
    const Shape& s = e.shape;
    const bool grid = s.kind == Kind::grid || s.kind == Kind::upwind;
    if (grid && s.nodes > 2 && o.known && o.passes_on >= 1 - most_exceptions) {
      Pattern p = pattern("pipeline", e);
      p.evidence = {{"dims", numbers(s.dims)},
                    {"both_ways", s.kind == Kind::grid},
                    {"computation_between_s", o.passing_ns * 1e-9}};
      add(std::move(p));
      return true;
    }
    if (changes_pairs(e, o)) {
      add(pattern("changing_pairs", e));
      return false;
    }
    switch (s.kind) {
      case Kind::grid:
      case Kind::upwind: {
        if (s.kind == Kind::upwind && s.nodes < 3) return false;
        Pattern p = pattern("nearest_neighbour", e);
        p.evidence = {{"dims", numbers(s.dims)},
                      {"periodic", numbers(s.periodic)},
                      {"corners", s.corners},
                      {"one_way", s.kind == Kind::upwind},
                      {"groups", static_cast<int64_t>(e.groups)},
                      {"neighbours", int64_t{s.most_degree}}};
        if (const std::set<int64_t> widths = halo_widths(e); !widths.empty())
          p.evidence.emplace_back("halo_width", numbers(widths));
        add(std::move(p));
        return false;
      }
      case Kind::ring: {
        Pattern p = pattern("ring", e);
        p.evidence = {{"groups", static_cast<int64_t>(e.groups)}, {"rounds", per_step(e, s.nodes)}};
        add(std::move(p));
        return true;  // usually the data passed on is the data received
      }
      case Kind::gather:
        return rooted("all_to_one", e);
      case Kind::scatter:
        return rooted("one_to_all", e);
      case Kind::exchange_with_one:
        rooted("all_to_one", e);
        return rooted("one_to_all", e);
      case Kind::tree_down:
        return rooted("handmade_broadcast", e);
      case Kind::tree_up:
        rooted("handmade_reduction", e);
        return true;
      case Kind::hypercube: {
        Pattern p = pattern("handmade_reduction", e);
        p.evidence = {{"groups", static_cast<int64_t>(e.groups)}};
        add(std::move(p));
        return true;
      }
      case Kind::complete: {
        Pattern p = pattern(s.certain ? "handmade_alltoall" : "all_with_all", e);
        p.evidence = {{"messages_between_two", per_step(e, s.nodes * (s.nodes - 1))}};
        if (!s.certain) p.evidence.emplace_back("ranks_to_tell", int64_t{Shape::ranks_to_tell});
        add(std::move(p));
        return false;
      }
      case Kind::cliques: {
        Pattern p = pattern("transpose", e);
        p.evidence = {{"groups", int64_t{s.dims[0]}}, {"ranks_of_a_group", int64_t{s.dims[1]}}};
        add(std::move(p));
        return false;
      }
      case Kind::transposed: {
        Pattern p = pattern("transpose", e);
        p.evidence = {{"side", int64_t{s.dims[0]}}};
        add(std::move(p));
        return false;
      }
      case Kind::irregular: {
        if (s.nodes < 4 || s.most_degree < 2) return false;
        Pattern p = pattern("irregular", e);
        p.evidence = {{"least_partners", int64_t{s.least_degree}}, {"most_partners", int64_t{s.most_degree}}};
        add(std::move(p));
        return false;
      }
      case Kind::none:
        return true;
    }
    return true;
  }

  // Ranks meet in pairs, in every iteration others: over the run, some rank has had several partners.
  static bool changes_pairs(const Exchange& e, const Ordering& o) {
    const Shape& s = e.shape;
    const bool any = s.kind == Kind::irregular || s.kind == Kind::complete || s.kind == Kind::cliques ||
                     (s.kind == Kind::grid && s.corners);
    return any && !e.one_sided && e.in_main_loop && s.most_degree > 1 && o.known && o.in_pairs;
  }

  bool rooted(const char* name, const Exchange& e) {
    Pattern p = pattern(name, e);
    p.evidence = {{"root", int64_t{e.shape.root}}};
    add(std::move(p));
    return e.shape.kind == Kind::tree_down || e.shape.kind == Kind::tree_up;
  }

  uint64_t steps() const { return profile_.loops().main() ? profile_.loops().iterations(profile_.loops().main()) : 0; }

  // In a step, from each of so many pairs or nodes.
  double per_step(const Exchange& e, uint64_t of) const {
    const uint64_t n = e.in_main_loop ? std::max<uint64_t>(steps(), 1) : 1;
    return static_cast<double>(e.messages) / static_cast<double>(n * std::max<uint64_t>(of, 1));
  }

  static int64_t mean_bytes(const Exchange& e) { return e.messages ? e.bytes / static_cast<int64_t>(e.messages) : 0; }

  // `first`: of the exchange's patterns among those found.
  void details(const Exchange& e, const Ordering& o, bool dependent, size_t first) {
    // In one epoch, operations do not depend on one another.
    if (!dependent || e.one_sided) {
      if (std::optional<Pattern> p = packing_.messages(e, o, dependent, per_step(e, e.edges.size()), base(e)))
        add(std::move(*p));
    }
    if (!o.known) return;
    if (!dependent && o.blocking_sends && mean_bytes(e) >= least_bytes_to_wait && e.shape.nodes > 2 &&
        (o.chain == 0 || (o.chain >= 2 * o.chain_posted && o.chain > 2)))
      serialised(e, o, first);
    if (o.nonblocking && overlaps_nothing(o.overlapped_by_process, o.completing_ns)) {
      Pattern p = pattern("no_overlap", e);
      p.evidence = {{"overlapped_s_in_step", o.overlapped_ns * 1e-9}, {"completing_s_in_step", o.completing_ns * 1e-9}};
      add(std::move(p));
    }
    if (2 * o.large_unexpected > o.large) {
      Pattern p = pattern("unexpected_large", e);
      p.evidence = {{"large_in_step", static_cast<int64_t>(o.large)},
                    {"unexpected_in_step", static_cast<int64_t>(o.large_unexpected)},
                    {"large_bytes", int64_t{Ordering::large_bytes}}};
      add(std::move(p));
    }
  }

  // If one rank sends to all or receives from all, its calls follow one another for that reason: one pattern, not two.
  void serialised(const Exchange& e, const Ordering& o, size_t first) {
    const PatternEvidence order = {{"chain", static_cast<int64_t>(o.chain)},
                                   {"chain_if_posted_first", static_cast<int64_t>(o.chain_posted)},
                                   {"chain_if_buffered", static_cast<int64_t>(o.chain_buffered)},
                                   {"needs_buffering", o.chain == 0}};
    bool explained = false;
    for (size_t i = first; i < found_->size(); ++i) {
      Pattern& p = (*found_)[i];
      if (p.name != "all_to_one" && p.name != "one_to_all") continue;
      p.evidence.insert(p.evidence.end(), order.begin(), order.end());
      explained = true;
    }
    if (explained) return;
    Pattern p = pattern("serialised_order", e);
    p.evidence = order;
    add(std::move(p));
  }

  void wildcards(const Exchange& e) {
    Pattern p = pattern("wildcard_receive", e);
    uint64_t receives = 0, any = 0;
    std::set<uint32_t> receivers;
    p.sites.clear();
    for (const uint32_t s : e.sites) {
      const SiteTraffic& t = traffic_.sites()[s];
      receives += t.receives;
      any += t.wildcards;
      receivers.insert(t.wildcard_receivers.begin(), t.wildcard_receivers.end());
      if (t.wildcards) p.sites.push_back(s);
    }
    p.messages = any;
    p.ranks = static_cast<uint32_t>(receivers.size());
    p.evidence = {{"receives", static_cast<int64_t>(receives)}, {"from_anyone", static_cast<int64_t>(any)}};
    add(std::move(p));
  }

  const Profile& profile_;
  const RunTraffic& traffic_;
  const Steps& steps_;
  const SourcePlaces& places_;
  const std::vector<Exchange>& exchanges_;
  std::vector<Pattern>* found_;
  ComputationBetween computation_;
  Packing packing_;
  RunTime time_;
};

}  // namespace

void patterns_of_exchanges(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                           const SourcePlaces& places, const std::vector<Exchange>& exchanges,
                           std::vector<Pattern>* found) {
  Namer(profile, traffic, steps, places, exchanges, found).run();
}

}  // namespace leadline::analysis
