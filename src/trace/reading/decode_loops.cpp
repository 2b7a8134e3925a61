#include <algorithm>

#include "trace/reading/decode.hpp"

namespace leadline::trace {

std::string decode_loops(ByteReader& in, Stream* stream) {
  const size_t n = in.count(7);
  if (!in.ok() || n >= capacity::loops) return "more loops than there can be";
  stream->loops.assign(1, {});
  uint64_t header = 0;
  for (size_t i = 0; i < n && in.ok(); ++i) {
    SourceLoop l;
    l.context = static_cast<uint32_t>(std::min<uint64_t>(in.varint(), UINT32_MAX));
    l.outer = static_cast<uint32_t>(std::min<uint64_t>(in.varint(), UINT32_MAX));
    header = static_cast<uint64_t>(wrapping_sum(in.svarint(), static_cast<int64_t>(header)));
    l.header = {static_cast<uint32_t>(header >> 48), header & frame_offset_mask};
    l.by_order = in.byte() != 0;
    const auto last = static_cast<uint64_t>(wrapping_sum(in.svarint(), static_cast<int64_t>(header)));
    l.last = {static_cast<uint32_t>(last >> 48), last & frame_offset_mask};
    l.rounds = in.varint();
    l.entries = in.varint();
    stream->loops.push_back(l);
  }
  for (SourceLoop& l : stream->loops) {
    if (l.outer >= stream->loops.size()) l.outer = 0;
  }
  // Going outwards comes to an end.
  for (size_t i = 1; i < stream->loops.size(); ++i) {
    size_t steps = 0;
    for (uint32_t l = static_cast<uint32_t>(i); l; l = stream->loops[l].outer) {
      if (++steps > most_frames) return "loops that lie in one another";
    }
  }
  const size_t sites = in.count();
  if (!in.ok()) return "the loops end too early";
  for (size_t i = 0; i < sites && in.ok(); ++i) {
    const uint64_t l = in.varint();
    stream->site_loops.push_back(l < stream->loops.size() ? static_cast<uint32_t>(l) : 0);
  }
  return in.ok() ? "" : "the loops end too early";
}

}  // namespace leadline::trace
