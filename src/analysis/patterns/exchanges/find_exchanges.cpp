#include "analysis/patterns/exchanges/find_exchanges.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "analysis/patterns/exchanges/operation_order.hpp"
#include "analysis/patterns/exchanges/order.hpp"
#include "analysis/patterns/exchanges/sets.hpp"
#include "analysis/patterns/exchanges/site_sets.hpp"

namespace leadline::analysis {

namespace {

using Kind = Shape::Kind;

constexpr int64_t most_reduced = 64;  // bytes of a message
constexpr size_t most_pairs = 12;     // parts of which any two are tried
constexpr double most_alike = 1.5;    // sizes of messages of one kind

// Groups of nodes that edges connect, as lists of edges.
std::vector<std::vector<GraphEdge>> connected(uint32_t nodes, const std::vector<GraphEdge>& edges) {
  Sets sets(nodes);
  for (const GraphEdge& e : edges) sets.join(e.from, e.to);
  std::map<uint32_t, std::vector<GraphEdge>> groups;
  for (const GraphEdge& e : edges) {
    if (e.from != e.to) groups[sets.find(e.from)].push_back(e);
  }
  std::vector<std::vector<GraphEdge>> all;
  for (auto& [root, own] : groups) all.push_back(std::move(own));
  return all;
}

class ExchangeFinder {
 public:
  ExchangeFinder(const Profile& profile, const RunTraffic& traffic, const Steps& steps, const SourcePlaces& places)
      : profile_(profile), traffic_(traffic), steps_(steps), places_(places) {}

  std::vector<Exchange> run() {
    std::vector<Exchange> found = elementary();
    std::vector<Exchange> whole, parts;
    size_t deepest = 0;
    for (Exchange& e : found) describe(&e);
    for (Exchange& e : found) {
      const bool of_few = e.shape.kind == Kind::hypercube || e.shape.kind == Kind::complete;
      if (const Exchange* other = of_few ? same_neighbours(e, found) : nullptr) e.shape = other->shape;
    }
    for (Exchange& e : found) {
      deepest = std::max(deepest, e.path.size());
      (is_whole(e) ? whole : parts).push_back(std::move(e));
    }
    for (size_t depth = deepest + 1; depth-- > 0 && !parts.empty();) join_parts(depth, &parts, &whole);
    for (Exchange& e : parts) whole.push_back(std::move(e));
    return join_equal(std::move(whole));
  }

 private:
  std::vector<Exchange> elementary() const {
    std::vector<Exchange> found, silent;
    for (SiteSet& set : sets_of_sites(profile_, traffic_, steps_, places_)) {
      Exchange e;
      e.sites = std::move(set.sites);
      e.in_main_loop = set.in_main_loop;
      e.one_sided = set.one_sided;
      e.path = common_path(e.sites);
      (set.sends ? found : silent).push_back(std::move(e));
    }
    // Receives whose sends are unknown belong to the only exchange of their routine that reaches their processes, in or
    // out of the main loop as they are, or else either way; synchronisations that complete no operation, to the only
    // one at their window there. Where there are several, those that expose a window belong to the one whose targets
    // they are.
    for (const Exchange& e : silent) {
      std::vector<Exchange*> candidates;
      for (Exchange& f : found) {
        if (f.path != e.path || f.one_sided != e.one_sided) continue;
        if (e.one_sided ? f.in_main_loop == e.in_main_loop && on_one_window(e, f) : sends_to_callers(f, e))
          candidates.push_back(&f);
      }
      const auto alike = [&](const Exchange* f) { return f->in_main_loop == e.in_main_loop; };
      if (std::any_of(candidates.begin(), candidates.end(), alike)) {
        std::erase_if(candidates, [&](const Exchange* f) { return !alike(f); });
      }
      if (candidates.size() > 1 && exposes(e))
        std::erase_if(candidates, [&](const Exchange* f) { return targets_of(*f) != callers_of(e); });
      if (candidates.size() != 1) continue;
      std::vector<uint32_t>& sites = candidates[0]->sites;
      sites.insert(sites.end(), e.sites.begin(), e.sites.end());
    }
    return found;
  }

