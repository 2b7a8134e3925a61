#include "structure/loop_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "structure/revisits.hpp"
#include "structure/tree_calls.hpp"
#include "trace/main_loop.hpp"
#include "trace/saturating.hpp"

namespace leadline::structure {

using trace::saturating_product;
using trace::saturating_sum;

namespace {

using Counts = std::vector<std::pair<uint32_t, uint64_t>>;  // ascending by the first

void add(Counts* counts, uint32_t what, uint64_t times) {
  const auto at = std::lower_bound(counts->begin(), counts->end(), std::pair(what, uint64_t{0}));
  if (at != counts->end() && at->first == what) {
    at->second = saturating_sum(at->second, times);
  } else {
    counts->insert(at, {what, times});
  }
}

// Of every sequence: its loops' iterations, without those of loops within them.
std::vector<Counts> direct_iterations(const LoopTree& tree) {
  std::vector<Counts> found(tree.sequences.size());
  for (Sequence s = 1; s < tree.sequences.size(); ++s) {
    for (const Element& e : tree.sequences.elements(s)) {
      const Item item(e.id);
      if (e.is_sequence) {
        for (const auto& [loop, n] : found[e.id]) add(&found[s], loop, saturating_product(n, e.times));
      } else if (item.kind() == Item::Kind::instance) {
        const LoopInstance& instance = tree.instances[item.index()];
        add(&found[s], instance.loop, saturating_product(tree.sequences.items(instance.iterations), e.times));
      }
    }
  }
  return found;
}

// The variants in a sequence of iterations and how often each comes: `into` gets them `times` as often.
void collect(const LoopTree& tree, Sequence iterations, uint64_t times, std::map<Sequence, uint64_t>* into) {
  std::map<Sequence, uint64_t, std::greater<>> left{{iterations, times}};  // what a sequence consists of comes after it
  while (!left.empty()) {
    const auto [s, n] = *left.begin();
    left.erase(left.begin());
    for (const Element& e : tree.sequences.elements(s)) {
      uint64_t& count = e.is_sequence ? left[static_cast<Sequence>(e.id)] : (*into)[Item(e.id).index()];
      count = saturating_sum(count, saturating_product(n, e.times));
    }
  }
}

// What a sequence stands for.
struct Amounts {
  double calls = 0, ns = 0, messages = 0, broadcasts = 0;
};

std::vector<Amounts> amounts_of(const TimedTree& timed, const SiteKinds& kinds) {
  const auto is = [](const std::vector<bool>& of, uint32_t site) { return site < of.size() && of[site]; };
  const LoopTree& tree = timed.tree;
  std::vector<Amounts> found(tree.sequences.size());
  for (Sequence s = 1; s < tree.sequences.size(); ++s) {
    for (const Element& e : tree.sequences.elements(s)) {
      Amounts one;
      if (is_call(e)) {
        const LeafTimes& leaf = timed.times[Item(e.id).index()];
        const uint32_t site = tree.calls[Item(e.id).index()].key.site;
        one = {is(kinds.files, site) ? 0.0 : 1.0, leaf.duration_ns + leaf.before_ns,
               is(kinds.messages, site) ? 1.0 : 0.0, is(kinds.broadcasts, site) ? 1.0 : 0.0};
      } else {
        one = found[inside(tree, e)];
      }
      found[s].calls += one.calls * static_cast<double>(e.times);
      found[s].ns += one.ns * static_cast<double>(e.times);
      found[s].messages += one.messages * static_cast<double>(e.times);
      found[s].broadcasts += one.broadcasts * static_cast<double>(e.times);
    }
  }
  return found;
}

double effective_iterations(const std::map<Sequence, uint64_t>& variants, const std::vector<Amounts>& amounts) {
  Amounts sum, squares;
  for (const auto& [variant, n] : variants) {
    const auto times = static_cast<double>(n);
    // What delays an iteration on a busy machine is not its own.
    const Amounts one = {amounts[variant].calls, amounts[variant].ns + trace::loop_noise_ns, 0, 0};
    sum.calls += times * one.calls;
    sum.ns += times * one.ns;
    squares.calls += times * one.calls * one.calls;
    squares.ns += times * one.ns * one.ns;
  }
  if (squares.calls <= 0) return 0;
  const double least = std::min(sum.calls * sum.calls / squares.calls, sum.ns * sum.ns / squares.ns);
  return std::isfinite(least) ? least : 0;  // a damaged trace may have any times
}

// What half of the iterations do not exceed.
double median_of(std::vector<std::pair<double, uint64_t>>* amounts, uint64_t all) {
  std::sort(amounts->begin(), amounts->end());
  uint64_t before = 0;
  for (const auto& [amount, times] : *amounts) {
    before = saturating_sum(before, times);
    if (before > (all - 1) / 2) return amount;
  }
  return 0;
}

// See LoopShape.
bool reads_commands(const std::map<Sequence, uint64_t>& variants, const std::vector<Amounts>& amounts,
                    bool* broadcasts_only) {
  constexpr double most_calls = 4, least_times_calls = 2, most_part = 0.25;
  constexpr uint64_t least_iterations = 8;
  Amounts sum;
  uint64_t all = 0;
  std::vector<std::pair<double, uint64_t>> calls, ns, messages, broadcasts, others;
  for (const auto& [variant, n] : variants) {
    const auto times = static_cast<double>(n);
    sum.calls += times * amounts[variant].calls;
    sum.ns += times * amounts[variant].ns;
    all = saturating_sum(all, n);
    calls.emplace_back(amounts[variant].calls, n);
    ns.emplace_back(amounts[variant].ns, n);
    messages.emplace_back(amounts[variant].messages, n);
    broadcasts.emplace_back(amounts[variant].broadcasts, n);
    others.emplace_back(amounts[variant].calls - amounts[variant].broadcasts, n);
  }
  if (all < least_iterations || median_of(&messages, all) > 0) return false;
  const double usual_calls = median_of(&calls, all), usual_ns = median_of(&ns, all);
  const auto iterations = static_cast<double>(all);
  // A line that rank 0 has read. On cores that ranks share, it may take as long as anything.
  *broadcasts_only = median_of(&broadcasts, all) > 0 && median_of(&others, all) <= 0;
  return usual_calls <= most_calls && least_times_calls * usual_calls * iterations <= sum.calls &&
         (*broadcasts_only || usual_ns * iterations <= most_part * sum.ns);
}

// The last of what the sequence consists of.
Element last_of(const LoopTree& tree, Sequence s) {
  Element e = tree.sequences.elements(s).back();
  while (e.is_sequence) e = tree.sequences.elements(static_cast<Sequence>(e.id)).back();
  return e;
}

// See LoopShape. `occur`: by instance.
bool end_with_files(const LoopTree& tree, uint32_t loop, const std::vector<uint64_t>& occur,
                    const std::map<Sequence, uint64_t>& variants, const std::vector<Amounts>& amounts) {
  uint64_t all = 0, files = 0, at_end = 0;
  for (const auto& [variant, times] : variants) {
    all = saturating_sum(all, times);
    if (amounts[variant].calls <= 0) files = saturating_sum(files, times);
  }
  if (!files || files >= all) return false;
  for (size_t i = 0; i < tree.instances.size(); ++i) {
    const LoopInstance& instance = tree.instances[i];
    if (!occur[i] || instance.loop != loop || tree.sequences.elements(instance.iterations).empty()) continue;
    if (amounts[Item(last_of(tree, instance.iterations).id).index()].calls <= 0)
      at_end = saturating_sum(at_end, occur[i]);
  }
  return files == at_end;
}

// A loop's iterations within one of the loop around it.
struct Distribution {
  std::map<uint64_t, uint64_t> outer;  // iterations of the loop around it, by how many of the loop are in one
  uint64_t entered = 0;

