#include "structure/sequences.hpp"

#include <algorithm>

#include "trace/saturating.hpp"

namespace leadline::structure {

using trace::saturating_product;
using trace::saturating_sum;

namespace {

constexpr uint64_t prime = (uint64_t{1} << 61) - 1;
constexpr uint64_t base_a = 0x1b3a5c7d9e8f0123 % prime, base_b = 0x0f1e2d3c4b5a6978 % prime;
constexpr size_t few = 8;  // elements that are copied rather than referred to

uint64_t reduce(uint64_t n) {
  n = (n & prime) + (n >> 61);
  return n >= prime ? n - prime : n;
}
uint64_t times(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return reduce((static_cast<uint64_t>(product) & prime) + static_cast<uint64_t>(product >> 61));
}
uint64_t plus(uint64_t a, uint64_t b) { return reduce(a + b); }

uint64_t scrambled(uint64_t n) {
  n += 0x9e3779b97f4a7c15;
  n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9;
  n = (n ^ n >> 27) * 0x94d049bb133111eb;
  return n ^ n >> 31;
}

Content::Hash joined(const Content::Hash& a, const Content::Hash& b) {
  return {plus(times(a.value, b.power), b.value), times(a.power, b.power)};
}
Content joined(const Content& a, const Content& b) {
  return {joined(a.a, b.a), joined(a.b, b.b), saturating_sum(a.items, b.items)};
}

Content of_item(uint64_t id) { return {{reduce(scrambled(id)), base_a}, {reduce(scrambled(~id)), base_b}, 1}; }

}  // namespace

void Content::append(const Content& other, uint64_t n) {
  Content power = other;
  for (; n; n >>= 1) {
    if (n & 1) *this = joined(*this, power);
    if (n > 1) power = joined(power, power);
  }
}

Sequences::Sequences() { intern({}); }

Content Sequences::content_of(const Element& e) const { return e.is_sequence ? nodes_[e.id].content : of_item(e.id); }

Sequence Sequences::intern(const std::vector<Element>& elements) {
  if (elements.size() == 1 && elements[0].is_sequence && elements[0].times == 1) {
    return static_cast<Sequence>(elements[0].id);
  }
  Content content;
  for (const Element& e : elements) {
    if (e.times == 1) {
      content = joined(content, content_of(e));
    } else {
      content.append(content_of(e), e.times);
    }
  }
  const Sequence number = numbers_.of(scrambled(content.a.value) ^ content.b.value, size(), [&](Sequence s) {
    const Content& other = nodes_[s].content;
    return other.a.value == content.a.value && other.b.value == content.b.value && other.items == content.items;
  });
  if (number < size()) return number;
  nodes_.push_back({content, elements_.size(), elements.size()});
  elements_.insert(elements_.end(), elements.begin(), elements.end());
  return number;
}

void Sequences::append(std::vector<Element>* list, Element e) const {
  if (!e.times) return;
  if (!list->empty()) {
    Element& last = list->back();
    if (last.id == e.id && last.is_sequence == e.is_sequence) {
      last.times = saturating_sum(last.times, e.times);
      return;
    }
  }
  list->push_back(e);
}

void Sequences::append(std::vector<Element>* list, Sequence s, uint64_t n) const {
  if (!s || !n) return;
  const Range own = elements(s);
  if (own.size() == 1) {
    Element only = *own.begin();
    only.times = saturating_product(only.times, n);
    append(list, only);
  } else if (n == 1 && own.size() <= few) {
    for (size_t i = 0; i < own.size(); ++i) append(list, own.first[i]);
  } else {
    append(list, {s, 1, n});
  }
}

}  // namespace leadline::structure
