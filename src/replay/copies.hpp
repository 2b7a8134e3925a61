// What a rank takes to copy what it packs: each end of a packed message copies its parts once. A copy is bound by the
// cache that holds what the rank touches between two uses of the same data.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace leadline::replay {

struct Copies {
  std::map<int64_t, double> per_byte_ns;  // by the bytes that are touched in turn; empty: copies take no time
  double part_ns = 0;                     // of each part besides: its first line, and the loop over parts
  // Of each byte that arrives from a rank of the same node, which has just written it: it is in that rank's own caches.
  double fresh_ns = 0;

  static Copies uniform(double ns) { return ns > 0 ? Copies{{{0, ns}}} : Copies{}; }
  bool known() const { return !per_byte_ns.empty() || part_ns > 0 || fresh_ns > 0; }

  // Between two known sizes along a line over the logarithm of the size, as more and more of the data leave a cache.
  double rate_ns(int64_t touched) const {
    if (per_byte_ns.empty()) return 0;
    const auto above = per_byte_ns.lower_bound(touched);
    if (above == per_byte_ns.begin()) return above->second;
    const auto& [few, less_ns] = *std::prev(above);
    if (above == per_byte_ns.end()) return less_ns;
    const double from = std::log(static_cast<double>(std::max<int64_t>(few, 1)));
    const double part = (std::log(static_cast<double>(touched)) - from) /
                        (std::log(static_cast<double>(std::max<int64_t>(above->first, 2))) - from);
    return less_ns + part * (above->second - less_ns);
  }
};

}  // namespace leadline::replay
