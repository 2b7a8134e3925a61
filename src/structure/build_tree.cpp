// Derives the tree from the trace's graphs without expanding them.
//
// A generation is a hierarchy of graphs, whose order comes in pieces (trace/reading/order.hpp). A way of some steps
// from a node does the same each time, so it is parsed once; of a cycle of edges, one pass is parsed. Literals are
// read where they come.
#include "structure/build_tree.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>

#include "structure/parse.hpp"
#include "structure/split_iterations.hpp"
#include "trace/hash.hpp"
#include "trace/reading/generation_walk.hpp"
#include "trace/reading/literals.hpp"
#include "trace/reading/order.hpp"
#include "trace/saturating.hpp"

namespace leadline::structure {

namespace {

using trace::Generation;
using trace::Key;
using trace::literal_target;
using trace::OrderWalk;
using trace::saturating_sum;
using trace::Token;

// Calls that are examined one by one. More give no useful tree, or come from a damaged file.
constexpr uint64_t most_calls = uint64_t{1} << 26;
// If ways are shorter than this, taking them step by step is quicker.
constexpr uint64_t short_way = 4;
constexpr unsigned tried_ways = 64, single_steps = 4096;

uint64_t hash_of(const void* data, size_t bytes) {
  uint64_t hash = bytes, word = 0;
  for (size_t at = 0; at < bytes; at += sizeof(word)) {
    std::memcpy(&word, static_cast<const char*>(data) + at, sizeof(word));
    hash = trace::mix(hash, word);
  }
  return hash;
}

// The numbers of calls: equal ones share theirs, in all generations.
class CallNumbers {
 public:
  explicit CallNumbers(LoopTree* tree) : tree_(*tree) {}

  uint64_t of(const Generation& g, Key key, bool varies) {
    g.limits.apply(&key);
    if (varies) {
      Key shape{};
      shape.site = key.site;
      shape.comm = key.comm;
      key = shape;
    } else if (const trace::Words w = trace::words_of(g, key.extra); w.count) {
      key.extra = trace::link_interned | list({w.data, w.data + w.count});
    }
    const auto next = static_cast<uint32_t>(tree_.calls.size());
    const uint32_t number = numbers_.of(hash_of(&key, sizeof(key)) + varies, next, [&](uint32_t n) {
      return tree_.calls[n].key == key && tree_.calls[n].varies == varies;
    });
    if (number == next) tree_.calls.push_back({key, varies});
    return Item::of(Item::Kind::call, number);
  }

 private:
  uint32_t list(std::vector<int64_t> words) {
    const auto next = static_cast<uint32_t>(tree_.words.size());
    const uint64_t hash = hash_of(words.data(), words.size() * sizeof(int64_t));
    const uint32_t number = lists_.of(hash, next, [&](uint32_t n) { return tree_.words[n] == words; });
    if (number == next) tree_.words.push_back(std::move(words));
    return number;
  }

  LoopTree& tree_;
  Numbering numbers_, lists_;
};

// The call sites whose parameters vary without end: nearly every call has different ones, so no variant would recur.
class VaryingSites {
 public:
  VaryingSites() = default;
  // `written`: by site, the keys that were written out since the recorder found no place for them.
  VaryingSites(const Generation& g, const std::vector<uint32_t>& written) {
    struct Fixed {
      uint32_t site;
      uint64_t hash, calls;
    };
    std::vector<Fixed> fixed;
    std::vector<uint32_t> positions;
    fixed.reserve(g.positions.size());
    for (size_t i = trace::first_position; i < g.positions.size(); ++i) {
      const trace::DecodedPosition& p = g.positions[i];
      if (p.mode || !p.times.count || p.key.site >= std::min(g.limits.sites, trace::most_sites)) continue;
      fixed.push_back({p.key.site, hash_of(&p.key, sizeof(p.key)), p.times.count});
      ++at(p.key.site, &positions);
    }
    std::vector<uint64_t> calls(positions.size());
    std::vector<uint32_t> keys(positions.size());
    Numbering known;
    uint32_t next = 0;
    for (const Fixed& f : fixed) {
      if (positions[f.site] <= few_keys) continue;
      calls[f.site] = saturating_sum(calls[f.site], f.calls);
      if (known.of(f.hash, next, [](uint32_t) { return true; }) != next) continue;
      ++next;
      ++keys[f.site];
    }
    for (uint32_t site = 0; site < keys.size(); ++site) {
      if (keys[site] > few_keys && keys[site] > calls[site] / 4 * 3) at(site, &varies_) = true;
    }
    for (uint32_t site = 0; site < written.size(); ++site) {
      if (written[site] > few_keys) at(site, &varies_) = true;
    }
  }

