#include "analysis/patterns/exchanges/site_sets.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/patterns/exchanges/exchange.hpp"
#include "analysis/patterns/exchanges/sets.hpp"

namespace leadline::analysis {

namespace {

using trace::CallClass;
using trace::Category;
using trace::RequestUse;

class Belonging {
 public:
  Belonging(const Profile& profile, const RunTraffic& traffic, const Steps& steps, const SourcePlaces& places)
      : profile_(profile),
        traffic_(traffic),
        steps_(steps),
        places_(places),
        main_(profile.loops().main()),
        sets_(profile.sites().size()) {}

  std::vector<SiteSet> run() {
    join_requests();
    join_copies();
    std::vector<const Step*> read = {&steps_.iteration, &steps_.first_calls};
    for (const Step& other : steps_.others) read.push_back(&other);
    for (const Step* step : read) {
      for (const StepMessage& m : step->messages) join(step->calls[m.send].site, step->calls[m.receive].site);
      for (const StepOperation& o : step->accesses.operations) {
        for (const uint32_t other : {o.opened_by, o.closed_by}) {
          if (other != StepOperation::none) join(step->calls[o.call].site, step->calls[other].site);
        }
      }
      for (const StepExposure& x : step->accesses.exposures) join(step->calls[x.posted].site, step->calls[x.call].site);
    }
    std::map<uint32_t, SiteSet> by_set;
    for (uint32_t s = 0; s < profile_.sites().size(); ++s) {
      if (!concerned(s)) continue;
      SiteSet& set = by_set[sets_.find(s)];
      set.sites.push_back(s);
      set.sends |= !traffic_.sites()[s].sent.empty();
      set.in_main_loop |= in_main(s);
      set.one_sided |= one_sided(s);
    }
    std::vector<SiteSet> all;
    for (auto& [number, set] : by_set) all.push_back(std::move(set));
    return all;
  }

 private:
  const trace::Function& function(uint32_t site) const { return profile_.functions()[profile_.sites()[site].function]; }
  bool in_main(uint32_t site) const {
    return main_ && traffic_.sites()[site].loop && profile_.loops().within(traffic_.sites()[site].loop, main_);
  }
  bool one_sided(uint32_t site) const { return category_of(function(site).cls) == Category::one_sided; }
  // Atomic operations are a kind of synchronisation, not an exchange.
  bool concerned(uint32_t site) const {
    if (profile_.sites()[site].local) return false;
    const Category category = category_of(function(site).cls);
    if (category == Category::one_sided)
      return function(site).cls == CallClass::rma_sync || access_of(function(site)) != Access::none;
    return category == Category::point_to_point || category == Category::completion;
  }

  void join(uint32_t a, uint32_t b) {
    const size_t n = profile_.sites().size();
    if (a < n && b < n && concerned(a) && concerned(b) && in_main(a) == in_main(b)) sets_.join(a, b);
  }

  void join_requests() {
    for (uint32_t s = 0; s < profile_.sites().size(); ++s) {
      if (!concerned(s)) continue;
      const bool both = completes_both(s);
      for (const uint32_t maker : traffic_.sites()[s].completes) {
        if (both && one_sided(maker)) continue;
        const bool created = trace::facts_of(function(maker).cls).requests == RequestUse::creates;
        if (concerned(maker) && (created || in_main(maker) == in_main(s))) sets_.join(maker, s);
      }
    }
  }

  // Copies of one synchronisation that a compiler made count as one: ranks may go through different copies.
  void join_copies() {
    std::map<uint32_t, uint32_t> first;  // by place in the source
    for (uint32_t s = 0; s < places_.lines.size() && s < profile_.sites().size(); ++s) {
      if (one_sided(s)) join(first.try_emplace(places_.lines[s], s).first->second, s);
    }
  }

  // Whether the call completes requests of messages and of one-sided operations.
  bool completes_both(uint32_t site) const {
    const std::set<uint32_t>& makers = traffic_.sites()[site].completes;
    const auto ones = std::count_if(makers.begin(), makers.end(), [&](uint32_t m) { return one_sided(m); });
    return ones > 0 && static_cast<size_t>(ones) < makers.size();
  }

  const Profile& profile_;
  const RunTraffic& traffic_;
  const Steps& steps_;
  const SourcePlaces& places_;
  uint32_t main_;
  Sets sets_;
};

}  // namespace

std::vector<SiteSet> sets_of_sites(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                                   const SourcePlaces& places) {
  return Belonging(profile, traffic, steps, places).run();
}

}  // namespace leadline::analysis
