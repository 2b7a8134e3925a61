#include "analysis/phases/occurrences.hpp"

#include <map>
#include <unordered_map>

#include "trace/saturating.hpp"
#include "trace/structure.hpp"

namespace leadline::analysis {

namespace {

using structure::Element;
using structure::Item;
using structure::LoopInstance;
using structure::LoopTree;
using structure::Sequence;
using trace::saturating_product;
using trace::saturating_sum;

constexpr uint64_t most_runs = 100000;  // of equal iterations

using Calls = std::vector<std::pair<uint32_t, uint64_t>>;  // of each call site, by its number

class Visitor {
 public:
  Visitor(const LoopTree& tree, const trace::Stream& stream, uint32_t main)
      : tree_(tree), stream_(stream), main_(main), leads_(tree.sequences.size()) {
    found_.sites.resize(stream.sites.size());
    for (Sequence s = 1; main && s < tree.sequences.size(); ++s) {
      for (const Element& e : tree.sequences.elements(s)) leads_[s] = leads_[s] || leads(e);
    }
  }

  ThreadOccurrences run() {
    visit(tree_.root);
    return std::move(found_);
  }

 private:
  // Whether the main loop is among what the element stands for.
  bool leads(const Element& e) const {
    if (e.is_sequence) return leads_[e.id];
    const Item item(e.id);
    if (item.kind() == Item::Kind::variant) return leads_[item.index()];
    if (item.kind() != Item::Kind::instance) return false;
    const LoopInstance& instance = tree_.instances[item.index()];
    return instance.loop == main_ || leads_[instance.iterations];
  }

  void visit(Sequence s) {
    for (const Element& e : tree_.sequences.elements(s)) {
      if (!main_ || !leads(e)) {
        count(e, e.times);
        continue;
      }
      for (uint64_t i = 0; i < e.times && found_.complete; ++i) {
        const Item item(e.id);
        if (e.is_sequence) {
          visit(static_cast<Sequence>(e.id));
        } else if (item.kind() == Item::Kind::variant) {
          visit(item.index());
        } else if (tree_.instances[item.index()].loop == main_) {
          passed_ = true;
          iterate(tree_.instances[item.index()].iterations);
        } else {
          visit(tree_.instances[item.index()].iterations);
        }
      }
    }
  }

  void iterate(Sequence s) {
    for (const Element& e : tree_.sequences.elements(s)) {
      if (!e.is_sequence) {
        iterations(Item(e.id).index(), e.times);
        continue;
      }
      for (uint64_t i = 0; i < e.times && found_.complete; ++i) iterate(static_cast<Sequence>(e.id));
    }
  }

  void iterations(Sequence body, uint64_t times) {
    for (const auto& [site, calls] : calls_of(body)) {
      Stretches& stretches = found_.sites[site].iterations;
      if (!stretches.empty() && stretches.back().first + stretches.back().second == found_.iterations) {
        stretches.back().second += times;
      } else {
        stretches.emplace_back(found_.iterations, times);
      }
    }
    found_.iterations += times;
    if (++runs_ > most_runs) found_.complete = false;
  }

  // Counts the calls of what is outside the main loop.
  void count(const Element& e, uint64_t times) {
    if (e.is_sequence) {
      for (const Element& inner : tree_.sequences.elements(static_cast<Sequence>(e.id)))
        count(inner, saturating_product(inner.times, times));
      return;
    }
    const Item item(e.id);
    if (item.kind() == Item::Kind::call) {
      const uint32_t site = tree_.calls[item.index()].key.site;
      if (site >= found_.sites.size()) return;
      uint64_t& calls = passed_ ? found_.sites[site].after : found_.sites[site].before;
      calls = saturating_sum(calls, times);
      return;
    }
    Sequence s = 0;
    if (item.kind() == Item::Kind::instance) s = tree_.instances[item.index()].iterations;
    if (item.kind() == Item::Kind::variant) s = item.index();
    for (const auto& [site, each] : calls_of(s)) {
      uint64_t& calls = passed_ ? found_.sites[site].after : found_.sites[site].before;
      calls = saturating_sum(calls, saturating_product(each, times));
    }
  }

  // The call sites that a sequence reaches, ascending, and how often it calls each.
  const Calls& calls_of(Sequence s) {
    const auto known = calls_.find(s);
    if (known != calls_.end()) return known->second;
    std::map<uint32_t, uint64_t> all;
    const auto add = [&](uint32_t site, uint64_t calls) { all[site] = saturating_sum(all[site], calls); };
    for (const Element& e : tree_.sequences.elements(s)) {
      const Item item(e.id);
      Sequence inner = 0;
      if (e.is_sequence) {
        inner = static_cast<Sequence>(e.id);
      } else if (item.kind() == Item::Kind::call) {
        const uint32_t site = tree_.calls[item.index()].key.site;
        if (site < found_.sites.size()) add(site, e.times);
      } else if (item.kind() == Item::Kind::instance) {
        inner = tree_.instances[item.index()].iterations;
      } else if (item.kind() == Item::Kind::variant) {
        inner = item.index();
      }
      if (!inner) continue;
      for (const auto& [site, each] : calls_of(inner)) add(site, saturating_product(each, e.times));
    }
    return calls_.emplace(s, Calls(all.begin(), all.end())).first->second;
  }

  const LoopTree& tree_;
  const trace::Stream& stream_;
  uint32_t main_;
  std::vector<bool> leads_;  // by sequence: the main loop is in it
  std::unordered_map<Sequence, Calls> calls_;
  ThreadOccurrences found_;
  bool passed_ = false;
  uint64_t runs_ = 0;
};

}  // namespace

ThreadOccurrences occurrences_of(const LoopTree& tree, const trace::Stream& stream, uint32_t main) {
  return Visitor(tree, stream, main).run();
}

}  // namespace leadline::analysis
