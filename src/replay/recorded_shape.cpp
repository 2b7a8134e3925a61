#include "replay/recorded_shape.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace leadline::replay {

using structure::Item;
using structure::LoopTree;
using structure::Sequence;

namespace {

class Making {
 public:
  Making(const calls::ClassTrees& trees, const calls::ClassTrees::Class& of, uint32_t main_loop)
      : tree_(trees.tree()), class_(of), main_loop_(main_loop) {}

  RecordedShape make() {
    made_.shape.calls = RecordedShape::call_of(class_.numbers.size());
    made_.shape.root = body(class_.root);
    made_.recount();
    return std::move(made_);
  }

 private:
  // Bodies come after those within them.
  uint32_t body(Sequence s, bool is_iteration = false) {
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
          const auto leaf = static_cast<size_t>(at - class_.numbers.begin());
          elements.push_back({RecordedShape::call_of(leaf), false, e.times});
          break;
        }
        case Item::Kind::variant:
          elements.push_back({body(item.index(), true), true, e.times});
          break;
        case Item::Kind::instance:
          elements.push_back({instance(item.index()), true, e.times});
          break;
        case Item::Kind::lost:
          made_.lost += e.times;
          break;
      }
    }
    return bodies_[s] = put(std::move(elements), 0, is_iteration);
  }
  // A body of its own for each loop, whose iterations changes may turn into others.
  uint32_t instance(uint32_t number) {
    if (const auto at = instances_.find(number); at != instances_.end()) return at->second;
    const structure::LoopInstance& loop = tree_.instances[number];
    const std::vector<Element> elements = made_.shape.bodies[body(loop.iterations)];
    uint32_t made = put(std::vector<Element>(elements), loop.loop, false);
    if (main_loop_ && loop.loop == main_loop_) {
      made_.main_body = made;
      made = put({{0, false, 1}, {made, true, 1}, {1, false, 1}}, 0, false);
    }
    return instances_[number] = made;
  }
  uint32_t put(std::vector<Element>&& elements, uint32_t loop, bool is_iteration) {
    made_.shape.bodies.push_back(std::move(elements));
    made_.loop_of.push_back(loop);
    made_.is_iteration.push_back(is_iteration);
    return static_cast<uint32_t>(made_.shape.bodies.size() - 1);
  }

  const LoopTree& tree_;
  const calls::ClassTrees::Class& class_;
  const uint32_t main_loop_;
  RecordedShape made_;
  std::map<Sequence, uint32_t> bodies_;
  std::map<uint32_t, uint32_t> instances_;
};

}  // namespace

RecordedShape recorded_shape(const calls::ClassTrees& trees, const calls::ClassTrees::Class& of, uint32_t main_loop) {
  return Making(trees, of, main_loop).make();
}

uint32_t RecordedShape::put(std::vector<Element> elements, uint32_t like) {
  shape.bodies.push_back(std::move(elements));
  loop_of.push_back(loop_of[like]);
  is_iteration.push_back(is_iteration[like]);
  return static_cast<uint32_t>(shape.bodies.size() - 1);
}

void RecordedShape::recount() {
  entered = iterations = first_call = calls = 0;
  before.assign(leaves(), 0);
  inside.assign(leaves(), 0);
  const std::vector<uint64_t> all = occurrences(shape.root);
  for (uint32_t b = 0; b < all.size(); ++b) {
    for (const Element& e : shape.bodies[b])
      if (!e.is_body && e.index == 0) entered += all[b] * e.times;
  }
  if (entered != 1) return;
  iterations = items(main_body);
  count(main_body, &inside);
  for (const uint64_t n : inside) calls += n;
  count_before(shape.root);
  for (const uint64_t n : before) first_call += n;
}

std::vector<std::vector<uint64_t>> RecordedShape::last_iterations(size_t most) const {
  std::vector<std::vector<uint64_t>> found;
  if (entered == 1 && iterations) add_last(main_body, most, &found);
  return found;
}

void RecordedShape::add_last(uint32_t body, size_t most, std::vector<std::vector<uint64_t>>* found) const {
  const std::vector<Element>& elements = shape.bodies[body];
  for (auto e = elements.rbegin(); e != elements.rend(); ++e) {
    for (uint64_t t = 0; t < e->times && found->size() < most; ++t) {
      if (e->is_body && !is_iteration[e->index]) {
        add_last(e->index, most, found);
        continue;
      }
      std::vector<uint64_t>& leaf_calls = found->emplace_back(leaves(), 0);
      if (e->is_body) {
        count(e->index, &leaf_calls);
      } else if (e->index >= marks) {
        ++leaf_calls[e->index - marks];
      }
    }
  }
}

// Depth first, since changes put bodies after those that they are in.
std::vector<uint64_t> RecordedShape::occurrences(uint32_t of) const {
  std::vector<uint32_t> order;
  std::vector<uint8_t> seen(shape.bodies.size());
  const std::function<void(uint32_t)> visit = [&](uint32_t b) {
    if (seen[b]) return;
    seen[b] = true;
    for (const Element& e : shape.bodies[b])
      if (e.is_body) visit(e.index);
    order.push_back(b);
  };
  visit(of);
  std::vector<uint64_t> times(shape.bodies.size());
  times[of] = 1;
  for (size_t i = order.size(); i-- > 0;) {
    for (const Element& e : shape.bodies[order[i]])
      if (e.is_body) times[e.index] += times[order[i]] * e.times;
  }
  return times;
}

