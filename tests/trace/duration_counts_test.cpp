// DurationCounts hold what an array of all buckets holds, whatever is added, copied, moved and merged.
#include "trace/duration_counts.hpp"

#include <array>
#include <string>
#include <vector>

#include "../native/check.hpp"
#include "../recording/programs.hpp"

namespace {

using leadline::trace::DurationCounts;
using leadline::trace::time_buckets;
using leadline::trace::programs::below;
using leadline::trace::programs::Random;
using testing::check;
using Plain = std::array<uint64_t, time_buckets>;

void check_same(const DurationCounts& counts, const Plain& plain, const std::string& what) {
  bool same = true, none = true;
  for (size_t b = 0; b < plain.size(); ++b) {
    same &= counts[b] == plain[b];
    none &= plain[b] == 0;
  }
  check(same, what + ": other counts");
  check(!counts.empty() || none, what + ": empty");
  check(counts[time_buckets] == 0 && counts[SIZE_MAX] == 0, what + ": beyond the last bucket");
}

void any_sequence(uint64_t seed) {
  Random r(seed);
  std::vector<DurationCounts> counts(6);
  std::vector<Plain> plain(counts.size());
  for (int step = 0; step < 400; ++step) {
    const size_t at = below(r, counts.size()), other = below(r, counts.size());
    const size_t bucket = below(r, time_buckets);
    const std::string what = "seed " + std::to_string(seed) + ", step " + std::to_string(step);
    switch (below(r, 6)) {
      case 0:
      case 1: {
        const uint64_t count = below(r, 4) ? below(r, 100) : 0;
        counts[at].add(bucket, count);
        plain[at][bucket] += count;
        break;
      }
      case 2: {
        const Plain merged = plain[other];
        counts[at].add(DurationCounts(counts[other]));
        for (size_t b = 0; b < merged.size(); ++b) plain[at][b] += merged[b];
        break;
      }
      case 3:
        counts[at] = counts[other];
        plain[at] = plain[other];
        break;
      case 4: {
        DurationCounts moved(std::move(counts[at]));
        counts[at] = std::move(moved);
        break;
      }
      default:
        counts[at].hold(bucket, below(r, time_buckets + 1));  // room changes no count
    }
    check_same(counts[at], plain[at], what);
    if (below(r, 20) == 0) counts[at] = DurationCounts(), plain[at] = Plain{};
  }
}

}  // namespace

int main() {
  for (uint64_t seed = 1; seed <= 50; ++seed) any_sequence(seed);
  static_assert(sizeof(DurationCounts) <= 24);
  return testing::result();
}
