#include "structure/split_iterations.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "structure/tree_calls.hpp"

namespace leadline::structure {

namespace {

constexpr uint32_t deepest_split = 64;               // that sequences of one body are nested
constexpr uint64_t most_pieces = uint64_t{1} << 22;  // a tree with more is of no use

// Some iterations of the inner loop, and how often they come in a row.
struct Piece {
  Sequence iterations = 0;
  uint64_t times = 1;
};

// Cuts a sequence into pieces of so many items.
class Cutter {
 public:
  Cutter(Sequences* all, uint64_t items) : all_(*all), items_(items) {}

  std::vector<Piece> cut(Sequence s) {
    take(s, 1);
    return std::move(pieces_);
  }
  bool good() const { return made_ < most_pieces; }

 private:
  // Nested sequences have lower numbers than the one they are in, but may be deep: none is entered by recursion.
  void take(Sequence whole, uint64_t whole_times) {
    struct Place {
      Sequence sequence;
      uint64_t left;
      size_t element;
    };
    std::vector<Place> stack{{whole, whole_times, 0}};
    while (!stack.empty() && good()) {
      Place& at = stack.back();
      const std::span<const Element> own = all_.elements(at.sequence);
      if (at.element == own.size()) {
        at.element = 0;
        if (!--at.left) stack.pop_back();
        continue;
      }
      const Element e = own[at.element++];
      if (e.is_sequence && !fits(all_.items(static_cast<Sequence>(e.id)))) {
        stack.push_back({static_cast<Sequence>(e.id), e.times, 0});
      } else {
        take(e);
      }
    }
  }
  bool fits(uint64_t items) const { return !filled_ && items == items_; }

  // An item, or a sequence that is a piece, so many times.
  void take(Element e) {
    if (e.is_sequence) return add({static_cast<Sequence>(e.id), e.times});
    uint64_t left = e.times;
    while (left && good()) {
      if (!filled_ && left >= items_) {
        add({all_.intern({{e.id, 0, items_}}), left / items_});
        left %= items_;
        continue;
      }
      const uint64_t some = std::min(left, items_ - filled_);
      all_.append(&open_, Element{e.id, 0, some});
      filled_ += some;
      left -= some;
      if (filled_ < items_) continue;
      add({all_.intern(open_), 1});
      open_.clear();
      filled_ = 0;
    }
  }

  void add(Piece piece) {
    ++made_;
    if (!pieces_.empty() && pieces_.back().iterations == piece.iterations) {
      pieces_.back().times += piece.times;
    } else {
      pieces_.push_back(piece);
    }
  }

  Sequences& all_;
  const uint64_t items_;
  std::vector<Piece> pieces_;
  std::vector<Element> open_;
  uint64_t filled_ = 0, made_ = 0;
};

class Splitting {
 public:
  Splitting(const trace::SilentSteps& steps, LoopTree* tree)
      : steps_(steps), tree_(*tree), before_(tree->sequences.size()) {
    for (uint32_t i = 0; i < tree_.instances.size(); ++i) {
      instances_.emplace(std::pair(tree_.instances[i].loop, tree_.instances[i].iterations), i);
    }
    find_iterations();
    find_inner();
  }

  void run() {
    now_.resize(before_);
    for (Sequence s = 1; s < before_; ++s) now_[s] = changed(s);
    tree_.root = now_[tree_.root];
  }

 private:
  // The sequences that consist of iterations of the outer loop.
  void find_iterations() {
    of_outer_.resize(before_);
    for (const LoopInstance& i : tree_.instances) {
      if (i.loop == steps_.outer) of_outer_[i.iterations] = true;
    }
    for (Sequence s = before_; s-- > 1;) {
      if (!of_outer_[s]) continue;
      for (const Element& e : tree_.sequences.elements(s)) {
        if (e.is_sequence) of_outer_[e.id] = true;
      }
    }
  }
  // Those that hold an instance of the inner one, not within another loop.
  void find_inner() {
    has_inner_.resize(before_);
    std::vector<uint32_t> depth(before_);
    for (Sequence s = 1; s < before_; ++s) {
      for (const Element& e : tree_.sequences.elements(s)) {
        if (e.is_sequence ? !has_inner_[e.id] : !is_inner(e)) continue;
        if (e.is_sequence) depth[s] = std::max(depth[s], depth[e.id] + 1);
        has_inner_[s] = depth[s] < deepest_split;
      }
    }
  }
  bool is_inner(const Element& e) const {
    const Item item(e.id);
    return !e.is_sequence && item.kind() == Item::Kind::instance && tree_.instances[item.index()].loop == steps_.inner;
  }