  bool has(uint32_t site) const { return site < varies_.size() && varies_[site]; }

 private:
  static constexpr uint32_t few_keys = 16;

  template <class T>
  static T& at(uint32_t site, std::vector<T>* by_site) {
    if (site >= by_site->size()) by_site->resize(site + 1);
    return (*by_site)[site];
  }

  std::vector<uint8_t> varies_;
};

class Derivation {
 public:
  Derivation(const trace::Stream& stream, LoopTree* tree) : parser_(stream, tree), numbers_(tree), tree_(*tree) {}

  void add(std::shared_ptr<const Generation> decoded) {
    g_ = std::move(decoded);
    const Generation& g = *g_;
    if (g.unordered) {
      tree_.lost_calls += g.events;
      parser_.append_outside(Item::of(Item::Kind::lost, g.number), &out_);
      before_ = Parser::no_site;
      return;
    }
    begin(g);
    for (bool more = true; more && left_ && calls_ <= most_calls;) {
      const OrderWalk::Piece piece = next_piece();
      left_ -= piece.weight;  // 0 of literals
      switch (piece.kind) {
        case OrderWalk::Piece::Kind::way:
          more = follow(piece);
          break;
        case OrderWalk::Piece::Kind::visit:
          call(site(piece.node), item(piece.node), 1);
          break;
        case OrderWalk::Piece::Kind::literal:
          do {
            more = read_call();
          } while (more && within_block_ && left_ && calls_ <= most_calls);
          break;
        case OrderWalk::Piece::Kind::end:
          more = false;
      }
    }
  }

  // Of the generation that was added last.
  void tell_places(const EachPlace& each) {
    if (g_->unordered) return;
    for (uint32_t i = trace::first_position; i < g_->positions.size(); ++i) {
      const trace::DecodedPosition& p = g_->positions[i];
      const bool own = p.mode == 0 || p.mode == trace::mode_first_wild;
      each(own ? Item(item(i)).index() : no_call, p);
    }
  }

  // Lets go of it.
  void leave() {
    walk_.reset();
    orders_.reset();
    paths_.clear();
    g_.reset();
  }

  Sequence finish() { return parser_.finish(&out_); }

 private:
  struct Path {
    bool tried = false, pure = false;
    uint32_t end = 0;
    Stretch stretch;
  };

  void begin(const Generation& g) {
    paths_.clear();
    std::vector<uint32_t> keys;
    left_ = trace::most_events(g, &keys);
    varying_ = VaryingSites(g, keys);
    varying_items_.clear();
    items_.assign(g.positions.size(), UINT64_MAX);
    alike_items_.assign(g.positions.size(), UINT64_MAX);
    literals_ = trace::ByteReader(g.literals.data(), g.literals.size());
    previous_ = Key{};
    previous_at_ = trace::root_position;
    within_block_ = tail_given_ = false;
    orders_.emplace(g);
    // For a graph that is hardly walked more than once, precomputing where its edges lead does not pay.
    planned_ = left_ / short_way >= g.positions.size();
    if (planned_) orders_->events.plan();
    walk_.emplace(orders_->events);
    single_ = tried_ = 0;
    tried_weight_ = 0;
  }

