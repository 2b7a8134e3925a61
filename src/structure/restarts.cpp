#include "structure/restarts.hpp"

#include <algorithm>
#include <map>

#include "structure/period.hpp"
#include "trace/hash.hpp"
#include "trace/saturating.hpp"

namespace leadline::structure {

namespace {

using trace::saturating_product;
using trace::saturating_sum;

// Bodies that are examined one by one, of all instances of a thread. More are not a step that a person looks for.
constexpr uint64_t most_restarted = uint64_t{1} << 18;

// Which calls a sequence makes, in any order: which requests they complete, and in which order, differs by chance, and
// programs may number their messages by tags.
std::vector<uint64_t> contents(const LoopTree& tree) {
  std::vector<uint64_t> of(tree.sequences.size());
  for (Sequence s = 1; s < of.size(); ++s) {
    for (const Element& e : tree.sequences.elements(s)) {
      const Item item(e.id);
      uint64_t one = 0;
      if (e.is_sequence) {
        one = of[e.id];
      } else if (item.kind() == Item::Kind::call) {
        const trace::Key& k = tree.calls[item.index()].key;
        one = trace::mix(trace::mix(trace::mix(0x5eed, k.site), static_cast<uint64_t>(k.count)),
                         static_cast<uint64_t>(static_cast<uint32_t>(k.peer)) << 32 | k.datatype);
      } else if (item.kind() == Item::Kind::instance) {
        one = of[tree.instances[item.index()].iterations];
      } else if (item.kind() == Item::Kind::variant) {
        one = of[item.index()];
      }
      of[s] += one * e.times;
    }
  }
  return of;
}

class Periods {
 public:
  explicit Periods(const LoopTree& tree) : tree_(tree), contents_(contents(tree)) {}

  // How often the iterations restart, and after how many; {0, 0}: they do not, or there are too many of them.
  Restarts of(Sequence iterations) {
    const uint64_t n = tree_.sequences.items(iterations);
    if (n > left_) return {};
    left_ -= n;
    expanded_.clear();
    expand(iterations);
    if (n == 1) return {1, 1};
    const size_t whole = period_of(expanded_);
    if (n % whole == 0 && whole < n) return {n / whole, whole};
    // Where one iteration of the outer loop ends and the next begins, the last iteration and the first may look like
    // one: then the first and the last of all iterations are unlike the others.
    const std::vector<uint64_t> within(expanded_.begin() + 1, expanded_.end() - 1);
    if (within.size() < 4) return {1, n};
    const size_t p = period_of(within);
    if (within.size() < 2 * p) return {1, n};
    if (n % p == 0) return {n / p, p};
    if ((n - 1) % p == 0) return {(n - 1) / p, p};
    return {};
  }

 private:
  void expand(Sequence sequence) {
    for (const Element& e : tree_.sequences.elements(sequence)) {
      for (uint64_t n = 0; n < e.times; ++n) {
        if (e.is_sequence) {
          expand(static_cast<Sequence>(e.id));
        } else {
          expanded_.push_back(contents_[Item(e.id).index()]);
        }
      }
    }
  }

  const LoopTree& tree_;
  std::vector<uint64_t> contents_, expanded_;
  uint64_t left_ = most_restarted;
};

// What all instances of one inner loop show together.
struct Inner {
  uint64_t times = 0, iterations = 0, calls = 0;
  uint64_t all = 0, fewest = UINT64_MAX, most = 0;  // per instance
  bool known = true, alike = true, uniform = true;

  void add(const Restarts& r, uint64_t items, uint64_t occur) {
    uniform &= r.iterations == 1;
    all = saturating_sum(all, saturating_product(items, occur));
    fewest = std::min(fewest, items);
    most = std::max(most, items);
    // A period of one iteration says nothing: all iterations are alike.
    known &= r.times == 1 || r.iterations > 1;
    times = saturating_sum(times, saturating_product(r.times, occur));
    if (r.times < 2) return;
    alike &= !iterations || iterations == r.iterations;
    iterations = r.iterations;
  }

  // Where all iterations are alike and an iteration was seen that makes one of them, the others may make one, too.
  Restarts found() const {
    if (uniform && fewest == 1 && most > 1) return {all, 1};
    return known ? Restarts{times, alike ? iterations : 0} : Restarts{};
  }
};

}  // namespace

std::vector<Restarts> restarts_of(const LoopTree& tree, const trace::Stream& stream) {
  std::vector<Restarts> found(std::max<size_t>(stream.loops.size(), 1));
  if (std::none_of(stream.loops.begin(), stream.loops.end(), [](const trace::SourceLoop& l) { return l.silent; }))
    return found;
  const std::vector<uint64_t> occur = tree.count_instances(), calls = tree.count_calls();
  Periods periods(tree);
  std::map<uint32_t, Inner> inner;  // by loop
  for (size_t i = 0; i < tree.instances.size(); ++i) {
    const LoopInstance& instance = tree.instances[i];
    if (!occur[i] || instance.loop >= stream.loops.size() || !tree.sequences.items(instance.iterations)) continue;
    const uint32_t outer = stream.loops[instance.loop].outer;
    if (!outer || !stream.loops[outer].silent) continue;
    Inner& own = inner[instance.loop];
    own.calls = saturating_sum(own.calls, saturating_product(occur[i], calls[instance.iterations]));
    own.add(periods.of(instance.iterations), tree.sequences.items(instance.iterations), occur[i]);
  }
  std::map<uint32_t, uint32_t> largest;  // by outer loop: the inner one that makes most calls
  for (const auto& [loop, own] : inner) {
    uint32_t& best = largest[stream.loops[loop].outer];
    if (!best || own.calls > inner.at(best).calls) best = loop;
  }
  for (const auto& [outer, loop] : largest) {
    const uint64_t seen = stream.loops[outer].iterations();
    Restarts own = inner.at(loop).found();
    if (own.times > seen) {
      found[outer] = own;
      continue;
    }
    // What restarts in a loop further in does so in this one.
    auto next = largest.find(loop);
    for (size_t n = 0; own.times <= seen && next != largest.end() && n < stream.loops.size(); ++n) {
      own = inner.at(next->second).found();
      next = largest.find(next->second);
    }
    if (own.times > seen) found[outer] = {own.times, 0};
  }
  return found;
}

}  // namespace leadline::structure