  Sequence changed(Sequence s) {
    std::vector<Element> made;
    bool differs = false;
    const std::span<const Element> own = tree_.sequences.elements(s);  // elements never move
    for (const Element& e : own) {
      const Item item(e.id);
      if (of_outer_[s] && !e.is_sequence && item.kind() == Item::Kind::variant && has_inner_[item.index()]) {
        const Sequence parts = iterations_of(item.index());
        tree_.sequences.append(&made, parts, e.times);
        differs = true;
        continue;
      }
      const Element as = changed(e);
      differs |= as.id != e.id;
      tree_.sequences.append(&made, as);
    }
    return differs ? tree_.sequences.intern(made) : s;
  }

  Element changed(const Element& e) {
    if (e.is_sequence) return {now_[e.id], 1, e.times};
    const Item item(e.id);
    if (item.kind() == Item::Kind::variant) return {Item::of(item.kind(), now_[item.index()]), 0, e.times};
    if (item.kind() != Item::Kind::instance) return e;
    const LoopInstance i = tree_.instances[item.index()];
    if (now_[i.iterations] == i.iterations) return e;
    return {instance(i.loop, now_[i.iterations]), 0, e.times};
  }

  uint64_t instance(uint32_t loop, Sequence iterations) {
    const auto next = static_cast<uint32_t>(tree_.instances.size());
    const auto [at, fresh] = instances_.try_emplace({loop, iterations}, next);
    if (fresh) tree_.instances.push_back({loop, iterations});
    return Item::of(Item::Kind::instance, at->second);
  }

  Element variant(const std::vector<Element>& body) {
    return {Item::of(Item::Kind::variant, tree_.sequences.intern(body)), 0, 1};
  }

  // The iterations that are in one of the outer loop's, as a sequence.
  Sequence iterations_of(Sequence body) {
    const auto [at, fresh] = parts_.try_emplace(body, 0);
    if (!fresh) return at->second;
    std::vector<Element> iterations, open;
    part(body, &open, &iterations);
    tree_.sequences.append(&iterations, variant(open));
    return at->second = tree_.sequences.intern(iterations);
  }

  // One instance of the inner loop is in it: only what leads there is taken apart.
  void part(Sequence body, std::vector<Element>* open, std::vector<Element>* iterations) {
    for (const Element& e : tree_.sequences.elements(body)) {
      if (e.is_sequence && has_inner_[e.id]) {
        part(static_cast<Sequence>(e.id), open, iterations);
      } else if (!is_inner(e)) {
        tree_.sequences.append(open, changed(e));
      } else {
        part_instance(now_[tree_.instances[Item(e.id).index()].iterations], open, iterations);
      }
    }
  }

  void part_instance(Sequence inner, std::vector<Element>* open, std::vector<Element>* iterations) {
    const uint64_t items = tree_.sequences.items(inner);
    Cutter cutter(&tree_.sequences, steps_.inner_iterations);
    std::vector<Piece> pieces{{inner, 1}};
    if (items > steps_.inner_iterations && items % steps_.inner_iterations == 0) {
      std::vector<Piece> cut = cutter.cut(inner);
      if (cutter.good()) pieces = std::move(cut);
    }
    bool first = true;
    for (const Piece& piece : pieces) {
      const Element one{instance(steps_.inner, piece.iterations), 0, 1};
      uint64_t left = piece.times;
      if (first) {
        open->push_back(one);
        first = false;
        --left;
      }
      if (!left) continue;
      tree_.sequences.append(iterations, variant(*open));
      *open = {one};
      Element more = variant(*open);
      more.times = left - 1;
      tree_.sequences.append(iterations, more);
    }
  }

  const trace::SilentSteps steps_;
  LoopTree& tree_;
  const Sequence before_;  // sequences from this number on are new
  std::vector<Sequence> now_;
  std::vector<bool> of_outer_, has_inner_;
  std::map<Sequence, Sequence> parts_;
  std::map<std::pair<uint32_t, Sequence>, uint32_t> instances_;
};

}  // namespace

void split_iterations(const trace::SilentSteps& steps, LoopTree* tree) {
  if (steps.inner_iterations) Splitting(steps, tree).run();
}

}  // namespace leadline::structure
