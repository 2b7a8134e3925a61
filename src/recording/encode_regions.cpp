#include "recording/at_most.hpp"
#include "recording/encode.hpp"

namespace leadline::recording {

bool has_regions(const char* region) { return reinterpret_cast<const ProcessHeader*>(region)->regions.used > 1; }

void encode_regions(const char* region, trace::ByteSink* out) {
  const auto& h = *reinterpret_cast<const ProcessHeader*>(region);
  const auto* regions = reinterpret_cast<const LiveRegion*>(region + process_at::regions);
  const char* names = region + process_at::region_names;
  const uint64_t n = at_most(h.regions.used, capacity::regions);
  const uint64_t bytes = at_most(h.region_names.used, capacity::region_names);
  out->varint(n);
  for (uint64_t i = 0; i < n; ++i) {
    const LiveRegion& r = regions[i];
    const bool named = r.name <= bytes && r.length <= bytes - r.name;
    out->varint(r.parent);
    out->string(names + (named ? r.name : 0), named ? r.length : 0);
  }
}

void encode_region_times(const char* region, uint64_t tick_factor, trace::ByteSink* out) {
  const auto& h = *reinterpret_cast<const ThreadHeader*>(region);
  const auto* times = reinterpret_cast<const LiveRegionTimes*>(region + thread_at::region_times);
  const uint64_t n = at_most(h.region_times.used, capacity::regions);
  const TickScale scale{tick_factor};
  uint64_t entered = 0;
  for (uint64_t i = 0; i < n; ++i) entered += times[i].entries != 0;
  out->varint(h.thread);
  out->varint(entered);
  for (uint64_t i = 0; i < n; ++i) {
    if (!times[i].entries) continue;
    out->varint(i);
    out->varint(times[i].entries);
    out->varint(scale.ns(times[i].ticks));
    out->varint(scale.ns(times[i].shortest));
    out->varint(scale.ns(times[i].longest));
  }
}

}  // namespace leadline::recording
