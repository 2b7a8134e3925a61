#include "structure/cut_loops.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "structure/build_tree.hpp"
#include "trace/saturating.hpp"

namespace leadline::structure {

namespace {

constexpr size_t most_compared = 4096;  // calls and loops of an iteration
constexpr unsigned deepest = 64;        // that sequences of an iteration are nested
constexpr uint64_t loop_not_call = uint64_t{1} << 32;

// The call sites and inner loops of an iteration, as they come. None if there are too many.
std::optional<std::vector<uint64_t>> steps_of(const LoopTree& tree, Sequence body, unsigned depth = 0) {
  if (depth > deepest) return std::nullopt;
  std::vector<uint64_t> found;
  for (const Element& e : tree.sequences.elements(body)) {
    std::vector<uint64_t> one;
    const Item item(e.id);
    if (e.is_sequence) {
      const auto inside = steps_of(tree, static_cast<Sequence>(e.id), depth + 1);
      if (!inside) return std::nullopt;
      one = *inside;
    } else if (item.kind() == Item::Kind::call) {
      one = {tree.calls[item.index()].key.site};
    } else if (item.kind() == Item::Kind::instance) {
      one = {loop_not_call | tree.instances[item.index()].loop};
    }
    if (one.size() > most_compared || e.times > most_compared / std::max<size_t>(one.size(), 1)) return std::nullopt;
    for (uint64_t n = 0; n < e.times; ++n) found.insert(found.end(), one.begin(), one.end());
    if (found.size() > most_compared) return std::nullopt;
  }
  return found;
}

// The last two of a sequence of iterations: their bodies, the last one first.
void last_bodies(const LoopTree& tree, Sequence iterations, std::vector<Sequence>* found, unsigned depth = 0) {
  const auto elements = tree.sequences.elements(iterations);
  for (size_t i = elements.size(); i-- > 0 && found->size() < 2 && depth <= deepest;) {
    const Element& e = elements[i];
    for (uint64_t n = 0; n < std::min<uint64_t>(e.times, 2) && found->size() < 2; ++n) {
      if (e.is_sequence) {
        last_bodies(tree, static_cast<Sequence>(e.id), found, depth + 1);
      } else {
        found->push_back(Item(e.id).index());
      }
    }
  }
}

bool ends_in_the_middle(const LoopTree& tree, Sequence iterations) {
  std::vector<Sequence> bodies;
  last_bodies(tree, iterations, &bodies);
  if (bodies.size() < 2) return false;
  const auto last = steps_of(tree, bodies[0]), before = steps_of(tree, bodies[1]);
  return last && before && last->size() < before->size() && std::equal(last->begin(), last->end(), before->begin());
}

}  // namespace

void mark_cut_loops(trace::Process* process) {
  for (trace::Stream& stream : process->streams) {
    const auto by_order = [](const trace::SourceLoop& l) { return l.by_order && l.iterations() > 1; };
    if (std::none_of(stream.loops.begin(), stream.loops.end(), by_order)) continue;
    const LoopTree tree = loop_tree(stream);
    const std::vector<uint64_t> occur = tree.count_instances();
    std::vector<uint64_t> cut(stream.loops.size()), all(stream.loops.size());
    for (size_t i = 0; i < tree.instances.size(); ++i) {
      const LoopInstance& instance = tree.instances[i];
      if (!occur[i] || instance.loop >= stream.loops.size() || !by_order(stream.loops[instance.loop])) continue;
      all[instance.loop] = trace::saturating_sum(all[instance.loop], occur[i]);
      if (ends_in_the_middle(tree, instance.iterations))
        cut[instance.loop] = trace::saturating_sum(cut[instance.loop], occur[i]);
    }
    for (uint32_t l = 1; l < stream.loops.size(); ++l) stream.loops[l].about |= cut[l] && cut[l] >= all[l] - cut[l];
  }
}

}  // namespace leadline::structure