  const trace::Function& function_at(uint32_t site) const {
    return profile_.functions()[profile_.sites()[site].function];
  }
  bool exposes(const Exchange& e) const {
    return std::any_of(e.sites.begin(), e.sites.end(),
                       [&](uint32_t s) { return function_at(s).name == "MPI_Win_post"; });
  }
  std::set<uint32_t> callers_of(const Exchange& e) const {
    std::set<uint32_t> processes;
    for (const uint32_t s : e.sites) {
      for (const Cell& c : profile_.sites()[s].cells) {
        if (c.counts.calls) processes.insert(c.process);
      }
    }
    return processes;
  }
  std::set<uint32_t> targets_of(const Exchange& e) const {
    std::set<uint32_t> processes;
    for (const uint32_t s : e.sites) {
      const bool gets = access_of(function_at(s)) == Access::get;
      for (const auto& [edge, amount] : traffic_.sites()[s].sent) processes.insert(gets ? edge.first : edge.second);
    }
    return processes;
  }

  // Whether a process that makes the calls of `receives` gets messages of `sends`.
  bool sends_to_callers(const Exchange& sends, const Exchange& receives) const {
    const std::set<uint32_t> to = targets_of(sends), callers = callers_of(receives);
    return std::any_of(callers.begin(), callers.end(), [&](uint32_t process) { return to.count(process) > 0; });
  }

  bool on_one_window(const Exchange& a, const Exchange& b) const {
    std::set<uint64_t> of_a;
    for (const uint32_t s : a.sites)
      of_a.insert(traffic_.sites()[s].windows.begin(), traffic_.sites()[s].windows.end());
    return std::any_of(b.sites.begin(), b.sites.end(), [&](uint32_t s) {
      const std::set<uint64_t>& of_b = traffic_.sites()[s].windows;
      return std::any_of(of_b.begin(), of_b.end(), [&](uint64_t window) { return of_a.count(window) > 0; });
    });
  }

  std::vector<uint32_t> common_path(const std::vector<uint32_t>& sites) const {
    std::vector<uint32_t> common;
    bool first = true;
    for (const uint32_t s : sites) {
      // A persistent request is created wherever, once.
      const trace::CallClass cls = function_at(s).cls;
      if (trace::facts_of(cls).requests == trace::RequestUse::creates) continue;
      static const std::vector<uint32_t> unknown;
      const std::vector<uint32_t>& path = s < places_.paths.size() ? places_.paths[s] : unknown;
      if (first) {
        common = path;
        first = false;
        continue;
      }
      size_t same = 0;
      while (same < common.size() && same < path.size() && common[same] == path[same]) ++same;
      common.resize(same);
    }
    return common;
  }

  // By process, its rank in the only communicator of all calls, if there is one; else the processes' own numbers.
  std::vector<uint32_t> numbering(const std::vector<uint32_t>& sites, const std::vector<GraphEdge>& edges) const {
    const size_t processes = profile_.processes().size();
    std::vector<uint32_t> own(processes), numbers(processes, UINT32_MAX);
    std::iota(own.begin(), own.end(), 0);
    std::set<uint64_t> communicators;
    for (const uint32_t s : sites) {
      const SiteTraffic& t = traffic_.sites()[s];
      communicators.insert(t.communicators.begin(), t.communicators.end());
      for (const auto& [process, rank] : t.ranks) numbers[process] = static_cast<uint32_t>(rank);
    }
    if (communicators.size() != 1) return own;
    for (const GraphEdge& e : edges) {
      if (numbers[e.from] >= processes || numbers[e.to] >= processes) return own;
    }
    return numbers;
  }

