#include "analysis/patterns/exchanges/one_way.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

namespace leadline::analysis {

namespace {

// The outermost loop around the call site within the main loop; the main loop if there is none, 0 outside it.
uint32_t outermost_inner_loop(const RunLoops& loops, uint32_t loop) {
  if (!loops.main() || !loop || !loops.within(loop, loops.main())) return 0;
  while (loop != loops.main() && loops.all()[loop].outer != loops.main()) loop = loops.all()[loop].outer;
  return loop;
}

bool calls_at(const GlobalSite& site, uint32_t process) {
  return std::any_of(site.cells.begin(), site.cells.end(),
                     [&](const Cell& c) { return c.process == process && c.counts.calls; });
}

bool uses_files_within(const Profile& profile, const RunTraffic& traffic, uint32_t loop, uint32_t process) {
  for (uint32_t s = 0; s < profile.sites().size(); ++s) {
    const GlobalSite& site = profile.sites()[s];
    if (site.local || category_of(profile.functions()[site.function].cls) != trace::Category::io) continue;
    const uint32_t own = traffic.sites()[s].loop;
    if (own && profile.loops().within(own, loop) && calls_at(site, process)) return true;
  }
  return false;
}

double time_ns(const Profile& profile, const std::vector<uint32_t>& sites, const std::set<uint32_t>& processes) {
  double sum = 0;
  for (const uint32_t s : sites) {
    for (const Cell& c : profile.sites()[s].cells) sum += processes.count(c.process) ? c.counts.time_ns : 0;
  }
  return sum;
}

// The call sites that receive an exchange's messages: its own; or, as the iteration that was read may lack it, those of
// the same routine on the only receiver, if they receive as many messages. Empty: unknown.
std::vector<uint32_t> receiving_sites(const Profile& profile, const RunTraffic& traffic, const SourcePlaces& places,
                                      const Exchange& e, const std::set<uint32_t>& receivers) {
  const auto receives = [&](uint32_t s) {
    const std::vector<Cell>& cells = profile.sites()[s].cells;
    return std::any_of(cells.begin(), cells.end(), [&](const Cell& c) { return receivers.count(c.process) > 0; });
  };
  std::vector<uint32_t> found;
  std::copy_if(e.sites.begin(), e.sites.end(), std::back_inserter(found), receives);
  if (!found.empty() || receivers.size() > 1) return found;
  uint64_t received = 0;
  for (uint32_t s = 0; s < std::min(profile.sites().size(), places.paths.size()); ++s) {
    const std::vector<uint32_t>& path = places.paths[s];
    const bool within = path.size() >= e.path.size() && std::equal(e.path.begin(), e.path.end(), path.begin());
    if (!within || profile.sites()[s].local || !traffic.sites()[s].receives || !receives(s)) continue;
    if (profile.sites()[s].cells.size() > 1) return {};
    received += traffic.sites()[s].receives;
    found.push_back(s);
  }
  return received == e.messages ? found : std::vector<uint32_t>{};
}

}  // namespace

std::optional<OneWay> one_way(const Profile& profile, const RunTraffic& traffic, const SourcePlaces& places,
                              const Exchange& e) {
  std::set<uint32_t> senders, receivers;
  for (const GraphEdge& edge : e.edges) {
    senders.insert(edge.from);
    receivers.insert(edge.to);
  }
  const auto both = [&](uint32_t process) { return receivers.count(process) > 0; };
  if (e.one_sided || senders.empty() || std::any_of(senders.begin(), senders.end(), both)) return {};
  const std::vector<uint32_t> receiving = receiving_sites(profile, traffic, places, e, receivers);
  if (receiving.empty()) return {};
  OneWay found;
  found.sending_ns = time_ns(profile, e.sites, senders);
  found.receiving_ns = time_ns(profile, receiving, receivers);
  if (receivers.size() > 1) return found;
  found.receiver = *receivers.begin();
  found.uses_files = std::any_of(receiving.begin(), receiving.end(), [&](uint32_t s) {
    if (!calls_at(profile.sites()[s], found.receiver)) return false;
    const uint32_t loop = outermost_inner_loop(profile.loops(), traffic.sites()[s].loop);
    return loop && uses_files_within(profile, traffic, loop, found.receiver);
  });
  return found;
}

PatternEvidence OneWay::evidence() const {
  return {{"sending_s", sending_ns * 1e-9}, {"receiving_s", receiving_ns * 1e-9}, {"receiver_uses_files", uses_files}};
}

}  // namespace leadline::analysis
