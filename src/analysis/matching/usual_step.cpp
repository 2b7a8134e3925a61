#include "analysis/matching/usual_step.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace leadline::analysis {

namespace {

// Of those with the call sites of another one, the one with the most sites, and of these one of the most frequent kind;
// the first if none is like another. Steps may alternate, and some do what is rare.
size_t richest_of(const std::vector<Step>& steps) {
  std::map<std::set<uint32_t>, std::pair<size_t, size_t>> alike;  // how many, and the first of them
  for (size_t i = 0; i < steps.size(); ++i) {
    std::set<uint32_t> sites;
    for (const StepCall& c : steps[i].calls) sites.insert(c.site);
    ++alike.try_emplace(std::move(sites), 0, i).first->second.first;
  }
  std::tuple<size_t, size_t, size_t> best{0, 0, 0};  // sites, iterations, and the first one from the end
  for (const auto& [sites, found] : alike) {
    if (found.first >= 2) best = std::max(best, {sites.size(), found.first, steps.size() - found.second});
  }
  return std::get<0>(best) ? steps.size() - std::get<2>(best) : 0;
}

double lower_middle(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Of a rank that is said to compute before a call: in each of so many iterations for so long. One that lost its core
// has it again when a call returns.
constexpr size_t least_alike = 4;
constexpr double least_sure_ns = 50e3;

// Nothing takes a rank less time than it needs. If one comes from call to call so fast, and the others take no longer
// than cold caches may cost them, as they do where ranks share cores, none of them computes anything there.
constexpr double nothing_ns = 2e3;
constexpr double most_cold_ns = 20e3;

// The same call of several ranks, in their order: the call site, and how often it was passed.
using Place = std::pair<uint32_t, uint32_t>;

// No call waits longer for its core than most ranks compute before theirs.
void limit_to_most_ranks(std::vector<StepCall>* calls, bool sure) {
  struct Ranks {
    std::vector<double> gaps, least;
  };
  std::map<Place, Ranks> of_ranks;
  const auto visit = [calls](auto take) {
    std::map<uint32_t, uint32_t> passed;
    for (size_t c = 0; c < calls->size(); ++c) {
      StepCall& call = (*calls)[c];
      if (c && (call.process != (*calls)[c - 1].process || call.stream != (*calls)[c - 1].stream)) passed.clear();
      take(std::make_pair(call.site, passed[call.site]++), &call);
    }
  };
  visit([&](Place at, const StepCall* call) {
    of_ranks[at].gaps.push_back(call->gap_ns);
    of_ranks[at].least.push_back(call->least_gap_ns);
  });
  struct Usual {
    double gap_ns, least_ns, longest_ns;
  };
  const auto least_of = [](const std::vector<double>& of_all) {
    const double shortest = *std::ranges::min_element(of_all), usual = lower_middle(of_all);
    return shortest <= nothing_ns && usual <= most_cold_ns ? shortest : usual;
  };
  std::map<Place, Usual> usual;
  for (auto& [at, ranks] : of_ranks) {
    const double longest = *std::ranges::max_element(ranks.least);
    usual[at] = {lower_middle(std::move(ranks.gaps)), least_of(ranks.least), longest};
  }
  visit([&](Place at, StepCall* call) {
    call->gap_ns = std::min(call->gap_ns, usual[at].gap_ns);
    call->least_gap_ns = usual[at].least_ns;
    call->sure_gap_ns = sure && usual[at].longest_ns >= least_sure_ns ? usual[at].longest_ns : 0;
  });
}

// Gives the calls of one step the usual computation before each call where others make the same calls: one iteration
// may have lost its core.
void take_usual_gaps(std::vector<Step>* steps, size_t chosen) {
  Step& step = (*steps)[chosen];
  if (!step.timed) return;
  const auto same_call = [](const StepCall& a, const StepCall& b) {
    return a.process == b.process && a.stream == b.stream && a.site == b.site;
  };
  std::vector<const Step*> alike;
  for (const Step& s : *steps) {
    if (std::ranges::equal(s.calls, step.calls, same_call)) alike.push_back(&s);
  }
  std::vector<double> usual, least;
  for (size_t c = 0; c < step.calls.size(); ++c) {
    std::vector<double> gaps;
    for (const Step* s : alike) gaps.push_back(s->calls[c].gap_ns);
    least.push_back(*std::ranges::min_element(gaps));
    usual.push_back(lower_middle(std::move(gaps)));
  }
  for (size_t c = 0; c < usual.size(); ++c) {
    step.calls[c].gap_ns = usual[c];
    step.calls[c].least_gap_ns = least[c];
  }
  limit_to_most_ranks(&step.calls, alike.size() >= least_alike);
}

}  // namespace

std::vector<Step> usual_of(std::vector<Step> steps) {
  std::vector<size_t> chosen;
  std::set<uint32_t> seen;
  const auto news = [&seen](const Step& step) {
    if (step.unmatched) return std::ptrdiff_t{0};  // some of its calls' times were not kept
    const auto is_new = [&seen](const auto& at) { return !seen.count(at.first); };
    return std::ranges::count_if(step.sent_at, is_new) + std::ranges::count_if(step.operated_at, is_new);
  };
  for (size_t next = richest_of(steps); chosen.empty() || news(steps[next]);) {
    chosen.push_back(next);
    for (const auto& [site, of] : steps[next].sent_at) seen.insert(site);
    for (const auto& [site, of] : steps[next].operated_at) seen.insert(site);
    next = static_cast<size_t>(std::ranges::max_element(steps, {}, news) - steps.begin());
  }
  for (const size_t c : chosen) take_usual_gaps(&steps, c);
  std::vector<Step> taken;
  for (const size_t c : chosen) taken.push_back(std::move(steps[c]));
  return taken;
}

}  // namespace leadline::analysis
