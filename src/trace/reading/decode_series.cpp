#include <algorithm>
#include <utility>

#include "trace/bytes.hpp"
#include "trace/limits.hpp"
#include "trace/structure.hpp"

namespace leadline::trace {

namespace {

bool get_strip(ByteReader& in, double ns_per_tick, LoopTimes* loop) {
  loop->bucket_size = in.varint();
  const unsigned shift = in.byte();
  const size_t n = in.count();
  if (!in.ok() || n > most_buckets || shift > 63) return false;
  const double unit = ns_per_tick * static_cast<double>(uint64_t{1} << shift);
  uint64_t mean = 0;
  for (size_t i = 0; i < n && in.ok(); ++i) {
    StripTimes s;
    s.first = i * loop->bucket_size;
    s.count = in.varint();
    if (s.count) {
      mean = static_cast<uint64_t>(wrapping_sum(in.svarint(), static_cast<int64_t>(mean)));
      s.mean_ns = static_cast<double>(mean) * unit;
      s.min_ns = static_cast<double>(mean - in.varint()) * unit;
      s.max_ns = static_cast<double>(mean + in.varint()) * unit;
      s.max_iteration = s.first + in.varint();
    }
    loop->strip.push_back(s);
  }
  return in.ok();
}

// Very short iterations were timed several at once: each gets its share; of slow ones, a single one caused the delay.
void part_iterations(LoopTimes* loop) {
  if (!loop->source) return;
  const uint64_t together = loop->at_once = std::exchange(loop->anchors, 1);
  if (together == 1) return;
  const auto part = static_cast<double>(together);
  const double usual = loop->timed ? loop->time_ns / static_cast<double>(loop->timed) : 0;
  for (uint64_t* n : {&loop->timed, &loop->stride, &loop->width, &loop->bucket_size}) *n *= together;
  for (StripTimes& s : loop->strip) {
    for (uint64_t* n : {&s.first, &s.count, &s.max_iteration}) *n *= together;
    for (double* ns : {&s.mean_ns, &s.min_ns, &s.max_ns}) *ns /= part;
  }
  for (SlowTime& s : loop->slow) {
    s.iteration *= together;
    s.time_ns = std::max(s.time_ns / part, s.time_ns - usual * (part - 1) / part);
  }
}

bool get_loop(ByteReader& in, double ns_per_tick, LoopTimes* loop) {
  loop->position = static_cast<uint32_t>(std::min<uint64_t>(in.varint(), UINT32_MAX));
  loop->after = in.byte() != 0;
  loop->source = static_cast<uint32_t>(std::min<uint64_t>(in.varint(), UINT32_MAX));
  if (loop->source) {
    const size_t n = in.count(2);
    for (size_t i = 0; i < n && in.ok(); ++i) {
      const uint64_t from = in.varint(), to = in.varint();
      auto& ways = to & 1 ? loop->ends : loop->begins;
      ways.push_back(from << 32 | (to >> 1 & UINT32_MAX));
    }
    std::sort(loop->begins.begin(), loop->begins.end());
    std::sort(loop->ends.begin(), loop->ends.end());
  }
  loop->anchors = std::max<uint64_t>(in.varint(), 1);
  loop->stride = in.varint();
  loop->width = in.varint();
  loop->first_call = in.varint();
  loop->skipped = in.varint();
  loop->occurrences = in.varint();
  loop->timed = in.varint();
  loop->calls = in.varint();
  loop->time_ns = static_cast<double>(in.varint()) * ns_per_tick;
  if (!get_strip(in, ns_per_tick, loop)) return false;
  const size_t n = in.count(5);
  if (n > most_slow_read) return false;
  for (size_t i = 0; i < n && in.ok(); ++i) {
    SlowTime s;
    s.iteration = in.varint();
    s.time_ns = static_cast<double>(in.varint()) * ns_per_tick;
    s.begin_ns = static_cast<double>(in.svarint()) * ns_per_tick;
    s.longest_gap_ns = static_cast<double>(in.varint()) * ns_per_tick;
    s.gap_position = static_cast<uint32_t>(std::min<uint64_t>(in.varint(), UINT32_MAX));
    loop->slow.push_back(s);
  }
  part_iterations(loop);
  return in.ok();
}

bool get_windows(ByteReader& in, Series* series) {
  const size_t n = in.count(7);
  if (!in.ok() || n > capacity::series_windows) return false;
  uint64_t call = 0, ticks = 0, iteration = 0;
  const auto moved = [&](uint64_t from) {
    return static_cast<uint64_t>(wrapping_sum(in.svarint(), static_cast<int64_t>(from)));
  };
  for (size_t i = 0; i < n && in.ok(); ++i) {
    WindowTimes w;
    const uint8_t kind = in.byte();
    if (kind > static_cast<uint8_t>(SeriesKind::continued)) return false;
    w.kind = static_cast<SeriesKind>(kind);
    w.loop = static_cast<uint32_t>(std::min<uint64_t>(in.varint(), UINT32_MAX));
    w.first_call = moved(call);
    ticks = moved(ticks);
    w.begin_ns = static_cast<double>(static_cast<int64_t>(ticks)) * series->ns_per_tick;
    ticks += in.varint();
    w.end_ns = static_cast<double>(static_cast<int64_t>(ticks)) * series->ns_per_tick;
    w.iteration = iteration = moved(iteration);
    w.entries = in.varint();
    call = w.first_call + w.entries;
    if (w.loop < series->loops.size()) w.iteration *= series->loops[w.loop].at_once;
    series->windows.push_back(w);
  }
  return in.ok();
}

}  // namespace

std::string decode_series(ByteReader& in, Series* into) {
  Series& series = *into;
  series.ns_per_tick = static_cast<double>(in.varint()) * 0x1p-32;
  series.tolerance = in.varint();
  const size_t loops = in.count(12);
  if (!in.ok() || loops > most_loops) return "more loops than the format allows";
  for (size_t i = 0; i < loops; ++i) {
    series.loops.emplace_back();
    if (!get_loop(in, series.ns_per_tick, &series.loops.back())) return "cannot decode a loop's times";
  }
  if (!get_windows(in, &series)) return "cannot decode the windows of a series";
  const size_t n = in.count();
  const ByteReader data = in.bytes(n);
  if (!in.ok()) return "truncated series";
  if (n) series.data.assign(data.data(), data.data() + n);
  if (!in.at_end()) series.polled = in.byte() != 0;
  // Each entry takes at least a hundredth of a bit, and no process keeps more entries than this.
  uint64_t left = std::min(uint64_t{n} * 8 * 100, most_series_entries);
  for (const WindowTimes& w : series.windows) {
    if (w.entries > left) return "series with more calls than its data can hold";
    left -= w.entries;
  }
  return "";
}

}  // namespace leadline::trace
