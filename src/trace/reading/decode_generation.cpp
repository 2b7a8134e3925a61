#include <algorithm>

#include "trace/limits.hpp"
#include "trace/reading/literals.hpp"
#include "trace/structure.hpp"
#include "trace/time_buckets.hpp"

namespace leadline::trace {

namespace {

enum : uint8_t { site_as_predicted = 1, next_is_following = 2, mode_is_plain = 4 };

bool get_words(ByteReader& in, Generation* g) {
  const size_t n = in.count();
  g->word_lists.reserve(n);
  for (size_t i = 0; i < n && in.ok(); ++i) {
    const size_t count = in.count();
    g->word_lists.push_back({static_cast<uint32_t>(g->words.size()), static_cast<uint32_t>(count)});
    int64_t word = 0;
    for (size_t w = 0; w < count; ++w) g->words.push_back(word = wrapping_sum(in.svarint(), word));
  }
  return in.ok();
}

void get_key(ByteReader& in, const Key& reference, Key* k) {
  const uint32_t site = k->site;
  *k = reference;
  k->site = site;
  const uint8_t mask = in.byte();
  const auto field = [&](uint8_t bit, auto* f) {
    if (mask & bit) *f = static_cast<std::remove_reference_t<decltype(*f)>>(wrapping_sum(in.svarint(), *f));
  };
  field(1, &k->comm);
  field(2, &k->count);
  field(4, &k->peer);
  field(8, &k->tag);
  field(16, &k->datatype);
  field(32, &k->extra);
  field(64, &k->value);
}

bool get_next(int64_t next, size_t n, uint32_t* into) {
  if (next < 0 || static_cast<uint64_t>(next) >= n) return false;
  *into = static_cast<uint32_t>(next);
  return true;
}

// The number of nodes in a graph. All but the two that hold nothing take at least `least` bytes.
size_t get_node_count(ByteReader& in, size_t least) {
  const uint64_t n = in.varint();
  if (n > first_position && n - first_position > in.left() / least) in.fail();
  return in.ok() ? static_cast<size_t>(n) : 0;
}

std::string get_positions(ByteReader& in, Generation* g) {
  const size_t n = get_node_count(in, 2);  // control and mask
  if (!in.ok() || n > capacity::positions) return "too many positions";
  g->positions.resize(std::max<size_t>(n, 1));
  if (n > 0 && !get_next(static_cast<int64_t>(in.varint()), n, &g->positions[0].next))
    return "invalid position reference";
  struct Memory {
    uint32_t last_position = 0, next_site = 0;
  };
  std::vector<Memory> memory(capacity::sites);
  uint32_t previous_site = 0;
  for (size_t i = first_position; i < n && in.ok(); ++i) {
    DecodedPosition& p = g->positions[i];
    const uint8_t control = in.byte();
    const uint64_t site = control & site_as_predicted ? memory[previous_site].next_site : in.varint();
    if (site >= capacity::sites) return "call site out of range";
    p.key.site = static_cast<uint32_t>(site);
    const auto here = static_cast<int64_t>(i);
    const int64_t next = control & next_is_following ? here + 1 : wrapping_sum(here, in.svarint());
    if (!get_next(next, n, &p.next)) return "invalid position reference";
    if (!(control & mode_is_plain)) {
      const uint64_t mode = in.varint();
      if (mode > mode_first_wild) return "unknown kind of position";
      p.mode = static_cast<uint32_t>(mode);
      if (mode == mode_first_wild) p.fixed_visits = in.varint();
    }
    const uint32_t last = memory[site].last_position;
    get_key(in, last ? g->positions[last].key : Key{}, &p.key);
    memory[site].last_position = static_cast<uint32_t>(i);
    memory[previous_site].next_site = p.key.site;
    previous_site = p.key.site;
  }
  return in.ok() ? "" : "truncated positions";
}

void get_times(ByteReader& in, TimeStats* t, int64_t* previous_count) {
  *previous_count = wrapping_sum(*previous_count, in.svarint());
  t->count = static_cast<uint64_t>(*previous_count);
  if (!t->count) return;
  t->sum_ns = static_cast<double>(in.varint());
  t->gap_sum_ns = static_cast<double>(in.varint());
  const uint64_t min = in.varint();
  t->min_ns = static_cast<double>(min);
  t->max_ns = static_cast<double>(min + in.varint());
  const unsigned first = in.byte(), span = in.byte();
  if (first + span > time_buckets) return in.fail();
  uint64_t left = t->count;
  t->hist.hold(first, first + span);
  for (unsigned b = first; b + 1 < first + span; ++b) {
    const uint64_t calls = std::min<uint64_t>(in.varint(), left);
    t->hist.add(b, calls);
    left -= calls;
  }
  if (span) t->hist.add(first + span - 1, left);
}

bool get_block(ByteReader& in, std::vector<uint8_t>* into) {
  const size_t n = in.count();
  const ByteReader part = in.bytes(n);
  if (in.ok() && n) into->assign(part.data(), part.data() + n);
  return in.ok();
}

void get_symbol(ByteReader& in, Token* t) {
  t->run = in.varint();
  t->target = static_cast<uint32_t>(std::min<uint64_t>(in.varint(), UINT32_MAX));
}

void get_symbol(ByteReader& in, Variation* v) {
  v->position = static_cast<uint32_t>(std::min<uint64_t>(in.varint(), UINT32_MAX));
  const uint8_t mask = in.byte();
  if (mask & 1) v->count = in.svarint();
  if (mask & 2) v->peer = static_cast<int32_t>(in.svarint());
  if (mask & 4) v->tag = static_cast<int32_t>(in.svarint());
  if (mask & 8) v->extra = static_cast<int32_t>(in.svarint());
  if (mask & 16) v->value = in.svarint();
}

void get_symbol(ByteReader& in, PollRun* r) { read_literal(in, r); }

template <class Symbol>
bool get_graph(ByteReader& in, DecodedGraph<Symbol>* g) {
  g->tail_run = in.varint();
  const size_t n = get_node_count(in, 2);  // a symbol and the link
  if (!in.ok()) return false;
  g->nodes.resize(std::max<size_t>(n, 1));
  if (n > 0 && !get_next(static_cast<int64_t>(in.varint()), n, &g->nodes[0].next)) return false;
  for (size_t i = first_position; i < n && in.ok(); ++i) {
    g->nodes[i].symbol = Symbol{};
    get_symbol(in, &g->nodes[i].symbol);
    if (!get_next(wrapping_sum(static_cast<int64_t>(i + 1), in.svarint()), n, &g->nodes[i].next)) return false;
  }
  return in.ok() && get_block(in, &g->literals);
}

bool get_tokens(ByteReader& in, DecodedTokens* t) {
  for (auto& level : t->level) {
    if (!get_graph(in, &level)) return false;
  }
  return get_block(in, &t->stream);
}

bool get_polls(ByteReader& in, DecodedPolls* p) {
  const size_t n = in.count(2);
  if (!in.ok() || n > capacity::sites) return false;
  p->sites.resize(n);
  int64_t previous_count = 0;
  for (DecodedPolls::Site& s : p->sites) {
    const uint64_t site = in.varint();
    if (site >= capacity::sites) return false;
    s.key = Key{.site = static_cast<uint32_t>(site), .comm = flag_nothing, .extra = extra_nothing};
    get_times(in, &s.times, &previous_count);
    if (!in.ok()) return false;
  }
  p->tail = in.varint();
  if (p->tail) p->tail_site = static_cast<uint32_t>(std::min<uint64_t>(in.varint(), UINT32_MAX));
  p->dropped = in.varint();
  p->kept = in.varint();
  if (!p->kept) return in.ok();
  return get_graph(in, &p->runs) && get_tokens(in, &p->tokens);
}

}  // namespace

std::string decode_structure(ByteReader& in, uint32_t* thread, Generation* g) {
  *thread = static_cast<uint32_t>(in.varint());
  g->number = static_cast<uint32_t>(in.varint());
  g->unordered = in.byte() != 0;
  g->events = in.varint();
  g->misses = in.varint();
  g->tail_run = in.varint();
  g->tail_repeats = in.varint();
  if (*thread >= max_threads) return "thread number out of range";
  if (!get_words(in, g)) return "truncated interned words";
  if (std::string wrong = get_positions(in, g); !wrong.empty()) return wrong;
  if (!get_block(in, &g->literals)) return "truncated literals";
  if (!get_tokens(in, &g->tokens)) return "cannot decode the tokens";
  if (!get_graph(in, &g->variations) || !get_tokens(in, &g->variation_tokens)) return "cannot decode the variations";
  return "";
}

std::string decode_times(ByteReader& in, Generation* g) {
  int64_t previous_count = 0;
  for (size_t i = first_position; i < g->positions.size() && in.ok(); ++i) {
    get_times(in, &g->positions[i].times, &previous_count);
    if (g->positions[i].mode == mode_bag_coarse) g->positions[i].amount = in.svarint();
  }
  if (!in.ok()) return "truncated times";
  if (in.at_end()) return "";  // there were no failed polls
  return get_polls(in, &g->polls) ? "" : "cannot decode the polls";
}

std::string decode_generation(ByteReader in, uint32_t* thread, Generation* g) {
  if (std::string wrong = decode_structure(in, thread, g); !wrong.empty()) return wrong;
  if (in.varint() != *thread || in.varint() != g->number) return "times of a different generation";
  return decode_times(in, g);
}

Words words_of(const Generation& g, uint32_t extra) {
  const uint32_t index = extra & ~link_interned;
  if (index >= g.word_lists.size()) return {};
  const WordList& list = g.word_lists[index];
  return {g.words.data() + list.first, list.count};
}

}  // namespace leadline::trace