  void describe(Exchange* e) const {
    std::sort(e->sites.begin(), e->sites.end());
    std::map<SiteTraffic::Edge, SiteTraffic::Amount> sum;
    e->messages = 0;
    e->bytes = 0;
    for (const uint32_t s : e->sites) {
      const SiteTraffic& t = traffic_.sites()[s];
      e->wildcards |= t.wildcards > 0;
      const Access access = access_of(function_at(s));
      if (access != Access::none) e->accesses.insert(access);
      for (const auto& [edge, amount] : t.sent) {
        sum[edge].messages += amount.messages;
        sum[edge].bytes += amount.bytes;
        e->messages += amount.messages;
        e->bytes += amount.bytes;
      }
    }
    e->edges.clear();
    for (const auto& [edge, amount] : sum) e->edges.push_back({edge.first, edge.second, amount.messages, amount.bytes});
    const auto processes = static_cast<uint32_t>(profile_.processes().size());
    const std::vector<uint32_t> numbers = numbering(e->sites, e->edges);
    std::vector<GraphEdge> renumbered;
    for (const GraphEdge& edge : e->edges) {
      renumbered.push_back({numbers[edge.from], numbers[edge.to], edge.messages, edge.bytes});
    }
    // One place in the source has all the edges.
    std::map<uint32_t, std::set<SiteTraffic::Edge>> of_line;
    for (const uint32_t s : e->sites) {
      const uint32_t line = s < places_.lines.size() ? places_.lines[s] : s;
      for (const auto& [edge, amount] : traffic_.sites()[s].sent) of_line[line].insert(edge);
    }
    const bool to_all =
        std::any_of(of_line.begin(), of_line.end(), [&](const auto& l) { return l.second.size() == sum.size(); });
    e->shape = shape_of(processes, renumbered, to_all);
    e->groups = 1;
    if (e->shape.kind == Kind::irregular) same_in_groups(connected(processes, renumbered), to_all, e);
    const auto staged = [&](const Step& step) {
      return e->one_sided ? operate_in_stages(e->sites, step) : in_stages(e->sites, step);
    };
    if (to_all && is_cube(*e) && once_each(*e) && staged(steps_.of(*e))) e->shape.kind = Kind::hypercube;
    if (e->shape.kind == Kind::gather || e->shape.kind == Kind::scatter || e->shape.kind == Kind::exchange_with_one ||
        e->shape.kind == Kind::tree_down || e->shape.kind == Kind::tree_up) {
      const auto at = std::find(numbers.begin(), numbers.end(), e->shape.root);
      if (at != numbers.end()) e->shape.root = static_cast<uint32_t>(at - numbers.begin());
    }
  }