void RecordedShape::count(uint32_t of, std::vector<uint64_t>* found, uint64_t all) const {
  const std::vector<uint64_t> times = occurrences(of);
  for (uint32_t b = 0; b < times.size(); ++b) {
    for (const Element& e : shape.bodies[b])
      if (!e.is_body && e.index >= marks) (*found)[e.index - marks] += all * times[b] * e.times;
  }
}

// True: the main loop begins in it.
bool RecordedShape::count_before(uint32_t of) {
  for (const Element& e : shape.bodies[of]) {
    if (!e.is_body) {
      if (e.index == 0) return true;
      if (e.index >= marks) before[e.index - marks] += e.times;
    } else if (occurrences(e.index)[main_body]) {
      return count_before(e.index);
    } else {
      count(e.index, &before, e.times);
    }
  }
  return false;
}

// How many iterations a part of a loop's iterations holds.
uint64_t RecordedShape::items(uint32_t body) const {
  if (is_iteration[body]) return 1;
  uint64_t sum = 0;
  for (const Element& e : shape.bodies[body]) sum += e.times * (e.is_body ? items(e.index) : 1);
  return sum;
}

uint64_t RecordedShape::calls_of(size_t leaf) const {
  const std::vector<uint64_t> times = occurrences(shape.root);
  uint64_t sum = 0;
  for (uint32_t b = 0; b < times.size(); ++b) {
    for (const Element& e : shape.bodies[b])
      if (!e.is_body && e.index == call_of(leaf)) sum += times[b] * e.times;
  }
  return sum;
}

uint32_t RecordedShape::last_iteration() const {
  if (entered != 1 || iterations < 3) return none;
  uint32_t body = main_body;
  while (body == main_body || !is_iteration[body]) {
    if (shape.bodies[body].empty() || !shape.bodies[body].back().is_body) return none;
    body = shape.bodies[body].back().index;
  }
  return body;
}

bool RecordedShape::last_is_apart() const {
  const uint32_t last = last_iteration();
  return last != none && occurrences(main_body)[last] == 1;
}

std::vector<uint64_t> RecordedShape::in_last_iteration() const {
  std::vector<uint64_t> found(leaves());
  if (const uint32_t last = last_iteration(); last != none) count(last, &found);
  return found;
}

void RecordedShape::resize(uint64_t steps, bool last_stays) {
  if (entered != 1 || !iterations || !steps) return;
  std::vector<Element> elements;
  if (const uint32_t last = last_iteration(); last_stays && last != none && steps > iterations) {
    const uint64_t others = iterations - 1, wanted = steps - 1;
    first_of(main_body, others, &elements);
    const uint32_t before = put(std::exchange(elements, {}), main_body);
    elements.push_back({before, true, wanted / others});
    if (wanted % others) first_of(before, wanted % others, &elements);
    elements.push_back({last, true, 1});
    shape.bodies[main_body] = std::move(elements);
    return;
  }
  const uint64_t whole = steps / iterations, rest = steps % iterations;
  const uint32_t all = put(std::vector<Element>(shape.bodies[main_body]), main_body);
  if (whole) elements.push_back({all, true, whole});
  if (rest) first_of(all, rest, &elements);
  shape.bodies[main_body] = std::move(elements);
}

void RecordedShape::first_of(uint32_t body, uint64_t wanted, std::vector<Element>* elements) const {
  for (const Element& e : shape.bodies[body]) {
    if (!wanted) return;
    const uint64_t each = e.is_body ? std::max<uint64_t>(items(e.index), 1) : 1;
    const uint64_t whole = std::min<uint64_t>(e.times, wanted / each);
    if (whole) elements->push_back({e.index, e.is_body, whole});
    wanted -= whole * each;
    if (whole < e.times && wanted) return first_of(e.index, wanted, elements);
  }
}

void RecordedShape::for_each_call(const EachCall& each) const {
  uint64_t iteration = outside, next = 0;
  const std::function<void(uint32_t, bool)> visit = [&](uint32_t body, bool in_main) {
    for (const Element& e : shape.bodies[body]) {
      for (uint64_t t = 0; t < e.times; ++t) {
        if (!e.is_body) {
          if (e.index >= marks) each(e.index - marks, iteration);
          continue;
        }
        const bool begins = in_main && is_iteration[e.index];
        if (begins) iteration = next++;
        visit(e.index, (in_main && !begins) || (entered == 1 && e.index == main_body));
        if (begins) iteration = outside;
      }
    }
  };
  visit(shape.root, false);
}

void RecordedShape::for_each_call_of(const std::vector<uint8_t>& wanted,
                                     const std::function<void(uint32_t leaf)>& each) const {
  enum : uint8_t { no, yes, unknown };
  std::vector<uint8_t> known(shape.bodies.size(), unknown);  // by body: whether it has such calls
  const auto is_wanted = [&](const Element& e) { return e.index >= marks && wanted[e.index - marks]; };
  const std::function<bool(uint32_t)> has = [&](uint32_t body) {
    if (known[body] == unknown) {
      const std::vector<Element>& own = shape.bodies[body];
      known[body] = std::any_of(own.begin(), own.end(),
                                [&](const Element& e) { return e.is_body ? has(e.index) : is_wanted(e); });
    }
    return known[body] == yes;
  };
  const std::function<void(uint32_t)> visit = [&](uint32_t body) {
    for (const Element& e : shape.bodies[body]) {
      if (e.is_body ? !has(e.index) : !is_wanted(e)) continue;
      for (uint64_t t = 0; t < e.times; ++t) e.is_body ? visit(e.index) : each(e.index - marks);
    }
  };
  visit(shape.root);
}

}  // namespace leadline::replay
