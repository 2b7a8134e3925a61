#include "trace/reading/inflate.hpp"

#include <cstring>

#include "trace/deflate_tables.hpp"

namespace leadline::trace {

namespace {

constexpr uint32_t none = UINT32_MAX;

class BitReader {
 public:
  BitReader(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  // Zeros beyond the end, and then it is not ok.
  uint32_t take(uint32_t bits) {
    for (; count_ < bits; count_ += 8) {
      if (at_ == end_) ok_ = false;
      held_ |= uint64_t{at_ == end_ ? uint8_t{0} : *at_++} << count_;
    }
    const auto value = static_cast<uint32_t>(held_ & ((uint64_t{1} << bits) - 1));
    held_ >>= bits;
    count_ -= bits;
    return value;
  }
  // The rest of the byte is left out.
  void to_byte() { take(count_ % 8); }
  bool ok() const { return ok_; }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  uint64_t held_ = 0;
  uint32_t count_ = 0;
  bool ok_ = true;
};

// Symbols by their codes' lengths and, of each length, in their order.
class PrefixCode {
 public:
  // False: there are more codes than room for them. Codes that lead nowhere are no harm.
  bool make(const uint8_t* lengths, uint32_t symbols) {
    std::memset(counts_, 0, sizeof(counts_));
    for (uint32_t s = 0; s < symbols; ++s) ++counts_[lengths[s]];
    counts_[0] = 0;
    uint16_t first[deflate::most_bits + 1] = {};
    uint32_t left = 1;
    for (uint32_t l = 1; l <= deflate::most_bits; ++l) {
      left <<= 1;
      if (counts_[l] > left) return false;
      left -= counts_[l];
      if (l < deflate::most_bits) first[l + 1] = static_cast<uint16_t>(first[l] + counts_[l]);
    }
    for (uint32_t s = 0; s < symbols; ++s) {
      if (lengths[s]) symbols_[first[lengths[s]]++] = static_cast<uint16_t>(s);
    }
    return true;
  }
  // None: no symbol has this code.
  uint32_t read(BitReader* in) const {
    uint32_t code = 0, first = 0, before = 0;  // the first code of the length; shorter codes
    for (uint32_t l = 1; l <= deflate::most_bits; ++l) {
      code |= in->take(1);
      if (code - first < counts_[l]) return symbols_[before + code - first];
      before += counts_[l];
      first = (first + counts_[l]) << 1;
      code <<= 1;
    }
    return none;
  }

 private:
  uint16_t counts_[deflate::most_bits + 1];
  uint16_t symbols_[deflate::fixed_literals];
};

struct Block {
  PrefixCode literals, distances;
};

bool make_fixed(Block* block) {
  uint8_t lengths[deflate::fixed_literals];
  for (uint32_t s = 0; s < deflate::fixed_literals; ++s) lengths[s] = deflate::fixed_length(s);
  if (!block->literals.make(lengths, deflate::fixed_literals)) return false;
  std::memset(lengths, 5, deflate::fixed_distances);
  return block->distances.make(lengths, deflate::fixed_distances);
}

bool read_codes(BitReader* in, Block* block) {
  const uint32_t literals = deflate::first_length + in->take(5), distances = 1 + in->take(5), count = 4 + in->take(4);
  if (literals > deflate::literals || distances > deflate::distances) return false;
  uint8_t lengths[deflate::literals + deflate::distances] = {};
  for (uint32_t i = 0; i < count; ++i) lengths[deflate::order[i]] = static_cast<uint8_t>(in->take(3));
  PrefixCode of_lengths;
  if (!of_lengths.make(lengths, deflate::code_lengths)) return false;
  std::memset(lengths, 0, sizeof(lengths));
  for (uint32_t i = 0; i < literals + distances;) {
    const uint32_t symbol = of_lengths.read(in);
    if (symbol == none || !in->ok() || (symbol == 16 && i == 0)) return false;
    if (symbol < 16) {
      lengths[i++] = static_cast<uint8_t>(symbol);
      continue;
    }
    const deflate::Span& repeat = deflate::repeats[symbol - 16];
    const uint32_t times = repeat.least + in->take(repeat.bits);
    if (times > literals + distances - i) return false;
    if (symbol == 16) std::memset(lengths + i, lengths[i - 1], times);
    i += times;
  }
  return block->literals.make(lengths, literals) && block->distances.make(lengths + literals, distances);
}

struct Output {
  uint8_t* data;
  size_t size, at = 0;
};

bool read_plain(BitReader* in, Output* out) {
  in->to_byte();
  const uint32_t length = in->take(16), check = in->take(16);
  if (!in->ok() || length != (~check & 0xffff)) return false;
  for (uint32_t i = 0; i < length && out->at < out->size && in->ok(); ++i) {
    out->data[out->at++] = static_cast<uint8_t>(in->take(8));
  }
  return in->ok();
}

bool read_block(const Block& block, BitReader* in, Output* out) {
  constexpr uint32_t length_symbols = sizeof(deflate::lengths) / sizeof(deflate::lengths[0]);
  while (out->at < out->size) {
    const uint32_t symbol = block.literals.read(in);
    if (symbol == deflate::end_of_block) return in->ok();
    if (!in->ok() || symbol >= deflate::first_length + length_symbols) return false;
    if (symbol < deflate::end_of_block) {
      out->data[out->at++] = static_cast<uint8_t>(symbol);
      continue;
    }
    const deflate::Span& of_length = deflate::lengths[symbol - deflate::first_length];
    const uint32_t length = of_length.least + in->take(of_length.bits);
    const uint32_t span = block.distances.read(in);
    if (span >= deflate::distances) return false;
    const size_t distance = deflate::spans[span].least + in->take(deflate::spans[span].bits);
    if (!in->ok() || distance > out->at) return false;
    for (uint32_t i = 0; i < length && out->at < out->size; ++i, ++out->at) {
      out->data[out->at] = out->data[out->at - distance];
    }
  }
  return in->ok();
}

}  // namespace

bool inflate_bytes(const uint8_t* data, size_t data_size, uint8_t* into, size_t size) {
  BitReader in(data, data_size);
  Output out{into, size};
  Block block;
  for (bool last = false; !last && out.at < size;) {
    last = in.take(1);
    const uint32_t kind = in.take(2);
    if (kind == 0 && !read_plain(&in, &out)) return false;
    if (kind == 3 || (kind == 1 && !make_fixed(&block)) || (kind == 2 && !read_codes(&in, &block))) return false;
    if (kind != 0 && !read_block(block, &in, &out)) return false;
  }
  return in.ok() && out.at == size;
}

}  // namespace leadline::trace
