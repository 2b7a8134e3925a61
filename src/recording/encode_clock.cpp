#include "recording/encode.hpp"

namespace leadline::recording {

void encode_clock(const char* region, trace::ByteSink* out) {
  const ProcessHeader& h = *reinterpret_cast<const ProcessHeader*>(region);
  const LiveClock& c = h.clock;
  const TickScale scale{h.tick_factor};
  const bool later = h.first_ticks > c.ticks;
  const uint64_t way = scale.ns(later ? h.first_ticks - c.ticks : c.ticks - h.first_ticks);
  const uint32_t n = c.comparisons < 2 ? c.comparisons : 2;
  out->varint(c.identity);
  out->svarint(static_cast<int64_t>(later ? c.ns + way : c.ns - way));
  out->byte(c.compares != 0);
  out->varint(n);
  for (uint32_t i = 0; i < n; ++i) {
    out->varint(c.comparison[i].own_ns);
    out->svarint(c.comparison[i].offset_ns);
    out->varint(c.comparison[i].error_ns);
  }
}

}  // namespace leadline::recording
