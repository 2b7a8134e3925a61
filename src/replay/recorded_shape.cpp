#include "replay/recorded_shape.hpp"

#include <algorithm>
#include <map>

namespace leadline::replay {

using structure::Item;
using structure::LoopTree;
using structure::Sequence;

namespace {

class Making {
 public:
  Making(const calls::ClassTrees& trees, const calls::ClassTrees::Class& of, uint32_t main_loop, uint64_t steps)
      : tree_(trees.tree()), class_(of), main_loop_(main_loop), steps_(steps) {}

  RecordedShape make() {
    leaves_ = static_cast<uint32_t>(class_.numbers.size());
    made_.shape.calls = leaves_ + 2;
    made_.shape.root = body(class_.root);
    const std::vector<uint64_t> all = occurrences(made_.shape.root);
    for (uint32_t b = 0; b < all.size(); ++b) {
      for (const Element& e : made_.shape.bodies[b])
        if (!e.is_body && e.index == leaves_) made_.entered += all[b] * e.times;
    }
    made_.before.resize(leaves_);
    made_.inside.resize(leaves_);
    if (made_.entered != 1) return std::move(made_);
    made_.iterations = tree_.sequences.items(iterations_);
    count(iterations_body_, &made_.inside);
    for (const uint64_t n : made_.inside) made_.calls += n;
    count_before(made_.shape.root);
    for (const uint64_t n : made_.before) made_.first_call += n;
    if (steps_ && made_.iterations) {
      std::vector<Element> elements = resized();
      made_.shape.bodies[iterations_body_] = std::move(elements);
    }
    return std::move(made_);
  }

 private:
  // Bodies come after those within them.
  uint32_t body(Sequence s) {
    if (const auto at = bodies_.find(s); at != bodies_.end()) return at->second;
    std::vector<Element> elements;
    for (const structure::Element& e : tree_.sequences.elements(s)) {
      if (e.is_sequence) {
        elements.push_back({body(static_cast<Sequence>(e.id)), true, e.times});
        continue;
      }
      const Item item(e.id);
      switch (item.kind()) {
        case Item::Kind::call: {
          const auto at = std::lower_bound(class_.numbers.begin(), class_.numbers.end(), item.index());
          elements.push_back({static_cast<uint32_t>(at - class_.numbers.begin()), false, e.times});
          break;
        }
        case Item::Kind::variant:
          elements.push_back({body(item.index()), true, e.times});
          break;
        case Item::Kind::instance:
          elements.push_back({instance(item.index()), true, e.times});
          break;
        case Item::Kind::lost:
          made_.lost += e.times;
          break;
      }
    }
    return bodies_[s] = put(std::move(elements));
  }
  uint32_t instance(uint32_t number) {
    const structure::LoopInstance& loop = tree_.instances[number];
    const uint32_t iterations = body(loop.iterations);
    if (!main_loop_ || loop.loop != main_loop_) return iterations;
    iterations_ = loop.iterations;
    iterations_body_ = put(std::vector<Element>(made_.shape.bodies[iterations]));  // its own: its iterations may change
    return put({{leaves_, false, 1}, {iterations_body_, true, 1}, {leaves_ + 1, false, 1}});
  }
  uint32_t put(std::vector<Element>&& elements) {
    made_.shape.bodies.push_back(std::move(elements));
    return static_cast<uint32_t>(made_.shape.bodies.size() - 1);
  }

  // How often each body occurs in one.
  std::vector<uint64_t> occurrences(uint32_t of) const {
    std::vector<uint64_t> times(made_.shape.bodies.size());
    times[of] = 1;
    for (uint32_t b = of + 1; b-- > 0;) {
      for (const Element& e : made_.shape.bodies[b])
        if (e.is_body) times[e.index] += times[b] * e.times;
    }
    return times;
  }
  void count(uint32_t of, std::vector<uint64_t>* leaves, uint64_t all = 1) const {
    const std::vector<uint64_t> times = occurrences(of);
    for (uint32_t b = 0; b < times.size(); ++b) {
      for (const Element& e : made_.shape.bodies[b])
        if (!e.is_body && e.index < leaves_) (*leaves)[e.index] += all * times[b] * e.times;
    }
  }
  // True: the main loop begins in it.
  bool count_before(uint32_t of) {
    for (const Element& e : made_.shape.bodies[of]) {
      if (!e.is_body) {
        if (e.index == leaves_) return true;
        made_.before[e.index] += e.times;
      } else if (occurrences(e.index)[iterations_body_]) {
        return count_before(e.index);
      } else {
        count(e.index, &made_.before, e.times);
      }
    }
    return false;
  }

  std::vector<Element> resized() {
    std::vector<Element> elements;
    const uint64_t whole = steps_ / made_.iterations, rest = steps_ % made_.iterations;
    const uint32_t all = put(std::vector<Element>(made_.shape.bodies[iterations_body_]));
    if (whole) elements.push_back({all, true, whole});
    if (rest) first_of(iterations_, rest, &elements);
    return elements;
  }
  // The first iterations of a sequence of them.
  void first_of(Sequence s, uint64_t iterations, std::vector<Element>* elements) {
    for (const structure::Element& e : tree_.sequences.elements(s)) {
      if (!iterations) return;
      const uint64_t each =
          e.is_sequence ? std::max<uint64_t>(tree_.sequences.items(static_cast<Sequence>(e.id)), 1) : 1;
      const uint64_t whole = std::min<uint64_t>(e.times, iterations / each);
      const Sequence inside = e.is_sequence ? static_cast<Sequence>(e.id) : Item(e.id).index();
      if (whole) elements->push_back({body(inside), true, whole});
      iterations -= whole * each;
      if (whole < e.times && iterations) return first_of(inside, iterations, elements);
    }
  }

  const LoopTree& tree_;
  const calls::ClassTrees::Class& class_;
  const uint32_t main_loop_;
  const uint64_t steps_;
  RecordedShape made_;
  uint32_t leaves_ = 0;
  Sequence iterations_ = 0;
  uint32_t iterations_body_ = 0;
  std::map<Sequence, uint32_t> bodies_;
};

}  // namespace

RecordedShape recorded_shape(const calls::ClassTrees& trees, const calls::ClassTrees::Class& of, uint32_t main_loop,
                             uint64_t steps) {
  return Making(trees, of, main_loop, steps).make();
}

}  // namespace leadline::replay