  // A grid of two points in each dimension: neighbours in a small grid, or the stages of a reduction. Both may go
  // through one dimension after the other. Only messages of a few numbers are taken for a reduction.
  static bool is_cube(const Exchange& e) {
    const Shape& s = e.shape;
    if (e.bytes > most_reduced * static_cast<int64_t>(e.messages)) return false;
    return s.kind == Kind::grid && !s.corners && s.equal_sizes && s.dims.size() > 1 &&
           std::all_of(s.dims.begin(), s.dims.end(), [](uint32_t d) { return d == 2; });
  }
  // The routine exchanges more with the same partners, in messages of other sizes: how many there will be, then the
  // data.
  static const Exchange* same_neighbours(const Exchange& e, const std::vector<Exchange>& all) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const Exchange& other) {
      return other.shape.kind == Kind::grid && other.path == e.path && other.in_main_loop == e.in_main_loop &&
             other.accesses == e.accesses &&
             std::equal(e.edges.begin(), e.edges.end(), other.edges.begin(), other.edges.end(),
                        [](const GraphEdge& a, const GraphEdge& b) { return a.from == b.from && a.to == b.to; });
    });
    return at != all.end() ? &*at : nullptr;
  }
  static bool once_each(const Exchange& e) {
    return std::all_of(e.edges.begin(), e.edges.end(),
                       [&](const GraphEdge& edge) { return edge.messages == e.edges.front().messages; });
  }

  static void same_in_groups(const std::vector<std::vector<GraphEdge>>& groups, bool to_all, Exchange* e) {
    if (groups.size() < 2) return;
    Shape same;
    for (size_t g = 0; g < groups.size(); ++g) {
      uint32_t nodes = 0;
      for (const GraphEdge& edge : groups[g]) nodes = std::max({nodes, edge.from + 1, edge.to + 1});
      const Shape shape = shape_of(nodes, groups[g], to_all);
      if (shape.kind == Kind::irregular || shape.nodes < 3) return;
      if (g == 0) same = shape;
      if (shape.kind != same.kind || shape.nodes != same.nodes || shape.dims != same.dims) return;
    }
    const uint32_t nodes = e->shape.nodes;
    e->shape = same;
    e->shape.nodes = nodes;
    e->groups = groups.size();
  }

  // Not part of a larger exchange that is still to be found.
  static bool is_whole(const Exchange& e) {
    const Kind k = e.shape.kind;
    const bool one_way = k == Kind::upwind || k == Kind::ring;
    if (k == Kind::hypercube || k == Kind::cliques || (k == Kind::grid && e.shape.dims.size() > 1)) return true;
    return e.groups == 1 && k != Kind::none && k != Kind::irregular && !one_way;
  }

  // Tries to make one shape of all the parts that have the first `depth` routines in common, or of two of them.
  void join_parts(size_t depth, std::vector<Exchange>* parts, std::vector<Exchange>* whole) const {
    std::map<std::tuple<bool, std::set<Access>, std::vector<uint32_t>>, std::vector<Exchange>> beneath;
    std::vector<Exchange> left;
    for (Exchange& e : *parts) {
      if (e.path.size() < depth) {
        left.push_back(std::move(e));
        continue;
      }
      const auto end = e.path.begin() + static_cast<std::ptrdiff_t>(depth);
      beneath[{e.in_main_loop, e.accesses, {e.path.begin(), end}}].push_back(std::move(e));
    }
    const auto keep = [&](Exchange e) { (is_whole(e) ? *whole : left).push_back(std::move(e)); };
    for (auto& [key, members] : beneath) {
      for (Exchange& e : take_apart(&members)) keep(std::move(e));
      if (std::optional<Exchange> all = joined(members)) {
        keep(std::move(*all));
        continue;
      }
      while (join_two(&members)) {
      }
      for (Exchange& e : members) keep(std::move(e));
    }
    *parts = std::move(left);
  }

  // A part that has a shape of its own, goes to partners that the others reach without it, and has messages of a size
  // that none of theirs have, does not belong to the same exchange: it is merely adjacent.
  static std::vector<Exchange> take_apart(std::vector<Exchange>* members) {
    const auto size_of = [](const Exchange& e) {
      return static_cast<double>(e.bytes) / static_cast<double>(std::max<uint64_t>(e.messages, 1));
    };
    std::vector<Exchange> apart;
    for (size_t i = 0; i < members->size() && members->size() > 2;) {
      const Exchange& own = (*members)[i];
      std::set<SiteTraffic::Edge> others;
      bool own_size = own.groups == 1 && (own.shape.kind == Kind::upwind || own.shape.kind == Kind::ring);
      for (size_t j = 0; j < members->size(); ++j) {
        if (j == i) continue;
        const double a = size_of(own), b = size_of((*members)[j]);
        own_size &= std::max(a, b) > most_alike * std::min(a, b);
        for (const GraphEdge& e : (*members)[j].edges) others.insert({e.from, e.to});
      }
      const bool reached = std::all_of(own.edges.begin(), own.edges.end(),
                                       [&](const GraphEdge& e) { return others.count({e.from, e.to}) > 0; });
      if (!own_size || !reached) {
        ++i;
        continue;
      }
      apart.push_back(std::move((*members)[i]));
      members->erase(members->begin() + static_cast<std::ptrdiff_t>(i));
    }
    return apart;
  }

  bool join_two(std::vector<Exchange>* members) const {
    if (members->size() < 3 || members->size() > most_pairs) return false;
    for (size_t i = 0; i < members->size(); ++i) {
      for (size_t j = i + 1; j < members->size(); ++j) {
        std::optional<Exchange> both = joined({(*members)[i], (*members)[j]});
        if (!both) continue;
        (*members)[i] = std::move(*both);
        members->erase(members->begin() + static_cast<std::ptrdiff_t>(j));
        return true;
      }
    }
    return false;
  }

  // The parts as one exchange, if together they have a shape that none of them has alone; otherwise they are merely
  // adjacent. Parts of one routine without any shape are one irregular exchange.
  std::optional<Exchange> joined(const std::vector<Exchange>& members) const {
    if (members.size() < 2) return {};
    Exchange all;
    all.in_main_loop = members[0].in_main_loop;
    all.one_sided = members[0].one_sided;
    for (const Exchange& e : members) all.sites.insert(all.sites.end(), e.sites.begin(), e.sites.end());
    all.path = common_path(all.sites);
    describe(&all);
    const Kind k = all.shape.kind;
    const bool shaped = all.groups == 1 && k != Kind::irregular && k != Kind::none && k != Kind::ring;
    const bool alone = std::any_of(members.begin(), members.end(), [&](const Exchange& e) {
      return e.shape.kind == k && e.shape.dims == all.shape.dims && e.groups == all.groups;
    });
    const bool irregular = k == Kind::irregular && std::all_of(members.begin(), members.end(), [&](const Exchange& e) {
                             return e.shape.kind == Kind::irregular && e.path == all.path;
                           });
    // A halo may have a routine for each dimension, but none has one for the corners alone.
    const bool one_routine =
        std::all_of(members.begin(), members.end(), [&](const Exchange& e) { return e.path == members[0].path; });
    if (!one_routine && (all.shape.corners || !may_be_dimensions(members))) return {};
    if ((shaped && !alone) || irregular) return all;
    return {};
  }

  // A routine for each dimension sends about as often as those for the others, and either all of them send both ways or
  // none.
  static bool may_be_dimensions(const std::vector<Exchange>& members) {
    constexpr double most_ratio = 6;  // some stages may need one dimension only
    double least = INFINITY, most = 0;
    size_t symmetric = 0;
    for (const Exchange& e : members) {
      const double each = static_cast<double>(e.messages) / static_cast<double>(std::max<size_t>(e.edges.size(), 1));
      least = std::min(least, each);
      most = std::max(most, each);
      std::set<SiteTraffic::Edge> there;
      for (const GraphEdge& edge : e.edges) there.insert({edge.from, edge.to});
      symmetric += std::all_of(there.begin(), there.end(), [&](const SiteTraffic::Edge& edge) {
        return there.count({edge.second, edge.first}) > 0;
      });
    }
    return most <= most_ratio * least && (symmetric == 0 || symmetric == members.size());
  }

  std::vector<Exchange> join_equal(std::vector<Exchange> all) const {
    std::vector<Exchange> joined;
    for (Exchange& e : all) {
      const auto at = std::find_if(joined.begin(), joined.end(), [&](const Exchange& j) {
        return j.in_main_loop == e.in_main_loop && j.accesses == e.accesses && j.path == e.path &&
               j.shape.kind == e.shape.kind && j.shape.dims == e.shape.dims && j.groups == e.groups &&
               j.shape.root == e.shape.root && j.shape.corners == e.shape.corners && j.wildcards == e.wildcards;
      });
      if (at == joined.end()) {
        joined.push_back(std::move(e));
        continue;
      }
      at->sites.insert(at->sites.end(), e.sites.begin(), e.sites.end());
      describe(&*at);
    }
    return joined;
  }

  const Profile& profile_;
  const RunTraffic& traffic_;
  const Steps& steps_;
  const SourcePlaces& places_;
};

}  // namespace

std::vector<Exchange> exchanges_of(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                                   const SourcePlaces& places) {
  return ExchangeFinder(profile, traffic, steps, places).run();
}

}  // namespace leadline::analysis
