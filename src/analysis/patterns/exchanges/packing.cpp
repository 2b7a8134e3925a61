#include "analysis/patterns/exchanges/packing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/patterns/exchanges/rows.hpp"

namespace leadline::analysis {

using trace::Category;

namespace {

int64_t mean_bytes(const Exchange& e) { return e.messages ? e.bytes / static_cast<int64_t>(e.messages) : 0; }

using Sends = Packing::Sends;

bool only_grow_or_shrink(const Sends& sends) {
  const auto shorter = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::is_sorted(sends.begin(), sends.end(), shorter) || std::is_sorted(sends.rbegin(), sends.rend(), shorter);
}

// Whether one of the calls `between` comes after each but the last.
bool divided(const Sends& sends, const std::vector<uint32_t>& between) {
  for (size_t i = 1; i < sends.size(); ++i) {
    const auto next = std::lower_bound(between.begin(), between.end(), sends[i - 1].first);
    if (next == between.end() || *next >= sends[i].first) return false;
  }
  return true;
}

}  // namespace

Packing::Packing(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                 const ComputationBetween& computation)
    : profile_(profile), traffic_(traffic), steps_(steps), computation_(computation) {
  for (const SiteTraffic& t : traffic.sites()) loop_of_site_.push_back(t.loop);
}

std::optional<Pattern> Packing::messages(const Exchange& e, const Ordering& o, bool dependent, double each,
                                         Pattern p) const {
  if (mean_bytes(e) > most_bytes) return {};
  p.name = "packable_messages";
  // Messages of different steps cannot be combined: only one step is read.
  const bool of_one_step = steps_.of_iteration(e) || !e.in_main_loop;
  if (const uint64_t row = o.known && of_one_step ? in_a_row(e, o) : 1; row > 1) {
    p.evidence = {{"together", static_cast<int64_t>(row)},
                  {"messages_to_a_partner_per_step", each},
                  {"assumes", std::string("nothing")}};
    return p;
  }
  if (!e.in_main_loop || dependent || may_wait_for_memory(e)) return {};
  const std::vector<uint32_t> loops = repeating_loops(e);
  if (loops.empty()) return {};
  const auto fewer = [this](uint32_t a, uint32_t b) { return fixed_iterations(a) < fixed_iterations(b); };
  const auto [least, most] = std::minmax_element(loops.begin(), loops.end(), fewer);
  const bool computes = std::any_of(loops.begin(), loops.end(), [&](uint32_t l) {
    return !ComputationBetween::is_brief(computation_.in_iteration_ns(steps_.iteration, l, loop_of_site_),
                                         mean_bytes(e));
  });
  p.evidence = {{"together", static_cast<int64_t>(fixed_iterations(*least))},
                {"messages_to_a_partner_per_step", each},
                {"loop", int64_t{loops.front()}},
                {"computes", computes},
                {"assumes", std::string("independent trips")}};
  if (loops.size() > 1) p.evidence.emplace_back("loops", std::vector<int64_t>(loops.begin(), loops.end()));
  if (fixed_iterations(*most) > fixed_iterations(*least)) p.evidence.emplace_back("together_at_least", true);
  return p;
}

// In a grid two ranks wide, both faces of a block may go to the same partner, which happens on so few ranks only. A
// dimension with more ranks shows how many messages there are for each face; without one, half of an even number is
// certain.
uint64_t Packing::in_a_row(const Exchange& e, const Ordering& o) const {
  const std::vector<uint32_t>& dims = e.shape.dims;
  const auto narrow = std::count(dims.begin(), dims.end(), 2U);
  if (e.shape.kind != Shape::Kind::grid || !narrow) return o.together;
  if (static_cast<size_t>(narrow) < dims.size()) return o.together_least;
  return o.together % 2 ? o.together : o.together / 2;
}

// A loop of many iterations, few times entered, that has nearly all the time of the main loop around it and computes in
// each iteration, makes the steps itself: what one step sends depends on the one before. If iterations of the main loop
// go unseen, how many of this loop's are in one is unknown: all count.
bool Packing::may_be_the_step(uint32_t loop, int64_t bytes) const {
  constexpr double nearly_all = 0.8;
  constexpr uint64_t least_steps = 100, least_per_entry = 4;
  const RunLoops& loops = profile_.loops();
  const uint64_t steps = loops.all()[loops.main()].silent ? loops.iterations(loop) : fixed_iterations(loop);
  if (steps < least_steps || steps < least_per_entry * loops.iterations(loops.main())) return false;
  if (loops.time_ns(loop) < nearly_all * loops.time_ns(loops.main())) return false;
  return !ComputationBetween::is_brief(computation_.in_iteration_ns(steps_.iteration, loop, loop_of_site_), bytes);
}

// A loop whose messages go one way only and that computes in each iteration: one rank computes the next part while the
// other one computes what it has got, as in a sweep over planes. One message for all would make it wait for all.
bool Packing::passes_on(uint32_t loop, int64_t bytes) const {
  if (ComputationBetween::is_copying(computation_.in_iteration_ns(steps_.iteration, loop, loop_of_site_), bytes))
    return false;
  std::set<SiteTraffic::Edge> edges;
  for (uint32_t s = 0; s < loop_of_site_.size(); ++s) {
    if (!loop_of_site_[s] || !profile_.loops().within(loop_of_site_[s], loop)) continue;
    for (const auto& [edge, amount] : traffic_.sites()[s].sent) edges.insert(edge);
  }
  return std::none_of(edges.begin(), edges.end(), [&](const auto& e) { return edges.count({e.second, e.first}) > 0; });
}

// Iterations of the outer loop that compute, and send something else as well, are stages of a step, in each of which
// the inner loop goes over fields. An inner loop of two iterations may be over the faces of a block.
bool Packing::has_other_messages(const Exchange& e, uint32_t outer, uint32_t inner) const {
  constexpr uint64_t faces = 2;
  if (fixed_iterations(inner) <= faces) return false;
  if (ComputationBetween::is_brief(computation_.in_iteration_ns(steps_.iteration, outer, loop_of_site_), mean_bytes(e)))
    return false;
  for (uint32_t s = 0; s < loop_of_site_.size(); ++s) {
    if (traffic_.sites()[s].sent.empty() || !loop_of_site_[s]) continue;
    const RunLoops& loops = profile_.loops();
    if (loops.within(loop_of_site_[s], outer) && !loops.within(loop_of_site_[s], inner)) return true;
  }
  return false;
}

// Whether a loop within, which sends as well, has another number of iterations in some of them, as the short steps in
// the stages of a step: then they are no fields of one kind, and each stage needs what the one before it brought.
bool Packing::has_unlike_iterations(uint32_t loop) const {
  const RunLoops& loops = profile_.loops();
  const auto is_unlike = [](const LoopCell& c) { return c.entries && c.iterations() % c.entries; };
  for (uint32_t s = 0; s < loop_of_site_.size(); ++s) {
    if (traffic_.sites()[s].sent.empty()) continue;
    for (uint32_t l = loop_of_site_[s]; l && l != loop && loops.within(l, loop); l = loops.all()[l].outer) {
      const std::vector<LoopCell>& cells = loops.all()[l].cells;
      if (!loops.all()[l].silent && std::any_of(cells.begin(), cells.end(), is_unlike)) return true;
    }
  }
  return false;
}

// If no fence orders them, a rank may wait for what others put into its memory, which no call shows.
bool Packing::may_wait_for_memory(const Exchange& e) const {
  return std::any_of(e.sites.begin(), e.sites.end(), [&](uint32_t s) {
    const trace::Function& f = profile_.functions()[profile_.sites()[s].function];
    return f.cls == trace::CallClass::rma_sync && f.name != "MPI_Win_fence";
  });
}

// The outermost loops within the step that sends of the exchange are in, that have as many iterations each time, and
// that have no collective: what their iterations send to one partner could be one message if no iteration needs what an
// earlier one received. All sends but a few must be in such a loop: the same one, as a rule, or copies of it, or one
// for each face of a block.
std::vector<uint32_t> Packing::repeating_loops(const Exchange& e) const {
  constexpr double few = 0.05;
  const auto& dims = e.shape.dims;
  const bool narrow = e.shape.kind == Shape::Kind::grid && std::count(dims.begin(), dims.end(), 2U) > 0;
  std::vector<uint32_t> found;
  uint64_t without = 0, all = 0;
  for (const uint32_t s : e.sites) {
    const SiteTraffic& t = traffic_.sites()[s];
    if (t.sent.empty()) continue;
    if (of_several_grids(e, s)) return {};
    uint64_t messages = 0;
    for (const auto& [edge, amount] : t.sent) messages += amount.messages;
    all += messages;
    const uint32_t loop = outermost_loop(e, t, messages);
    if (narrow && loop && fixed_iterations(loop) == 2) return {};  // over the two faces of a block
    if (!loop) {
      without += messages;
    } else if (std::find(found.begin(), found.end(), loop) == found.end()) {
      found.push_back(loop);
    }
  }
  if (static_cast<double>(without) > few * static_cast<double>(all)) return {};
  return found;
}

uint32_t Packing::outermost_loop(const Exchange& e, const SiteTraffic& site, uint64_t messages) const {
  const RunLoops& loops = profile_.loops();
  const double to_each = static_cast<double>(messages) / static_cast<double>(site.sent.size());
  uint32_t outermost = 0;
  for (uint32_t l = site.loop; l && l != loops.main(); l = loops.all()[l].outer) {
    // In each of its iterations, to each partner.
    const double rest = fixed_iterations(l) > 1 ? to_each / static_cast<double>(loops.iterations(l)) : 0;
    if (rest < 0.99 || std::abs(rest - std::round(rest)) > 0.01 || collective_within(l) || has_unlike_iterations(l) ||
        may_be_the_step(l, mean_bytes(e)) || passes_on(l, mean_bytes(e)))
      continue;
    if (outermost && has_other_messages(e, l, outermost)) break;
    outermost = l;
  }
  return outermost;
}

// Whether the site's messages in one step are those of a cycle over grids, of which each needs what the one before
// brought: they have three sizes or more, each at least half as long again as the one before, and something is received
// between them and sizes only grow or shrink, or the program computes between them. Iterations that do not depend on
// one another mostly send about as much.
bool Packing::of_several_grids(const Exchange& e, uint32_t site) const {
  const Step& step = steps_.of(e);
  const auto sent = step.sent_at.find(site);
  if (sent == step.sent_at.end()) return false;
  std::map<SiteTraffic::Edge, Sends> sends;
  std::set<int64_t> sizes;
  for (const uint32_t number : sent->second) {
    const StepMessage& m = step.messages[number];
    const uint32_t from = step.calls[m.send].process, to = step.calls[m.receive].process;
    if (from == to) continue;
    sends[{from, to}].emplace_back(m.send, m.bytes);
    sizes.insert(m.bytes);
  }
  constexpr size_t least_sizes = 3;
  const auto alike = [](int64_t shorter, int64_t longer) { return 2 * longer < 3 * shorter; };
  if (sizes.size() < least_sizes || std::adjacent_find(sizes.begin(), sizes.end(), alike) != sizes.end()) return false;
  const std::vector<uint32_t> news = arrivals(step);
  for (auto& [edge, calls] : sends) std::sort(calls.begin(), calls.end());
  const bool in_turn = std::all_of(sends.begin(), sends.end(), [&](const auto& edge) {
    return only_grow_or_shrink(edge.second) && divided(edge.second, news);
  });
  return in_turn || (step.timed && computes_between(step, sends, mean_bytes(e)));
}

// Whether the program computes between most of these messages to one partner: what it sends next it may have computed
// from what it received.
bool Packing::computes_between(const Step& step, const std::map<SiteTraffic::Edge, Sends>& sends, int64_t bytes) const {
  std::vector<double> between;
  for (const auto& [edge, calls] : sends) {
    for (size_t c = 1; c < calls.size(); ++c) {
      const uint32_t from = calls[c - 1].first, to = calls[c].first;
      if (step.calls[from].stream == step.calls[to].stream) between.push_back(computation_.ns(step, from, to));
    }
  }
  return !between.empty() && !ComputationBetween::is_copying(middle(between), bytes);
}

// The iterations of the loop each time it is entered; 0 if they differ or are unknown. Where iterations of the loop
// around it may go unseen, it is entered more often than is seen: iterations are multiples of the true number.
uint64_t Packing::fixed_iterations(uint32_t loop) const {
  const RunLoop& l = profile_.loops().all()[loop];
  if (l.silent) return 0;
  const structure::LoopShape shape = profile_.loops().shape(loop);
  const auto all = [&](auto holds) { return std::all_of(l.cells.begin(), l.cells.end(), holds); };
  if (all([&](const LoopCell& c) { return c.iterations() == c.entries * shape.most; })) return shape.most;
  const uint64_t few = shape.fewest;
  if (!l.outer || !profile_.loops().all()[l.outer].silent || !few || shape.usual % few || shape.most % few) return 0;
  return all([&](const LoopCell& c) { return c.iterations() % few == 0; }) ? few : 0;
}

bool Packing::collective_within(uint32_t loop) const {
  for (uint32_t s = 0; s < profile_.sites().size(); ++s) {
    const GlobalSite& site = profile_.sites()[s];
    if (site.local || !profile_.loops().within(traffic_.sites()[s].loop, loop)) continue;
    if (category_of(profile_.functions()[site.function].cls) == Category::collective) return true;
  }
  return false;
}

}  // namespace leadline::analysis
