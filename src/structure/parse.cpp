#include "structure/parse.hpp"

#include <algorithm>

#include "trace/hash.hpp"

namespace leadline::structure {

namespace {

constexpr size_t most_unpacked = 8;
constexpr size_t most_in_a_row = 2048;

}  // namespace

Nest::Nest(const trace::Stream& stream)
    : stream_(stream), around_(std::max<size_t>(stream.sites.size(), 1)), known_(size_t{1} << place_bits) {
  for (uint32_t site = 0; site < around_.size(); ++site) {
    for (uint32_t l = stream.loop_around(site); l; l = stream.loops[l].outer) around_[site].push_back(l);
    std::reverse(around_[site].begin(), around_[site].end());
  }
}

Crossing Nest::find(uint32_t from, uint32_t to) const {
  const std::vector<uint32_t>&a = around(from), &b = around(to);
  size_t common = 0;
  while (common < a.size() && common < b.size() && a[common] == b[common]) ++common;
  trace::BackEdge wanted{from, to, 0};
  const auto at = std::lower_bound(stream_.back_edges.begin(), stream_.back_edges.end(), wanted);
  bool repeats = false;
  if (at != stream_.back_edges.end() && at->from == from && at->to == to) {
    const auto loop = std::find(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(common), at->loop);
    repeats = loop != a.begin() + static_cast<std::ptrdiff_t>(common);
    if (repeats) common = static_cast<size_t>(loop - a.begin()) + 1;
  }
  return {static_cast<uint32_t>(a.size() - common), static_cast<uint32_t>(b.size() - common), repeats};
}

void Parser::call(uint32_t before, uint32_t site, uint64_t item, uint64_t times, Stretch* stretch) {
  for (uint64_t left = times; left > 0; before = site) {
    if (before == no_site) {
      enter(site, nest_.around(site).size(), stretch);
    } else if (const Crossing c = nest_.crossing(before, site); !c.stays()) {
      for (uint32_t i = 0; i < c.leaves; ++i) leave(stretch);
      if (c.repeats) begin_iteration(&stretch->open.back().body);
      enter(site, c.enters, stretch);
    }
    const bool at_once = left > 1 && nest_.crossing(site, site).stays();
    const uint64_t here = at_once ? left : 1;
    add(Element{item, 0, here}, &stretch->open.back().body.now);
    left -= here;
    if (left > 1) {  // equal calls in a row that iterate: one more, and then as many as needed
      Stretch once;
      call(site, site, item, 1, &once);
      append(repeated(once, left), stretch);
      return;
    }
  }
}

void Parser::enter(uint32_t site, size_t loops, Stretch* stretch) {
  const std::vector<uint32_t>& around = nest_.around(site);
  for (size_t d = around.size() - loops; d < around.size(); ++d) stretch->open.push_back({around[d], {}});
}

void Parser::begin_iteration(Body* body) {
  const Sequence ended = tree_.sequences.intern(body->now);
  body->now.clear();
  if (!body->repeats) {
    body->repeats = true;
    body->head = ended;
  } else {
    add(variant(ended), &body->iterations);
  }
}

void Parser::join(const Body& next, Body* body) {
  Sequences& all = tree_.sequences;
  if (!next.repeats) {
    for (const Element& e : next.now) add(e, &body->now);
    return;
  }
  all.append(&body->now, next.head);
  begin_iteration(body);
  for (const Element& e : next.iterations) add(e, &body->iterations);
  body->now = next.now;
}

uint64_t Parser::instance(const OpenLoop& open) {
  Sequences& all = tree_.sequences;
  std::vector<Element> iterations;
  if (open.body.repeats) all.append(&iterations, variant(open.body.head));
  for (const Element& e : open.body.iterations) all.append(&iterations, e);
  all.append(&iterations, variant(all.intern(open.body.now)));
  const Sequence sequence = all.intern(iterations);
  const auto next = static_cast<uint32_t>(tree_.instances.size());
  const uint32_t number = instances_.of(trace::hash_of_pair(open.loop, sequence), next, [&](uint32_t n) {
    return tree_.instances[n].loop == open.loop && tree_.instances[n].iterations == sequence;
  });
  if (number == next) tree_.instances.push_back({open.loop, sequence});
  return Item::of(Item::Kind::instance, number);
}

void Parser::leave(Stretch* stretch) {
  if (stretch->open.size() == 1) {
    stretch->left.push_back(std::move(stretch->open[0].body));
    stretch->open[0].body = {};
    return;
  }
  const uint64_t item = instance(stretch->open.back());
  stretch->open.pop_back();
  add(Element{item, 0, 1}, &stretch->open.back().body.now);
}

void Parser::append(const Stretch& next, Stretch* stretch) {
  for (const Body& body : next.left) {
    join(body, &stretch->open.back().body);
    leave(stretch);
  }
  join(next.open[0].body, &stretch->open.back().body);
  stretch->open.insert(stretch->open.end(), next.open.begin() + 1, next.open.end());
}

void Parser::append_outside(uint64_t item, Stretch* stretch) {
  while (stretch->open.size() > 1) leave(stretch);
  tree_.sequences.append(&stretch->open[0].body.now, Element{item, 0, 1});
}

// Where one ends and the next begins, loops that the one entered are left: `between` is what that makes of the body
// around them, with what came before it there.
Stretch Parser::repeated(const Stretch& once, uint64_t times) {
  if (times == 1) return once;
  Sequences& all = tree_.sequences;
  Stretch result;
  result.left = once.left;
  Stretch first;
  first.open = once.open;
  for (const Body& body : once.left) {
    join(body, &first.open.back().body);
    leave(&first);
  }
  const Body& between = first.open[0].body;
  Body& body = result.open[0].body;
  if (!between.repeats) {
    all.append(&body.now, all.intern(between.now), times - 1);
  } else {
    body.repeats = true;
    body.head = between.head;
    for (const Element& e : between.iterations) all.append(&body.iterations, e);
    std::vector<Element> whole = between.now;
    all.append(&whole, between.head);
    std::vector<Element> iteration{variant(all.intern(whole))};
    for (const Element& e : between.iterations) all.append(&iteration, e);
    all.append(&body.iterations, all.intern(iteration), times - 2);
    body.now = between.now;
  }
  join(once.open[0].body, &body);
  result.open.insert(result.open.end(), once.open.begin() + 1, once.open.end());
  return result;
}

Sequence Parser::finish(Stretch* stretch) {
  while (stretch->open.size() > 1) leave(stretch);
  return tree_.sequences.intern(stretch->open[0].body.now);
}

void Parser::add(Element e, std::vector<Element>* list) {
  tree_.sequences.append(list, e);
  if (list->size() == most_in_a_row) pack(list);
}

void Parser::pack(std::vector<Element>* list) {
  const Sequence s = tree_.sequences.intern(*list);
  list->assign(1, Element{s, 1, 1});
}

void Parser::pack(Body* body) {
  for (std::vector<Element>* list : {&body->iterations, &body->now}) {
    if (list->size() > most_unpacked) pack(list);
  }
}

void Parser::pack(Stretch* stretch) {
  for (Body& body : stretch->left) pack(&body);
  for (OpenLoop& open : stretch->open) pack(&open.body);
}

}  // namespace leadline::structure
