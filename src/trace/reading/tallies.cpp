#include "trace/reading/tallies.hpp"

#include <algorithm>
#include <optional>

#include "trace/reading/symbol_walk.hpp"
#include "trace/saturating.hpp"

namespace leadline::trace {

namespace {

// The literals that are keys, not positions, in order, with the number of successive repeats.
template <class EachKey>
void for_each_literal_key(const Generation& g, EachKey&& each) {
  ByteReader in(g.literals.data(), g.literals.size());
  Key previous{};
  Key repeated{};
  bool is_key = false;
  while (!in.at_end()) {
    EventLiteral literal;
    if (!read_event_literal(in, &literal, &previous)) break;
    switch (literal.kind) {
      case EventLiteral::Kind::position:
        is_key = false;
        if (literal.number < g.positions.size()) previous = g.positions[literal.number].key;
        break;
      case EventLiteral::Kind::key:
        is_key = true;
        each(repeated = previous, uint64_t{1});
        break;
      case EventLiteral::Kind::repeat:
        if (is_key) each(repeated, literal.number);
        break;
    }
    if (literal.last) previous = Key{};
  }
  if (is_key) each(repeated, g.tail_repeats);
}

// The bound for the steps of the varying parameters: each is a visit of a varying position.
uint64_t most_variations(const Generation& g) {
  uint64_t n = 0;
  for (const DecodedPosition& p : g.positions) {
    if (p.mode == mode_first_wild) n = saturating_sum(n, p.times.count);
  }
  return std::min(n, g.events);
}

// Counting reads no more of them than it can in about a minute.
constexpr uint64_t most_counted_variations = uint64_t{1} << 32;

// Only one of the fields tag and extra changes: counting may ignore that.
bool tags_only(const std::vector<DecodedGraph<Variation>::Node>& nodes, const std::vector<uint8_t>& literals) {
  if (!literals.empty()) return false;
  for (const auto& n : nodes) {
    if (n.symbol.count || n.symbol.peer || n.symbol.value || n.symbol.extra) return false;
  }
  return true;
}

void tally_key(const Generation& g, Key key, uint64_t times, const std::function<void(const Tally&)>& visit) {
  if (!times) return;
  g.limits.apply(&key);
  const Words w = words_of(g, key.extra);
  visit(Tally{&key, times, w.data, w.count, 0, false});
}

void tally_variations(const Generation& g, const std::function<void(const Tally&)>& visit) {
  std::vector<std::optional<Key>> last(g.positions.size());
  std::vector<uint64_t> seen(g.positions.size());
  const bool simple = tags_only(g.variations.nodes, g.variations.literals);
  if (!simple) {
    const Order order = order_of(g.variations, g.variation_tokens);
    SymbolWalk<Variation> walk(g.variations, order);
    Variation v{};
    for (uint64_t left = std::min(most_variations(g), most_counted_variations); left > 0 && walk.next(&v); --left) {
      if (v.position >= g.positions.size() || g.positions[v.position].mode != mode_first_wild) continue;
      auto& key = last[v.position];
      if (!key) key = g.positions[v.position].key;
      apply(v, &*key);
      ++seen[v.position];
      tally_key(g, *key, 1, visit);
    }
  }
  for (size_t i = first_position; i < g.positions.size(); ++i) {
    const DecodedPosition& p = g.positions[i];
    if (p.mode == mode_first_wild && p.times.count > seen[i]) tally_key(g, p.key, p.times.count - seen[i], visit);
  }
}

void tally_literals(const Generation& g, const std::function<void(const Tally&)>& visit) {
  for_each_literal_key(g, [&](const Key& key, uint64_t times) { tally_key(g, key, times, visit); });
}

}  // namespace

uint64_t most_events(const Generation& g, std::vector<uint32_t>* keys) {
  if (!keys && g.most != UINT64_MAX) return g.most;
  uint64_t n = 0;
  for (const DecodedPosition& p : g.positions) n = saturating_sum(n, p.times.count);
  for_each_literal_key(g, [&](const Key& key, uint64_t times) {
    n = saturating_sum(n, times);
    if (!keys || key.site >= std::min(g.limits.sites, most_sites)) return;
    if (key.site >= keys->size()) keys->resize(key.site + 1);
    ++(*keys)[key.site];
  });
  return std::min(n, g.events);
}

uint64_t uncounted_variations(const Generation& g) {
  const uint64_t n = most_variations(g);
  return n > most_counted_variations && !tags_only(g.variations.nodes, g.variations.literals)
             ? n - most_counted_variations
             : 0;
}

void for_each_tally(const Stream& stream, const std::function<void(const Tally&)>& visit) {
  for (const WrittenGeneration& written : stream.generations) {
    const std::shared_ptr<const Generation> decoded = written.decoded();
    const Generation& g = *decoded;
    for (size_t i = first_position; i < g.positions.size(); ++i) {
      const DecodedPosition& p = g.positions[i];
      if (p.mode == mode_times_only || p.mode == mode_first_wild || !p.times.count) continue;
      const Words w = words_of(g, p.key.extra);
      visit(Tally{&p.key, p.times.count, w.data, w.count, p.amount, p.mode == mode_bag_coarse});
    }
    for (const DecodedPolls::Site& s : g.polls.sites) {
      if (s.times.count) visit(Tally{&s.key, s.times.count, nullptr, 0, 0, false});
    }
    tally_variations(g, visit);
    tally_literals(g, visit);
  }
}

void for_each_site_time(const Stream& stream, const std::function<void(uint32_t, const TimeStats&)>& visit) {
  for (const WrittenGeneration& written : stream.generations) {
    const std::shared_ptr<const Generation> decoded = written.decoded();
    const Generation& g = *decoded;
    for (size_t i = first_position; i < g.positions.size(); ++i) {
      if (g.positions[i].times.count) visit(g.positions[i].key.site, g.positions[i].times);
    }
    for (const DecodedPolls::Site& s : g.polls.sites) {
      if (s.times.count) visit(s.key.site, s.times);
    }
  }
}

}  // namespace leadline::trace