  void add(uint64_t within, uint64_t times) {
    uint64_t& n = outer[within];
    n = saturating_sum(n, times);
    entered = saturating_sum(entered, times);
  }
  void remove(uint64_t within) {
    const auto at = outer.find(within);
    if (at == outer.end()) return;
    if (!--at->second) outer.erase(at);
    --entered;
  }
  void finish(uint64_t all, LoopShape* shape) {
    if (all > entered) add(0, all - entered);
    if (outer.empty()) return;
    shape->fewest = outer.begin()->first;
    shape->most = outer.rbegin()->first;
    uint64_t before = 0;
    for (const auto& [within, times] : outer) {
      before = saturating_sum(before, times);
      shape->usual = within;
      if (before > (entered - 1) / 2) break;
    }
  }
};

struct OpenAtEnd {
  uint32_t loop;
  Sequence iteration;  // the last one of the loop
};

// The loops that the last call was made in, the outermost first.
std::vector<OpenAtEnd> open_at_end(const LoopTree& tree) {
  std::vector<OpenAtEnd> found;
  for (Sequence s = tree.root; !tree.sequences.elements(s).empty();) {
    const Item item(last_of(tree, s).id);
    if (item.kind() != Item::Kind::instance) break;
    const LoopInstance& instance = tree.instances[item.index()];
    if (tree.sequences.elements(instance.iterations).empty()) break;
    s = Item(last_of(tree, instance.iterations).id).index();
    found.push_back({instance.loop, s});
  }
  return found;
}

}  // namespace

std::vector<LoopShape> loop_shapes(const TimedTree& timed, const trace::Stream& stream, const SiteKinds& kinds,
                                   bool cut) {
  const LoopTree& tree = timed.tree;
  const size_t loops = std::max<size_t>(stream.loops.size(), 1);
  std::vector<LoopShape> shapes(loops);
  std::vector<std::map<Sequence, uint64_t>> variants(loops);
  const std::vector<uint64_t> occur = tree.count_instances();
  for (size_t i = 0; i < tree.instances.size(); ++i) {
    const LoopInstance& instance = tree.instances[i];
    if (occur[i] && instance.loop < loops) collect(tree, instance.iterations, occur[i], &variants[instance.loop]);
  }
  variants[0] = {{tree.root, 1}};
  const std::vector<Counts> direct = direct_iterations(tree);
  std::vector<Distribution> distributions(loops);
  for (uint32_t l = 0; l < loops; ++l) {
    shapes[l].variants = variants[l].size();
    for (const auto& [variant, times] : variants[l]) {
      shapes[l].iterations = saturating_sum(shapes[l].iterations, times);
      for (const auto& [loop, n] : direct[variant]) {
        if (loop < loops) distributions[loop].add(n, times);
      }
    }
  }
  std::set<uint32_t> varying;
  for (const CallItem& call : tree.calls) {
    if (call.varies) varying.insert(call.key.site);
  }
  for (const uint32_t site : varying) {
    for (uint32_t l = stream.loop_around(site); l; l = stream.loops[l].outer) ++shapes[l].varying;
  }
  std::vector<uint64_t> whole(loops);  // iterations that ended
  for (uint32_t l = 0; l < loops; ++l) whole[l] = shapes[l].iterations;
  for (const OpenAtEnd& open : cut ? open_at_end(tree) : std::vector<OpenAtEnd>()) {
    if (open.loop >= loops) continue;
    shapes[open.loop].cut = true;
    shapes[open.loop].cut_within = shapes[stream.loops[open.loop].outer].iterations == 1;
    if (shapes[open.loop].iterations == 1) continue;
    --whole[open.loop];
    for (const auto& [loop, n] : direct[open.iteration]) {
      if (loop < loops) distributions[loop].remove(n);
    }
  }
  for (uint32_t l = 1; l < loops; ++l) distributions[l].finish(whole[stream.loops[l].outer], &shapes[l]);
  const std::vector<Amounts> amounts = amounts_of(timed, kinds);
  Revisits revisits(tree, kinds.files);
  for (uint32_t l = 1; l < loops; ++l) {
    shapes[l].effective = effective_iterations(variants[l], amounts);
    shapes[l].commands = reads_commands(variants[l], amounts, &shapes[l].broadcasts);
    shapes[l].revisited = revisits.among(variants[l]);
    uint64_t commonest = 0;
    for (const auto& [variant, times] : variants[l]) commonest = std::max(commonest, times);
    if (!shapes[l].iterations) continue;
    const bool all_known = !tree.lost_calls && !shapes[l].cut;
    shapes[l].ends_with_files = all_known && end_with_files(tree, l, occur, variants[l], amounts);
    shapes[l].commonest = static_cast<float>(commonest) / static_cast<float>(shapes[l].iterations);
  }
  const std::vector<Restarts> restarts = restarts_of(tree, stream);
  for (uint32_t l = 1; l < loops; ++l) shapes[l].restarts = restarts[l];
  return shapes;
}

}  // namespace leadline::structure
