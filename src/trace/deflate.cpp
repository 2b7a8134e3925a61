#include "trace/deflate.hpp"

#include <cstring>

#include "trace/deflate_tables.hpp"
#include "trace/prefix_code.hpp"
#include "trace/scratchpad.hpp"

namespace leadline::trace {

namespace {

using deflate::Span;

// A literal byte; or a match: its length, and the distance above that.
constexpr uint32_t distance_shift = 9;

struct Tokens {
  uint32_t of[most_deflated];
  uint32_t count;
};

// Where the same three bytes occurred before, the last place first.
class Places {
 public:
  static constexpr uint32_t least_bits = 6, most_bits = 12, most_tried = 8;

  // In zeroed memory.
  void begin(size_t size) {
    for (bits_ = least_bits; bits_ < most_bits && size >> bits_;) ++bits_;
  }
  // The longest match for the place among those before; its distance. The place is remembered.
  uint32_t match(const uint8_t* data, uint32_t at, uint32_t end, uint32_t* distance) {
    const uint32_t most = end - at < deflate::most_match ? end - at : deflate::most_match;
    uint32_t best = deflate::least_match - 1, place = take(data, at);
    for (uint32_t tried = 0; place && tried < most_tried && best < most; ++tried, place = before_[place - 1]) {
      const uint32_t from = place - 1;
      if (at - from > deflate::most_distance) break;
      if (data[from + best] != data[at + best]) continue;
      uint32_t length = 0;
      while (length < most && data[from + length] == data[at + length]) ++length;
      if (length <= best || (length == deflate::least_match && at - from > far)) continue;
      best = length;
      *distance = at - from;
    }
    return best < deflate::least_match ? 0 : best;
  }
  // Remembers the place, + 1, and returns the one before with the same hash.
  uint32_t take(const uint8_t* data, uint32_t at) {
    const uint32_t three = data[at] | uint32_t{data[at + 1]} << 8 | uint32_t{data[at + 2]} << 16;
    uint32_t& last = last_[three * 0x9e3779b1u >> (32 - bits_)];
    before_[at] = last;
    last = at + 1;
    return before_[at];
  }

 private:
  static constexpr uint32_t far = 1024;  // three bytes so far back take more bits than three literals

  uint32_t bits_;
  uint32_t last_[1u << most_bits];
  uint32_t before_[most_deflated];
};

struct Codes {
  uint8_t literal_lengths[deflate::fixed_literals], distance_lengths[deflate::distances];
  uint16_t literals[deflate::fixed_literals], distances[deflate::distances];
};

// How the lengths of a block's codes are written: symbols, each with the value of its extra bits above.
struct Header {
  uint32_t literals, distances, code_lengths;
  uint16_t symbols[deflate::literals + deflate::distances];
  uint32_t count;
  uint8_t lengths[deflate::code_lengths];
  uint16_t codes[deflate::code_lengths];
};

struct Work {
  Tokens tokens;
  Places places;
  uint8_t symbol_of_length[deflate::most_match + 1];
  uint32_t literal_counts[deflate::fixed_literals], distance_counts[deflate::distances];
  Codes fixed, own;
  Header header;
};

uint32_t distance_symbol(uint32_t distance) {
  if (distance <= 4) return distance - 1;
  const auto bits = static_cast<uint32_t>(31 - __builtin_clz(distance - 1));
  return 2 * bits + ((distance - 1) >> (bits - 1) & 1);
}

void find_tokens(const uint8_t* data, uint32_t size, Work* w) {
  w->places.begin(size);
  const auto add = [&](uint32_t token) { w->tokens.of[w->tokens.count++] = token; };
  for (uint32_t s = 0, length = deflate::least_match; length <= deflate::most_match; ++length) {
    if (s + 1 < sizeof(deflate::lengths) / sizeof(Span) && length >= deflate::lengths[s + 1].least) ++s;
    w->symbol_of_length[length] = static_cast<uint8_t>(s);
  }
  uint32_t at = 0;
  while (at < size) {
    uint32_t distance = 0;
    const uint32_t length = size - at > deflate::least_match ? w->places.match(data, at, size, &distance) : 0;
    if (!length) {
      ++w->literal_counts[data[at]];
      add(data[at++]);
      continue;
    }
    ++w->literal_counts[deflate::first_length + w->symbol_of_length[length]];
    ++w->distance_counts[distance_symbol(distance)];
    add(distance << distance_shift | length);
    for (const uint32_t after = at + length; ++at < after;) {
      if (size - at >= deflate::least_match) w->places.take(data, at);
    }
  }
  ++w->literal_counts[deflate::end_of_block];
}

void make_codes(Codes* c) {
  codes_of(c->literal_lengths, deflate::fixed_literals, c->literals);
  codes_of(c->distance_lengths, deflate::distances, c->distances);
}

void make_fixed(Codes* c) {
  for (uint32_t s = 0; s < deflate::fixed_literals; ++s) c->literal_lengths[s] = deflate::fixed_length(s);
  for (uint8_t& length : c->distance_lengths) length = 5;
  make_codes(c);
}

uint32_t used(const uint8_t* lengths, uint32_t symbols, uint32_t least) {
  while (symbols > least && !lengths[symbols - 1]) --symbols;
  return symbols;
}

void make_own(Work* w) {
  Codes& c = w->own;
  shortest_code(w->literal_counts, deflate::literals, deflate::most_bits, c.literal_lengths);
  shortest_code(w->distance_counts, deflate::distances, deflate::most_bits, c.distance_lengths);
  make_codes(&c);
  Header& h = w->header;
  h.literals = used(c.literal_lengths, deflate::literals, deflate::first_length);
  h.distances = used(c.distance_lengths, deflate::distances, 1);
  uint8_t all[deflate::literals + deflate::distances];
  std::memcpy(all, c.literal_lengths, h.literals);
  std::memcpy(all + h.literals, c.distance_lengths, h.distances);
  const uint32_t n = h.literals + h.distances;
  uint32_t counts[deflate::code_lengths] = {};
  const auto add = [&](uint32_t symbol, uint32_t more) {
    ++counts[symbol];
    h.symbols[h.count++] = static_cast<uint16_t>(symbol | more << 8);
  };
  for (uint32_t i = 0; i < n;) {
    uint32_t run = 1;
    while (i + run < n && all[i + run] == all[i]) ++run;
    uint32_t left = run;
    if (all[i]) {
      add(all[i], 0);
      --left;
    }
    while (left >= 3) {
      const uint32_t symbol = all[i] ? 16 : left > 10 ? 18 : 17;
      const uint32_t most = symbol == 16 ? 6 : symbol == 17 ? 10 : 138;
      const uint32_t part = left < most ? left : most;
      add(symbol, part - deflate::repeats[symbol - 16].least);
      left -= part;
    }
    while (left--) add(all[i], 0);
    i += run;
  }
  shortest_code(counts, deflate::code_lengths, deflate::most_code_length_bits, h.lengths);
  codes_of(h.lengths, deflate::code_lengths, h.codes);
  h.code_lengths = deflate::code_lengths;
  while (h.code_lengths > 4 && !h.lengths[deflate::order[h.code_lengths - 1]]) --h.code_lengths;
}

uint32_t bits_of_header(const Header& h) {
  uint32_t bits = 5 + 5 + 4 + 3 * h.code_lengths;
  for (uint32_t i = 0; i < h.count; ++i) {
    const uint32_t symbol = h.symbols[i] & 0xff;
    bits += h.lengths[symbol] + (symbol < 16 ? 0u : deflate::repeats[symbol - 16].bits);
  }
  return bits;
}

// Without the bits that follow symbols, which are the same in each code.
uint64_t bits_with(const Work& w, const Codes& c) {
  uint64_t bits = 0;
  for (uint32_t s = 0; s < deflate::literals; ++s) bits += uint64_t{w.literal_counts[s]} * c.literal_lengths[s];
  for (uint32_t s = 0; s < deflate::distances; ++s) bits += uint64_t{w.distance_counts[s]} * c.distance_lengths[s];
  return bits;
}

// The first bit of a byte is its lowest.
class BitWriter {
 public:
  explicit BitWriter(ByteSink* out) : out_(out) {}
  void put(uint32_t value, uint32_t bits) {
    held_ |= uint64_t{value} << count_;
    for (count_ += bits; count_ >= 8; count_ -= 8, held_ >>= 8) out_->byte(static_cast<uint8_t>(held_));
  }
  void end() {
    if (count_) out_->byte(static_cast<uint8_t>(held_));
  }