  // Ways if they are long, otherwise single steps.
  OrderWalk::Piece next_piece() {
    if (!planned_ || single_) {
      if (planned_) --single_;
      OrderWalk::Piece piece = walk_->step();
      if (piece.kind == OrderWalk::Piece::Kind::visit) piece.weight = 1;
      return piece;
    }
    const OrderWalk::Piece piece = walk_->next(left_);
    tried_weight_ = saturating_sum(tried_weight_, piece.weight);
    if (++tried_ == tried_ways) {
      if (tried_weight_ < tried_ways * short_way) single_ = single_steps;
      tried_ = 0;
      tried_weight_ = 0;
    }
    return piece;
  }

  bool follow(const OrderWalk::Piece& way) {
    uint32_t at = way.node;
    if (way.level == 0 && way.steps < short_way) {
      for (uint64_t k = 0; k < way.steps; ++k) {
        at = order().next(0, at);
        call(site(at), item(at), 1);
      }
      return true;
    }
    Stretch own;
    if (!walk(way.level, &at, way.steps, &own)) return false;
    parser_.append(own, &out_);
    before_ = site(walk_->base());
    return true;
  }

  const trace::Order& order() const { return orders_->events; }
  uint32_t site(uint32_t position) const { return g_->positions[position].key.site; }
  uint64_t item(uint32_t position) {
    uint64_t& known = items_[position];
    if (known == UINT64_MAX) {
      const trace::DecodedPosition& p = g_->positions[position];
      known = p.mode == trace::mode_first_wild ? numbers_.of(*g_, p.key, true) : written_item(p.key);
    }
    return known;
  }
  // Of a call whose key is written out, in a position or in a literal.
  uint64_t written_item(const Key& key) {
    if (!varying_.has(key.site)) return numbers_.of(*g_, key, false);
    if (key.site >= varying_items_.size()) varying_items_.resize(key.site + 1);
    Varying& last = varying_items_[key.site];
    if (last.comm != key.comm) last = {key.comm, numbers_.of(*g_, key, true)};
    return last.item;
  }
  // Of a call that is written out as being alike a position's first.
  uint64_t alike_item(uint64_t position) {
    uint64_t& known = alike_items_[position];
    if (known == UINT64_MAX) known = written_item(g_->positions[position].key);
    return known;
  }

  // --- What is the same each time ---

  // From node `from` by an edge or a jump to `to`. False where literals are to be read.
  bool go(unsigned i, uint32_t from, uint32_t to, Stretch* into) {
    if (!order().exists(i, to)) return false;
    if (!i) {
      if (++calls_ > most_calls) return false;
      parser_.call(site(from), site(to), item(to), 1, into);
      return true;
    }
    const Token t = order().token(i, to);
    uint32_t at = order().token(i, from).target;
    return t.target != literal_target && order().exists(i - 1, at) && walk(i - 1, &at, t.run, into) &&
           go(i - 1, at, t.target, into);
  }

  // So many steps along the edges.
  bool walk(unsigned i, uint32_t* at, uint64_t steps, Stretch* into) {
    if (!steps) return true;
    constexpr uint64_t longest = uint64_t{1} << 31;
    const auto key = std::pair(uint64_t{i} << 32 | *at, steps);
    Path* path = &paths_[key];
    if (path->tried) {
      if (!path->pure) return false;
      parser_.append(path->stretch, into);
      *at = path->end;
      return true;
    }
    // Parsed by itself where it may come again.
    const bool keep = i > 0 || path->end == seen;
    path->end = seen;
    if (!keep && steps < longest) return walk_anew(i, at, steps, into);
    Stretch own;
    uint32_t end = *at;
    const bool pure = walk_anew(i, &end, steps, &own);
    path = &paths_[key];
    path->tried = true;
    path->pure = pure;
    path->end = end;
    if (!pure) return false;
    parser_.pack(&own);
    parser_.append(own, into);
    path->stretch = std::move(own);
    *at = end;
    return true;
  }

  bool walk_anew(unsigned i, uint32_t* at, uint64_t steps, Stretch* into) {
    while (steps > 0) {
      const uint64_t cycle = order().routes(i).cycle(*at);
      if (cycle && steps >= 2 * cycle) {
        Stretch once;
        uint32_t node = *at;
        for (uint64_t k = 0; k < cycle; ++k) {
          const uint32_t to = order().next(i, node);
          if (!go(i, node, to, &once)) return false;
          node = to;
        }
        parser_.append(parser_.repeated(once, steps / cycle), into);
        steps %= cycle;
        continue;
      }
      const uint32_t to = order().next(i, *at);
      if (!go(i, *at, to, into)) return false;
      *at = to;
      --steps;
    }
    return true;
  }

