#include <algorithm>
#include <utility>

#include "trace/frames.hpp"
#include "trace/limits.hpp"
#include "trace/reading/decode.hpp"

namespace leadline::trace {

namespace {

constexpr size_t most_nested = 512;

// Every walk outwards ends.
bool is_nested(const std::vector<SourceLoop>& loops) {
  for (size_t i = 1; i < loops.size(); ++i) {
    size_t steps = 0;
    for (uint32_t l = static_cast<uint32_t>(i); l; l = loops[l].outer) {
      if (++steps > most_nested) return false;
    }
  }
  return true;
}

}  // namespace

std::string decode_loops(ByteReader& in, Stream* stream) {
  const size_t n = in.count(7);
  if (!in.ok() || n >= capacity::loops) return "too many loops";
  if (!stream->loops.empty()) return "duplicate list of loops for a thread";
  std::vector<SourceLoop> loops(1);
  std::vector<uint32_t> around;
  uint64_t header = 0;
  for (size_t i = 0; i < n && in.ok(); ++i) {
    SourceLoop l;
    l.context = static_cast<uint32_t>(std::min<uint64_t>(in.varint(), UINT32_MAX));
    l.outer = static_cast<uint32_t>(std::min<uint64_t>(in.varint(), UINT32_MAX));
    header = static_cast<uint64_t>(wrapping_sum(in.svarint(), static_cast<int64_t>(header)));
    l.header = {static_cast<uint32_t>(header >> 48), header & frame_offset_mask};
    const uint8_t marks = in.byte();
    l.by_order = marks & loop_by_order;
    l.silent = marks & loop_silent;
    const auto last = static_cast<uint64_t>(wrapping_sum(in.svarint(), static_cast<int64_t>(header)));
    l.last = {static_cast<uint32_t>(last >> 48), last & frame_offset_mask};
    l.repeats = in.varint();
    l.entries = in.varint();
    loops.push_back(l);
  }
  for (SourceLoop& l : loops) {
    if (l.outer >= loops.size()) l.outer = 0;
  }
  if (!is_nested(loops)) return "cyclic loop nesting";
  const size_t sites = in.count();
  for (size_t i = 0; i < sites && in.ok(); ++i) {
    const uint64_t l = in.varint();
    around.push_back(l < loops.size() ? static_cast<uint32_t>(l) : 0);
  }
  std::vector<BackEdge> back_edges;
  const size_t m = in.at_end() ? 0 : in.count(3);  // earlier versions did not write them
  uint64_t from = 0;
  for (size_t i = 0; i < m && in.ok(); ++i) {
    from += static_cast<uint64_t>(in.svarint());
    const uint64_t to = from + static_cast<uint64_t>(in.svarint()), loop = in.varint();
    if (from >= sites || to >= sites || !loop || loop >= loops.size()) return "iteration of an unknown loop";
    back_edges.push_back({static_cast<uint32_t>(from), static_cast<uint32_t>(to), static_cast<uint32_t>(loop)});
  }
  if (!in.ok()) return "truncated loops";
  std::sort(back_edges.begin(), back_edges.end());
  stream->back_edges = std::move(back_edges);
  stream->loops = std::move(loops);
  stream->site_loops = std::move(around);
  return "";
}

}  // namespace leadline::trace
