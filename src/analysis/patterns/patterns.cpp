#include "analysis/patterns/patterns.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <variant>

#include "analysis/matching/step_reader.hpp"
#include "analysis/patterns/collectives/collective_patterns.hpp"
#include "analysis/patterns/collectives/consecutive_reductions.hpp"
#include "analysis/patterns/collectives/file_order.hpp"
#include "analysis/patterns/collectives/separate_reductions.hpp"
#include "analysis/patterns/collectives/site_patterns.hpp"
#include "analysis/patterns/exchanges/consecutive_exchanges.hpp"
#include "analysis/patterns/exchanges/exchange_patterns.hpp"
#include "analysis/patterns/exchanges/find_exchanges.hpp"
#include "analysis/patterns/exchanges/one_way.hpp"
#include "analysis/patterns/files/file_patterns.hpp"

namespace leadline::analysis {

namespace {

// Call sites of patterns whose messages wait for one another: what one brings is usually what the next passes on.
std::set<uint32_t> dependent_sites(const std::vector<Pattern>& found) {
  std::set<uint32_t> sites;
  for (const Pattern& p : found) {
    for (const char* name : {"pipeline", "ring", "master_worker", "handmade_broadcast", "handmade_reduction",
                             "changing_pairs", "all_to_one", "one_to_all"}) {
      if (p.name == name) sites.insert(p.sites.begin(), p.sites.end());
    }
  }
  return sites;
}

// The time for which sends to each process are held up because it uses files between its receives.
std::map<uint32_t, double> held_up_ns(const Profile& profile, const RunTraffic& traffic, const SourcePlaces& places,
                                      const std::vector<Exchange>& exchanges) {
  std::map<uint32_t, double> by_receiver;
  for (const Exchange& e : exchanges) {
    const std::optional<OneWay> ways = e.in_main_loop ? one_way(profile, traffic, places, e) : std::nullopt;
    if (ways && ways->uses_files) by_receiver[ways->receiver] += std::max(ways->sending_ns - ways->receiving_ns, 0.0);
  }
  return by_receiver;
}

// Ranks that send to one that writes for all wait for its files.
void say_who_waits(const std::map<uint32_t, double>& by_receiver, std::vector<Pattern>* found) {
  for (Pattern& p : *found) {
    const auto at =
        std::find_if(p.evidence.begin(), p.evidence.end(), [](const auto& e) { return e.first == "writer"; });
    if (at == p.evidence.end()) continue;
    const auto held_up = by_receiver.find(static_cast<uint32_t>(std::get<int64_t>(at->second)));
    if (held_up != by_receiver.end()) p.evidence.emplace_back("held_up_s", held_up->second * 1e-9);
  }
}

}  // namespace

struct PatternFinder::State {
  explicit State(const Profile& p)
      : profile(p),
        traffic(p),
        file_sites(p),
        file_order(p),
        iteration(p, StepReader::Part::iteration),
        first_calls(p, StepReader::Part::first_calls) {}
  const Profile& profile;
  RunTraffic traffic;
  FileSites file_sites;
  FileOrder file_order;
  StepReader iteration, first_calls;
};

PatternFinder::PatternFinder(const Profile& profile) : state_(std::make_unique<State>(profile)) {}
PatternFinder::~PatternFinder() = default;

void PatternFinder::add(const trace::Process& process, uint32_t index) {
  state_->traffic.add(process, index);
  state_->file_sites.add(process, index);
  state_->file_order.add(process, index);
  state_->iteration.add(process, index);
  state_->first_calls.add(process, index);
}

std::vector<Pattern> PatternFinder::find(const SourcePlaces& places) {
  const auto only = [](std::vector<Step> steps) { return steps.empty() ? Step{} : std::move(steps[0]); };
  std::vector<Step> iterations = state_->iteration.finish();
  Steps steps{{}, only(state_->first_calls.finish()), {}};
  for (size_t i = 0; i < iterations.size(); ++i) {
    (i ? steps.others.emplace_back() : steps.iteration) = std::move(iterations[i]);
  }
  const std::vector<Exchange> exchanges = exchanges_of(state_->profile, state_->traffic, steps, places);
  std::vector<Pattern> found;
  patterns_of_exchanges(state_->profile, state_->traffic, steps, places, exchanges, &found);
  patterns_of_collectives(state_->profile, state_->traffic, steps, &found);
  patterns_of_sites(state_->profile, state_->traffic, state_->file_order, places, &found);
  const auto take = [&found](std::vector<Pattern> more) {
    std::move(more.begin(), more.end(), std::back_inserter(found));
  };
  take(consecutive_exchanges(state_->profile, state_->traffic, steps, places, dependent_sites(found)));
  std::vector<Pattern> in_a_row = consecutive_reductions(state_->profile, state_->traffic, steps, places);
  std::set<uint32_t> in_rows;
  for (const Pattern& p : in_a_row) {
    const auto loop = [this](uint32_t site) { return state_->traffic.sites()[site].loop; };
    const bool of_one_loop =
        std::all_of(p.sites.begin(), p.sites.end(), [&](uint32_t s) { return loop(s) == loop(p.sites[0]); });
    if (of_one_loop) in_rows.insert(p.sites.begin(), p.sites.end());
  }
  take(std::move(in_a_row));
  take(separate_reductions(state_->profile, state_->traffic, steps, in_rows));
  patterns_of_files(state_->profile, state_->file_sites, &found);
  say_who_waits(held_up_ns(state_->profile, state_->traffic, places, exchanges), &found);
  for (Pattern& p : found) {
    std::sort(p.sites.begin(), p.sites.end());
    if (!p.files.empty()) continue;  // the time of those files, not of all files that the sites are used for
    for (const uint32_t s : p.sites) {
      for (const Cell& c : state_->profile.sites()[s].cells) p.time_ns += c.counts.time_ns;
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Pattern& a, const Pattern& b) { return a.time_ns > b.time_ns; });
  return found;
}

}  // namespace leadline::analysis