  // --- As it comes ---

  void call(uint32_t site, uint64_t item, uint64_t times) {
    ++calls_;
    parser_.call(before_, site, item, times, &out_);
    before_ = site;
  }

  // The next literal. False at the end: an open block is the last thing there is.
  bool read_call() {
    uint64_t times = 1;
    bool last = false;
    if (literals_.at_end()) {
      if (tail_given_) return false;
      tail_given_ = true;
      times = g_->tail_repeats;
    } else {
      if (!within_block_) {
        previous_ = Key{};
        previous_at_ = trace::root_position;
      }
      if (previous_at_ && trace::key_follows(literals_)) {
        previous_ = g_->positions[previous_at_].key;
        previous_at_ = trace::root_position;
      }
      trace::EventLiteral literal;
      if (!trace::read_event_literal(literals_, &literal, &previous_)) return false;
      last = literal.last;
      within_block_ = !last;
      walk_->literal_read(last);
      switch (literal.kind) {
        case trace::EventLiteral::Kind::position:
          if (literal.number >= g_->positions.size()) return false;
          previous_at_ = literal.number;
          repeated_item_ = alike_item(literal.number);
          break;
        case trace::EventLiteral::Kind::key:
          repeated_item_ = written_item(previous_);
          break;
        case trace::EventLiteral::Kind::repeat:
          times = literal.number;
          break;
      }
    }
    times = std::min(times, left_);
    left_ -= times;
    if (times && !tree_.calls.empty()) call(tree_.calls[Item(repeated_item_).index()].key.site, repeated_item_, times);
    return true;
  }

  static constexpr uint32_t seen = UINT32_MAX;
  struct HashPair {
    size_t operator()(const std::pair<uint64_t, uint64_t>& p) const {
      return (p.first * 0x9e3779b97f4a7c15 ^ p.second) * 0xff51afd7ed558ccd >> 7;
    }
  };

  Parser parser_;
  CallNumbers numbers_;
  LoopTree& tree_;
  std::shared_ptr<const Generation> g_;
  Stretch out_;
  uint32_t before_ = Parser::no_site;  // site of the last call
  uint64_t calls_ = 0;                 // that were looked at
  uint64_t left_ = 0;                  // of the generation's calls
  std::optional<trace::Orders> orders_;
  std::optional<OrderWalk> walk_;
  std::unordered_map<std::pair<uint64_t, uint64_t>, Path, HashPair> paths_;
  std::vector<uint64_t> items_, alike_items_;  // by position
  struct Varying {
    uint32_t comm = UINT32_MAX;
    uint64_t item = 0;
  };
  VaryingSites varying_;
  std::vector<Varying> varying_items_;  // by site: the last
  bool planned_ = false;
  unsigned single_ = 0, tried_ = 0;  // steps still to be taken singly; ways tried
  uint64_t tried_weight_ = 0;
  trace::ByteReader literals_;
  bool within_block_ = false, tail_given_ = false;
  Key previous_{};
  uint64_t previous_at_ = trace::root_position;  // its position, if it was not looked up yet; positions are many
  uint64_t repeated_item_ = 0;
};

}  // namespace

LoopTree loop_tree(const trace::Stream& stream) { return loop_tree(stream, {}); }

LoopTree loop_tree(const trace::Stream& stream, const EachPlace& each) {
  LoopTree tree;
  Derivation derivation(stream, &tree);
  for (const trace::WrittenGeneration& g : stream.generations) {
    derivation.add(g.decoded());
    if (each) derivation.tell_places(each);
    derivation.leave();
  }
  tree.root = derivation.finish();
  for (const trace::SilentSteps& steps : stream.steps) split_iterations(steps, &tree);
  return tree;
}

}  // namespace leadline::structure
