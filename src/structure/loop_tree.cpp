// Derives the tree from the trace's graphs without expanding them.
//
// A generation is a hierarchy of graphs (trace/graph.hpp): tokens say how far to follow the edges of the graph beneath
// and where to jump then; the tokens themselves are walked by those of the next graph. What a walk of some steps from a
// node does is the same each time, so it is parsed once; where it goes round a cycle of edges, one round is. Literals
// are read where they come.
#include "structure/loop_tree.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "structure/parse.hpp"
#include "trace/hash.hpp"
#include "trace/reading/walk.hpp"
#include "trace/saturating.hpp"

namespace leadline::structure {

namespace {

using trace::first_position;
using trace::Generation;
using trace::Key;
using trace::literal_target;
using trace::root_position;
using trace::saturating_product;
using trace::saturating_sum;
using trace::Token;

// Calls that are looked at one by one. More make no tree worth having, or come from a damaged file.
constexpr uint64_t most_calls = uint64_t{1} << 26;
constexpr unsigned graphs = trace::levels + 1;  // of positions, and of tokens upon tokens

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
  static uint64_t hash_of(const void* data, size_t bytes) {
    uint64_t hash = bytes, word = 0;
    for (size_t at = 0; at < bytes; at += sizeof(word)) {
      std::memcpy(&word, static_cast<const char*>(data) + at, sizeof(word));
      hash = trace::mix(hash, word);
    }
    return hash;
  }

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

// Where following the edges of a graph leads: from each node to a cycle, sooner or later, or to an end.
class Cycles {
 public:
  template <class Next>
  void find(uint32_t nodes, Next next) {
    constexpr uint32_t unknown = 0, on_way = 1, known = 2;
    length_.assign(nodes, 0);
    std::vector<uint32_t> state(nodes, unknown), way;
    for (uint32_t start = first_position; start < nodes; ++start) {
      way.clear();
      uint32_t n = start;
      while (n >= first_position && n < nodes && state[n] == unknown) {
        state[n] = on_way;
        way.push_back(n);
        n = next(n);
      }
      if (n >= first_position && n < nodes && state[n] == on_way) {
        const auto first = std::find(way.begin(), way.end(), n);
        for (auto on = first; on != way.end(); ++on) length_[*on] = static_cast<uint32_t>(way.end() - first);
      }
      for (const uint32_t w : way) state[w] = known;
    }
  }
  // Of the cycle that the node lies on, 0: on none.
  uint32_t length(uint32_t node) const { return length_[node]; }

 private:
  std::vector<uint32_t> length_;
};

class Derivation {
 public:
  Derivation(const trace::Stream& stream, LoopTree* tree) : parser_(stream, tree), numbers_(tree), tree_(*tree) {}

  void add(const Generation& g) {
    if (g.unordered) {
      tree_.lost_calls += g.events;
      parser_.append_outside(Item::of(Item::Kind::lost, g.number), &out_);
      before_ = Parser::no_site;
      return;
    }
    begin(g);
    trace::StreamWalk walk(g.tokens.stream);
    Token token;
    while (!ended_ && walk.next(&token)) take(graphs - 1, token);
    // Where a walk is over, those beneath go on to their own ends.
    for (unsigned i = ended_ ? ended_at_ : graphs; i-- > 0;) {
      ended_ = false;
      follow(i, tail_run(i));
      if (ended_) i = ended_at_;
    }
  }

  Sequence finish() { return parser_.finish(&out_); }

 private:
  struct Path {
    bool tried = false, pure = false;
    uint32_t end = 0;
    Stretch stretch;
  };

  void begin(const Generation& g) {
    g_ = &g;
    ended_ = false;
    paths_.clear();
    items_.assign(g.positions.size(), UINT64_MAX);
    std::fill(current_, current_ + graphs, root_position);
    literals_ = trace::ByteReader(g.literals.data(), g.literals.size());
    previous_ = repeated_ = Key{};
    for (unsigned i = 0; i < graphs; ++i) {
      cycles_[i].find(nodes(i), [&](uint32_t n) { return next(i, n); });
      if (i) tokens_[i] = trace::ByteReader(graph(i).literals.data(), graph(i).literals.size());
    }
  }

