#include "structure/shape_pool.hpp"

#include <cstring>

#include "structure/build_tree.hpp"
#include "trace/hash.hpp"
#include "trace/reading/tallies.hpp"
#include "trace/structure.hpp"

namespace leadline::structure {

namespace {

class Hash {
 public:
  void add(uint64_t word) {
    source_.first = trace::mix(source_.first, word);
    source_.second = (source_.second + word) * 0xd6e8feb86659fd93;
    source_.second ^= source_.second >> 32;
  }
  void add(const void* data, size_t bytes) {
    add(bytes);
    uint64_t word = 0;
    for (size_t at = 0; at < bytes; at += sizeof(word)) {
      word = 0;
      std::memcpy(&word, static_cast<const char*>(data) + at, bytes - at < sizeof(word) ? bytes - at : sizeof(word));
      add(word);
    }
  }
  void add(const std::vector<uint8_t>& bytes) { add(bytes.data(), bytes.size()); }
  TreeSource source() const { return source_; }

 private:
  TreeSource source_{0x2545f4914f6cdd1d, 0x9e3779b97f4a7c15};
};

void add(const trace::Generation& g, Hash* hash) {
  hash->add(g.unordered);
  hash->add(g.events);
  hash->add(trace::most_events(g));
  if (g.unordered) return;
  for (const uint64_t v : {uint64_t{g.limits.sites}, uint64_t{g.limits.communicators}, uint64_t{g.limits.datatypes},
                           g.tail_run, g.tail_repeats, uint64_t{g.positions.size()}}) {
    hash->add(v);
  }
  for (const trace::DecodedPosition& p : g.positions) {
    const bool varies = p.mode == trace::mode_first_wild;
    hash->add(uint64_t{p.next} << 8 | p.mode);
    if (varies) {
      hash->add(uint64_t{p.key.site} << 32 | p.key.comm);
    } else {
      hash->add(&p.key, sizeof(p.key));
    }
  }
  hash->add(g.words.data(), g.words.size() * sizeof(int64_t));
  for (const trace::WordList& w : g.word_lists) hash->add(uint64_t{w.first} << 32 | w.count);
  hash->add(g.literals);
  for (const auto& level : g.tokens.level) {
    hash->add(level.tail_run);
    for (const auto& node : level.nodes) {
      hash->add(node.symbol.run);
      hash->add(uint64_t{node.symbol.target} << 32 | node.next);
    }
    hash->add(level.literals);
  }
  hash->add(g.tokens.stream);
}

}  // namespace

TreeSource source_of_tree(const trace::Stream& stream) {
  Hash hash;
  for (const trace::SourceLoop& l : stream.loops) hash.add(l.outer);
  hash.add(stream.loops.size());
  for (const uint32_t loop : stream.site_loops) hash.add(loop);
  hash.add(stream.site_loops.size());
  for (const trace::BackEdge& r : stream.back_edges) {
    hash.add(uint64_t{r.from} << 32 | r.to);
    hash.add(r.loop);
  }
  for (const trace::SilentSteps& s : stream.steps) {
    hash.add(uint64_t{s.outer} << 32 | s.inner);
    hash.add(s.inner_iterations);
  }
  for (const trace::WrittenGeneration& g : stream.generations) add(*g.decoded(), &hash);
  return hash.source();
}

const ThreadShape& ShapePool::of(const trace::Stream& stream, const SiteKinds& kinds, bool cut) {
  static const ThreadShape none;
  if (stream.loops.size() < 2) return none;
  TreeSource source = source_of_tree(stream);
  if (cut) source.second = ~source.second;
  const auto [at, fresh] = shapes_.try_emplace(source);
  if (fresh) {
    const TimedTree timed = timed_tree(stream);
    at->second = {loop_shapes(timed, stream, kinds, cut), first_calls(timed.tree), timed.tree.lost_calls};
  }
  return at->second;
}

}  // namespace leadline::structure
