#include "structure/sequences.hpp"

#include <algorithm>
#include <bit>

#include "trace/saturating.hpp"

namespace leadline::structure {

using trace::saturating_product;
using trace::saturating_sum;

namespace {

constexpr uint64_t prime = (uint64_t{1} << 61) - 1;
// The first hash is taken modulo the prime, the second modulo 2^64, which is quicker.
constexpr uint64_t base_a = 0x1b3a5c7d9e8f0123 % prime, base_b = 0x8f1e2d3c4b5a6979;
// Elements that are copied rather than referred to, repeats of an item that are added one by one.
constexpr size_t few = 8;
constexpr size_t block = 1024;

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

Content joined(const Content& x, const Content& y) {
  return {{plus(times(x.a.value, y.a.power), y.a.value), times(x.a.power, y.a.power)},
          {x.b.value * y.b.power + y.b.value, x.b.power * y.b.power},
          saturating_sum(x.items, y.items)};
}

struct ItemHash {
  uint64_t a, b;
  explicit ItemHash(uint64_t id) {
    const uint64_t h = scrambled(id);
    a = reduce(h);
    b = std::rotl(h, 29);
  }
};
Content of_item(uint64_t id) {
  const ItemHash h(id);
  return {{h.a, base_a}, {h.b, base_b}, 1};
}

}  // namespace

void Content::append(const Content& other, uint64_t n) {
  Content power = other;
  for (; n; n >>= 1) {
    if (n & 1) *this = joined(*this, power);
    if (n > 1) power = joined(power, power);
  }
}

Sequences::Sequences() { intern({}); }

Sequences::Powers Sequences::powers(size_t n) {
  while (powers_.size() <= n) {
    const Powers last = powers_.back();
    powers_.push_back({times(last.a, base_a), last.b * base_b});
  }
  return powers_[n];
}

Content Sequences::content_of(const Element& e) const { return e.is_sequence ? nodes_[e.id].content : of_item(e.id); }

Sequence Sequences::intern(const std::vector<Element>& elements) {
  if (elements.size() == 1 && elements[0].is_sequence && elements[0].times == 1) {
    return static_cast<Sequence>(elements[0].id);
  }
  const Content content = content_of(elements);
  const Sequence number = numbers_.of(scrambled(content.a.value) ^ content.b.value, size(), [&](Sequence s) {
    const Content& other = nodes_[s].content;
    return other.a.value == content.a.value && other.b.value == content.b.value && other.items == content.items;
  });
  if (number < size()) return number;
  nodes_.push_back({content, store(elements), elements.size()});
  return number;
}

Content Sequences::content_of(const std::vector<Element>& elements) {
  Content content;
  for (size_t i = 0; i < elements.size();) {
    size_t items = 0;
    uint64_t a = content.a.value, b = content.b.value;
    for (; i < elements.size() && items < block && elements[i].times <= few && !elements[i].is_sequence; ++i) {
      const ItemHash h(elements[i].id);
      for (uint64_t k = 0; k < elements[i].times; ++k) {
        a = plus(times(a, base_a), h.a);
        b = b * base_b + h.b;
      }
      items += elements[i].times;
    }
    const Powers power = powers(items);
    content = {
        {a, times(content.a.power, power.a)}, {b, content.b.power * power.b}, saturating_sum(content.items, items)};
    if (!items) {
      content.append(content_of(elements[i]), elements[i].times);
      ++i;
    }
  }
  return content;
}

const Element* Sequences::store(const std::vector<Element>& elements) {
  const size_t n = elements.size();
  if (n > free_) {
    free_ = std::max(n, block);
    blocks_.push_back(std::make_unique_for_overwrite<Element[]>(free_));
    end_ = blocks_.back().get() + free_;
  }
  Element* first = end_ - free_;
  std::copy(elements.begin(), elements.end(), first);
  free_ -= n;
  return first;
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
  const std::span<const Element> own = elements(s);
  if (own.size() == 1) {
    Element only = own.front();
    only.times = saturating_product(only.times, n);
    append(list, only);
  } else if (n == 1 && own.size() <= few) {
    for (const Element& e : own) append(list, e);
  } else {
    append(list, {s, 1, n});
  }
}

}  // namespace leadline::structure
