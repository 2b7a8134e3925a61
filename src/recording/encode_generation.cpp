#include "recording/at_most.hpp"
#include "recording/encode.hpp"
#include "recording/token_tables.hpp"

namespace leadline::recording {

namespace {

struct Region {
  const char* base;
  const ThreadHeader& h;
  explicit Region(const char* b) : base(b), h(*reinterpret_cast<const ThreadHeader*>(b)) {}
  template <class T>
  const T* at(size_t offset) const {
    return reinterpret_cast<const T*>(base + offset);
  }
};

// Per site: the last position with it, and the site that followed it last; the reader keeps the same table.
struct SiteMemory {
  uint32_t last_position;
  uint32_t next_site;
};

void put_block(const uint8_t* data, uint64_t used, uint64_t capacity, trace::ByteSink* out) {
  const uint64_t n = at_most(used, capacity);
  out->varint(n);
  out->bytes(data, n);
}

void put_words(const Region& r, trace::ByteSink* out) {
  const auto* words = r.at<int64_t>(thread_at::words);
  const auto* lists = r.at<trace::WordList>(thread_at::word_lists);
  const uint64_t all = at_most(r.h.words.used, capacity::words);
  const uint64_t n = at_most(r.h.word_lists.used, capacity::word_lists);
  uint64_t left = all;  // no two lists share words
  out->varint(n);
  for (uint64_t i = 0; i < n; ++i) {
    const bool kept = lists[i].first <= all && lists[i].count <= all - lists[i].first && lists[i].count <= left;
    const uint32_t count = kept ? lists[i].count : 0;
    left -= count;
    out->varint(count);
    int64_t before = 0;
    for (uint32_t w = 0; w < count; ++w) {
      const int64_t word = words[lists[i].first + w];
      out->svarint(trace::wrapping_difference(word, before));
      before = word;
    }
  }
}

enum : uint8_t { site_as_predicted = 1, next_is_following = 2, mode_is_plain = 4 };

// The fields of a key that differ from those of a reference key.
void put_key(const trace::Key& k, const trace::Key& reference, trace::ByteSink* out) {
  const size_t at = out->hole();
  uint8_t mask = 0;
  const auto field = [&](uint8_t bit, int64_t now, int64_t before) {
    if (now == before) return;
    mask |= bit;
    out->svarint(trace::wrapping_difference(now, before));
  };
  field(1, k.comm, reference.comm);
  field(2, k.count, reference.count);
  field(4, k.peer, reference.peer);
  field(8, k.tag, reference.tag);
  field(16, k.datatype, reference.datatype);
  field(32, k.extra, reference.extra);
  field(64, k.value, reference.value);
  out->fill(at, mask);
}

const trace::Key& key_of(const Region& r, const Position& p, uint64_t wilds) {
  const bool wild = p.mode >= trace::mode_first_wild && p.mode - trace::mode_first_wild < wilds;
  return wild ? r.at<WildPosition>(thread_at::wild)[p.mode - trace::mode_first_wild].first : p.key;
}

void put_positions(const Region& r, uint64_t n, trace::ByteSink* out) {
  constexpr size_t memory_bytes = capacity::sites * sizeof(SiteMemory);
  void* scratch = mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (scratch == MAP_FAILED) n = 0;
  auto* memory = static_cast<SiteMemory*>(scratch);
  const auto* positions = r.at<Position>(thread_at::positions);
  const auto* wild = r.at<WildPosition>(thread_at::wild);
  const uint64_t wilds = at_most(r.h.wild.used, capacity::wild);
  const trace::Key none{};
  out->varint(n);
  if (n > 0) out->varint(positions[0].next);
  uint32_t previous_site = 0;
  for (uint64_t i = trace::first_position; i < n; ++i) {
    const Position& p = positions[i];
    const trace::Key& key = key_of(r, p, wilds);
    const uint32_t site = key.site < capacity::sites ? key.site : 0;
    const uint32_t mode = p.mode <= trace::mode_max_strikes ? 0u : p.mode;
    uint8_t control = 0;
    if (memory[previous_site].next_site == site) control |= site_as_predicted;
    if (p.next == i + 1) control |= next_is_following;
    if (mode == 0) control |= mode_is_plain;
    out->byte(control);
    if (!(control & site_as_predicted)) out->varint(site);
    if (!(control & next_is_following)) out->svarint(int64_t{p.next} - static_cast<int64_t>(i));
    const uint32_t last = memory[site].last_position;
    const trace::Key reference = last ? key_of(r, positions[last], wilds) : none;
    if (!(control & mode_is_plain)) {
      out->varint(mode < trace::mode_first_wild ? mode : trace::mode_first_wild);
      if (mode >= trace::mode_first_wild) {
        out->varint(mode - trace::mode_first_wild < wilds ? wild[mode - trace::mode_first_wild].fixed_visits : 0);
      }
    }
    put_key(key, reference, out);
    memory[site].last_position = static_cast<uint32_t>(i);
    memory[previous_site].next_site = site;
    previous_site = site;
  }
  if (scratch != MAP_FAILED) munmap(scratch, memory_bytes);
}

// Writes buckets from the first non-empty one; the last one's count follows from the total.
void put_times(const FoldedTimes& t, uint64_t* previous_count, trace::ByteSink* out) {
  out->svarint(trace::wrapping_difference(static_cast<int64_t>(t.count), static_cast<int64_t>(*previous_count)));
  *previous_count = t.count;
  if (!t.count) return;
  out->varint(t.sum);
  out->varint(t.gap_sum);
  out->varint(t.min);
  out->varint(t.max - t.min);
  int first = 0, end = trace::time_buckets;
  while (first < end && !t.hist[first]) ++first;
  while (end > first && !t.hist[end - 1]) --end;
  out->byte(static_cast<uint8_t>(first));
  out->byte(static_cast<uint8_t>(end - first));
  for (int b = first; b + 1 < end; ++b) out->varint(t.hist[b]);
}

void put_all_times(const Region& r, uint64_t n, TickScale scale, trace::ByteSink* out) {
  const auto* positions = r.at<Position>(thread_at::positions);
  const auto* raw = r.at<RawTimes>(thread_at::raw);
  const auto* folded = r.at<FoldedTimes>(thread_at::folded);
  const auto* amounts = r.at<int64_t>(thread_at::amounts);
  uint64_t previous_count = 0;
  for (uint64_t i = trace::first_position; i < n; ++i) {
    FoldedTimes t = folded[i];
    const uint32_t visits = positions[i].visits;
    const auto begin = static_cast<unsigned>(visits < 8 ? i & 7 : 0);
    fold(&t, raw[i], begin, visits == anchor_mark ? 0 : visits & 7, scale);
    put_times(t, &previous_count, out);
    if (positions[i].mode == trace::mode_bag_coarse) out->svarint(amounts[i]);
  }
}

template <class P>
void put_graph(const GraphState& state, const P* positions, uint64_t n, trace::ByteSink* out) {
  out->varint(state.run);
  out->varint(n);
  if (n > 0) out->varint(positions[0].next);
  for (uint64_t i = trace::first_position; i < n; ++i) {
    uint8_t symbol[128];
    out->bytes(symbol, static_cast<size_t>(positions[i].symbol.put_literal(symbol) - symbol));
    out->svarint(int64_t{positions[i].next} - static_cast<int64_t>(i + 1));
  }
}

void put_tokens(const Region& r, const TokensOf& t, trace::ByteSink* out) {
  for (uint32_t l = 0; l < trace::levels; ++l) {
    put_graph(t.states[l], r.at<TokenPosition>(t.positions_at + l * thread_at::token_positions_size),
              at_most(t.positions[l].used, capacity::token_positions), out);
    put_block(r.at<uint8_t>(t.literals_at + l * pages(capacity::token_bytes)), t.literals[l].used,
              capacity::token_bytes, out);
  }
  put_block(r.at<uint8_t>(t.stream_at), t.stream->used, capacity::token_bytes, out);
}

// Writes failed polls: by site, then the places of their runs.
void put_polls(const Region& r, TickScale scale, trace::ByteSink* out) {
  const ThreadHeader& h = r.h;
  const auto* sites = r.at<PollSite>(thread_at::poll_sites);
  const uint64_t n = at_most(h.poll_sites.used, capacity::sites);
  if (!n) return;
  out->varint(n);
  uint64_t previous_count = 0;
  for (uint64_t i = 0; i < n; ++i) {
    FoldedTimes t = sites[i].folded;
    fold(&t, sites[i].raw, 0, sites[i].visits & 7, scale);
    out->varint(sites[i].site);
    put_times(t, &previous_count, out);
  }
  const bool under_way = h.polls.run > 0 && !h.unordered;
  out->varint(under_way ? h.polls.run : 0);
  if (under_way) out->varint(h.polls.run_first);
  out->varint(h.polls.dropped);
  out->varint(h.polls.kept);
  if (!h.polls.kept) return;
  put_graph(h.poll_runs, r.at<PollPosition>(thread_at::poll_positions),
            at_most(h.poll_positions.used, capacity::poll_positions), out);
  put_block(r.at<uint8_t>(thread_at::poll_literals), h.poll_literals.used, capacity::poll_literal_bytes, out);
  put_tokens(r,
             {h.poll_tokens, h.poll_token_positions, thread_at::poll_token_positions, h.poll_token_literals,
              thread_at::poll_token_literals, &h.poll_stream, thread_at::poll_stream},
             out);
}

}  // namespace

void encode_structure(const char* region, trace::ByteSink* out) {
  const Region r(region);
  const ThreadHeader& h = r.h;
  out->varint(h.thread);
  out->varint(h.generation);
  out->byte(h.unordered != 0);
  out->varint(events_of(h));
  out->varint(h.misses);
  out->varint(h.graph.run);
  out->varint(h.literal_repeats);
  put_words(r, out);
  put_positions(r, at_most(h.positions.used, capacity::positions), out);
  put_block(r.at<uint8_t>(thread_at::literals), h.literals.used, capacity::literal_bytes, out);
  put_tokens(r,
             {h.tokens, h.token_positions, thread_at::token_positions, h.token_literals, thread_at::token_literals,
              &h.token_stream, thread_at::token_stream},
             out);
  put_graph(h.variation, r.at<VariationPosition>(thread_at::variation_positions),
            at_most(h.variation_positions.used, capacity::variation_positions), out);
  put_block(r.at<uint8_t>(thread_at::variation_literals), h.variation_literals.used, capacity::literal_bytes, out);
  put_tokens(r,
             {h.variation_tokens, h.variation_token_positions, thread_at::variation_token_positions,
              h.variation_token_literals, thread_at::variation_token_literals, &h.variation_stream,
              thread_at::variation_stream},
             out);
}

void encode_times(const char* region, uint64_t tick_factor, trace::ByteSink* out) {
  const Region r(region);
  out->varint(r.h.thread);
  out->varint(r.h.generation);
  put_all_times(r, at_most(r.h.positions.used, capacity::positions), TickScale{tick_factor}, out);
  put_polls(r, TickScale{tick_factor}, out);
}

void encode_generation(const char* region, uint64_t tick_factor, trace::ByteSink* out) {
  encode_structure(region, out);
  encode_times(region, tick_factor, out);
}

}  // namespace leadline::recording