 private:
  ByteSink* out_;
  uint64_t held_ = 0;
  uint32_t count_ = 0;
};

void write_header(const Header& h, BitWriter* out) {
  out->put(h.literals - deflate::first_length, 5);
  out->put(h.distances - 1, 5);
  out->put(h.code_lengths - 4, 4);
  for (uint32_t i = 0; i < h.code_lengths; ++i) out->put(h.lengths[deflate::order[i]], 3);
  for (uint32_t i = 0; i < h.count; ++i) {
    const uint32_t symbol = h.symbols[i] & 0xff;
    out->put(h.codes[symbol], h.lengths[symbol]);
    if (symbol >= 16) out->put(h.symbols[i] >> 8, deflate::repeats[symbol - 16].bits);
  }
}

void write_tokens(const Work& w, const Codes& c, BitWriter* out) {
  const auto literal = [&](uint32_t symbol) { out->put(c.literals[symbol], c.literal_lengths[symbol]); };
  for (uint32_t i = 0; i < w.tokens.count; ++i) {
    const uint32_t token = w.tokens.of[i], distance = token >> distance_shift;
    if (!distance) {
      literal(token);
      continue;
    }
    const uint32_t length = token & ((1u << distance_shift) - 1);
    const uint32_t s = w.symbol_of_length[length], d = distance_symbol(distance);
    literal(deflate::first_length + s);
    out->put(length - deflate::lengths[s].least, deflate::lengths[s].bits);
    out->put(c.distances[d], c.distance_lengths[d]);
    out->put(distance - deflate::spans[d].least, deflate::spans[d].bits);
  }
  literal(deflate::end_of_block);
}

}  // namespace

bool deflate_bytes(const uint8_t* data, size_t size, size_t room, ByteSink* out) {
  if (size > most_deflated) return false;
  const Scratchpad<Work> memory(1);
  if (!memory) return false;
  Work& w = *memory.get();
  find_tokens(data, static_cast<uint32_t>(size), &w);
  make_fixed(&w.fixed);
  make_own(&w);
  const size_t from = out->size();
  BitWriter bits(out);
  bits.put(1, 1);  // the last block
  if (bits_with(w, w.fixed) <= bits_with(w, w.own) + bits_of_header(w.header)) {
    bits.put(1, 2);
    write_tokens(w, w.fixed, &bits);
  } else {
    bits.put(2, 2);
    write_header(w.header, &bits);
    write_tokens(w, w.own, &bits);
  }
  bits.end();
  return out->ok() && out->size() - from < room;
}

}  // namespace leadline::trace