  const trace::DecodedGraph<Token>& graph(unsigned i) const { return g_->tokens.level[i - 1]; }
  uint32_t nodes(unsigned i) const { return static_cast<uint32_t>(i ? graph(i).nodes.size() : g_->positions.size()); }
  uint32_t next(unsigned i, uint32_t node) const { return i ? graph(i).nodes[node].next : g_->positions[node].next; }
  uint64_t tail_run(unsigned i) const { return i ? graph(i).tail_run : g_->tail_run; }
  const Token& token(unsigned i, uint32_t node) const { return graph(i).nodes[node].symbol; }
  bool exists(unsigned i, uint32_t node) const { return node >= first_position && node < nodes(i); }
  uint32_t site(uint32_t position) const { return g_->positions[position].key.site; }
  uint64_t item(uint32_t position) {
    uint64_t& known = items_[position];
    if (known == UINT64_MAX) {
      const trace::DecodedPosition& p = g_->positions[position];
      known = numbers_.of(*g_, p.key, p.mode == trace::mode_first_wild);
    }
    return known;
  }

  // --- What is the same each time ---

  // From node `from` by an edge or a jump to `to`. False where literals are to be read.
  bool go(unsigned i, uint32_t from, uint32_t to, Stretch* into) {
    if (!exists(i, to)) return false;
    if (!i) {
      if (++calls_ > most_calls) return false;
      parser_.call(site(from), site(to), item(to), 1, into);
      return true;
    }
    const Token t = token(i, to);
    uint32_t at = token(i, from).target;
    return t.target != literal_target && at != literal_target && exists(i - 1, at) && walk(i - 1, &at, t.run, into) &&
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
      const uint64_t round = cycles_[i].length(*at);
      if (round && steps >= 2 * round) {
        Stretch once;
        uint32_t node = *at;
        for (uint64_t k = 0; k < round; ++k) {
          const uint32_t to = next(i, node);
          if (!go(i, node, to, &once)) return false;
          node = to;
        }
        parser_.append(parser_.repeated(once, steps / round), into);
        steps %= round;
        continue;
      }
      const uint32_t to = next(i, *at);
      if (!go(i, *at, to, into)) return false;
      *at = to;
      --steps;
    }
    return true;
  }

  // --- As it comes ---

  void take(unsigned i, const Token& t) {
    follow(i, t.run);
    if (ended_) return;
    if (t.target == literal_target) return read_literals(i);
    visit(i, t.target);
  }

  void follow(unsigned i, uint64_t steps) {
    for (bool tried = false; steps > 0 && !ended_; --steps) {
      uint32_t at = current_[i];
      if (at >= nodes(i)) return end(i);
      if (!tried && at != root_position) {
        tried = true;
        Stretch own;
        if (follows_on(i) && walk(i, &at, steps, &own)) {
          parser_.append(own, &out_);
          return settle(i, at);
        }
      }
      visit(i, next(i, at));
    }
  }

  // Whether the graphs beneath stand where the node's token left them.
  bool follows_on(unsigned i) const {
    for (uint32_t node = current_[i]; i > 0; --i) {
      node = token(i, node).target;
      if (node == literal_target || node != current_[i - 1] || !exists(i - 1, node)) return false;
    }
    return before_ == site(current_[0]);
  }
  void settle(unsigned i, uint32_t node) {
    for (current_[i] = node; i > 0; --i) current_[i - 1] = node = token(i, node).target;
    before_ = site(current_[0]);
  }

  void end(unsigned i) {
    ended_ = true;
    ended_at_ = i;
  }

  void visit(unsigned i, uint32_t node) {
    if (!exists(i, node)) return end(i);
    current_[i] = node;
    if (i) return take(i - 1, token(i, node));
    call(site(node), item(node), 1);
  }

  void call(uint32_t site, uint64_t item, uint64_t times) {
    if (++calls_ > most_calls) return end(0);
    parser_.call(before_, site, item, times, &out_);
    before_ = site;
  }

  void read_literals(unsigned i) {
    current_[i] = root_position;
    if (!i) return read_calls();
    trace::ByteReader& in = tokens_[i];
    for (bool last = false; !last && !ended_;) {
      if (in.at_end()) return end(i);
      last = in.byte() & 1;
      Token t;
      trace::read_literal(in, &t);
      if (!in.ok()) return end(i);
      take(i - 1, t);
    }
  }

