// Mutations that keep an input's frame: chunks stay chunks, numbers become other numbers. What libFuzzer does by itself
// to the bytes mostly breaks the lengths, and what follows is never looked at.
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "trace/bytes.hpp"

namespace leadline::trace::mutator {

using Random = std::minstd_rand;
using Bytes = std::vector<uint8_t>;

struct Piece {
  uint8_t type;
  Bytes payload;
};

inline std::vector<Piece> parse(const uint8_t* data, size_t size) {
  std::vector<Piece> pieces;
  while (size >= 4) {
    const size_t length = std::min<size_t>(data[1] | data[2] << 8 | data[3] << 16, size - 4);
    pieces.push_back({data[0], Bytes(data + 4, data + 4 + length)});
    data += 4 + length;
    size -= 4 + length;
  }
  return pieces;
}

inline Bytes write(const std::vector<Piece>& pieces) {
  Bytes out{'C'};
  for (const Piece& p : pieces) {
    const size_t n = p.payload.size();
    for (const size_t b : {static_cast<size_t>(p.type), n & 0xff, n >> 8 & 0xff, n >> 16 & 0xff}) {
      out.push_back(static_cast<uint8_t>(b));
    }
    out.insert(out.end(), p.payload.begin(), p.payload.end());
  }
  return out;
}

inline uint64_t telling_number(Random& r, uint64_t old) {
  switch (r() % 10) {
    case 0:
      return old + 1;
    case 1:
      return old - 1;
    case 2:
      return uint64_t{1} << r() % 64;
    case 3:
      return (uint64_t{1} << r() % 64) - 1;
    case 4:
      return ~uint64_t{0} - r() % 4;
    case 5:
      return old ^ uint64_t{1} << r() % 64;
    case 6:
      return (uint64_t{1} << 63) + r() % 3 - 1;
    case 7:
      return old * 2;
    default:
      return r() % 100;
  }
}

// A number at a place where one may begin: behind a byte without the continuation bit.
inline void change_number(Random& r, Bytes* payload, size_t place) {
  while (place > 0 && (*payload)[place - 1] & 0x80) --place;
  size_t end = place;
  uint64_t old = 0;
  for (unsigned shift = 0; end < payload->size() && shift < 64; shift += 7) {
    old |= static_cast<uint64_t>((*payload)[end] & 0x7f) << shift;
    if (!((*payload)[end++] & 0x80)) break;
  }
  uint8_t fresh[max_varint_bytes];
  uint8_t* const fresh_end = put_varint(fresh, telling_number(r, old));
  const auto at = payload->begin() + static_cast<std::ptrdiff_t>(place);
  switch (r() % 8) {
    case 0:  // one less
      payload->erase(at, payload->begin() + static_cast<std::ptrdiff_t>(end));
      return;
    case 1:  // one more
      payload->insert(at, fresh, fresh_end);
      return;
    default:
      payload->insert(payload->erase(at, payload->begin() + static_cast<std::ptrdiff_t>(end)), fresh, fresh_end);
  }
}

inline void mutate(Random& r, std::vector<Piece>* pieces) {
  const size_t i = r() % pieces->size();
  Piece& p = (*pieces)[i];
  switch (r() % 16) {
    case 0:
      pieces->insert(pieces->begin() + static_cast<std::ptrdiff_t>(r() % (pieces->size() + 1)), Piece(p));
      return;
    case 1:
      if (pieces->size() > 1) pieces->erase(pieces->begin() + static_cast<std::ptrdiff_t>(i));
      return;
    case 2:
      std::swap(p, (*pieces)[r() % pieces->size()]);
      return;
    case 3:
      p.type = static_cast<uint8_t>(r() % 32);
      return;
    case 4:  // a stretch of it again
      if (!p.payload.empty()) {
        const size_t from = r() % p.payload.size(), n = 1 + r() % std::min<size_t>(64, p.payload.size() - from);
        const Bytes part(p.payload.begin() + static_cast<std::ptrdiff_t>(from),
                         p.payload.begin() + static_cast<std::ptrdiff_t>(from + n));
        p.payload.insert(p.payload.begin() + static_cast<std::ptrdiff_t>(r() % p.payload.size()), part.begin(),
                         part.end());
      }
      return;
    default:
      if (p.payload.empty()) return p.payload.push_back(static_cast<uint8_t>(r()));
      // The beginnings hold the counts.
      const size_t limit = r() % 2 ? p.payload.size() : std::min<size_t>(24, p.payload.size());
      change_number(r, &p.payload, r() % limit);
  }
}

// A live file's patch: 2 bytes page, 2 bytes offset, 8 bytes to exclusive-or.
inline void mutate_patch(Random& r, Bytes* bytes) {
  if (bytes->size() < 13 || r() % 4 == 0) bytes->resize(bytes->size() + 12);
  const size_t patches = (bytes->size() - 1) / 12;
  uint8_t* patch = bytes->data() + 1 + 12 * (r() % patches);
  if (r() % 2) patch[0] = static_cast<uint8_t>(r()), patch[1] = static_cast<uint8_t>(r() % 3);
  if (r() % 2) patch[2] = static_cast<uint8_t>(r()), patch[3] = static_cast<uint8_t>(r() % 2);
  uint64_t value = 0;
  std::memcpy(&value, patch + 4, sizeof(value));
  value = telling_number(r, value) << (r() % 2 ? 0 : 32);
  std::memcpy(patch + 4, &value, sizeof(value));
}

// The input, changed; at most `most` bytes of it are written back.
inline size_t change(uint8_t* data, size_t size, size_t most, unsigned seed) {
  Random r(seed);
  Bytes out(data, data + size);
  if (size > 0 && data[0] == 'L') {
    for (unsigned n = 1 + r() % 4; n > 0; --n) mutate_patch(r, &out);
  } else {
    std::vector<Piece> pieces = parse(data + (size > 0), size - (size > 0));
    if (pieces.empty()) pieces.push_back({static_cast<uint8_t>(r() % 32), {}});
    for (unsigned n = 1 + r() % 4; n > 0; --n) mutate(r, &pieces);
    out = write(pieces);
  }
  const size_t n = std::min(out.size(), most);
  std::memcpy(data, out.data(), n);
  return n;
}

}  // namespace leadline::trace::mutator