  // An open block is the last thing there is.
  void read_calls() {
    previous_ = Key{};
    for (;;) {
      if (literals_.at_end()) {
        if (g_->tail_repeats) call(repeated_.site, repeated_item_, g_->tail_repeats);
        return end(0);
      }
      trace::EventLiteral literal;
      if (!trace::read_event_literal(literals_, &literal, &previous_)) return end(0);
      uint64_t times = 1;
      switch (literal.kind) {
        case trace::EventLiteral::Kind::position:
          if (literal.number >= g_->positions.size()) return end(0);
          repeated_ = previous_ = g_->positions[literal.number].key;
          repeated_item_ = numbers_.of(*g_, repeated_, false);
          break;
        case trace::EventLiteral::Kind::key:
          repeated_ = previous_;
          repeated_item_ = numbers_.of(*g_, repeated_, false);
          break;
        case trace::EventLiteral::Kind::repeat:
          times = literal.number;
          break;
      }
      if (times) call(tree_.calls[Item(repeated_item_).index()].key.site, repeated_item_, times);
      if (literal.last) return;
    }
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
  const Generation* g_ = nullptr;
  Stretch out_;
  uint32_t before_ = Parser::no_site;  // site of the last call
  uint64_t calls_ = 0;
  bool ended_ = false;
  unsigned ended_at_ = 0;
  uint32_t current_[graphs] = {};
  Cycles cycles_[graphs];
  std::unordered_map<std::pair<uint64_t, uint64_t>, Path, HashPair> paths_;
  std::vector<uint64_t> items_;  // by position
  trace::ByteReader tokens_[graphs] = {{nullptr, 0}, {nullptr, 0}, {nullptr, 0}, {nullptr, 0}};
  trace::ByteReader literals_{nullptr, 0};
  Key previous_{}, repeated_{};
  uint64_t repeated_item_ = 0;
};

// The sequence an element leads to, 0 where it is a call.
Sequence inside(const LoopTree& tree, const Element& e) {
  if (e.is_sequence) return static_cast<Sequence>(e.id);
  const Item item(e.id);
  switch (item.kind()) {
    case Item::Kind::instance:
      return tree.instances[item.index()].iterations;
    case Item::Kind::variant:
      return item.index();
    case Item::Kind::call:
    case Item::Kind::lost:
      return 0;
  }
  return 0;
}

bool is_call(const Element& e) { return !e.is_sequence && Item(e.id).kind() == Item::Kind::call; }

}  // namespace

LoopTree loop_tree(const trace::Stream& stream) {
  LoopTree tree;
  Derivation derivation(stream, &tree);
  for (const Generation& g : stream.generations) derivation.add(g);
  tree.root = derivation.finish();
  return tree;
}

std::vector<uint64_t> LoopTree::count_calls() const {
  std::vector<uint64_t> calls(sequences.size());
  for (Sequence s = 1; s < sequences.size(); ++s) {
    for (const Element& e : sequences.elements(s)) {
      const uint64_t one = is_call(e) ? 1 : calls[inside(*this, e)];
      calls[s] = saturating_sum(calls[s], saturating_product(one, e.times));
    }
  }
  return calls;
}

std::vector<uint64_t> LoopTree::count_occurrences() const {
  std::vector<uint64_t> occur(sequences.size());
  occur[root] = 1;
  for (Sequence s = sequences.size(); s-- > 1;) {
    if (!occur[s]) continue;
    for (const Element& e : sequences.elements(s)) {
      const Sequence in = inside(*this, e);
      if (in) occur[in] = saturating_sum(occur[in], saturating_product(occur[s], e.times));
    }
  }
  return occur;
}

void for_each_call(const LoopTree& tree, const std::function<void(const CallItem& call, uint64_t times)>& visit) {
  struct Place {
    Sequence sequence;
    size_t element = 0;
    uint64_t given = 0;  // of the element's times
  };
  std::vector<Place> stack{{tree.root}};
  while (!stack.empty()) {
    Place& at = stack.back();
    const Sequences::Range own = tree.sequences.elements(at.sequence);
    if (at.element == own.size()) {
      stack.pop_back();
      continue;
    }
    const Element& e = own.first[at.element];
    const Sequence in = inside(tree, e);
    if (!in) {
      if (is_call(e)) visit(tree.calls[Item(e.id).index()], e.times);
      ++at.element;
    } else if (at.given++ < e.times) {
      stack.push_back({in});
    } else {
      ++at.element;
      at.given = 0;
    }
  }
}

}  // namespace leadline::structure
