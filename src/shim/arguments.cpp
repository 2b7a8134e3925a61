#include "shim/arguments.hpp"

#include "shim/plan.hpp"

namespace leadline::shim {

int64_t mean_bytes(Word counts, bool large, int32_t processes, int64_t size) {
  const CountsByRank by_rank{reinterpret_cast<const void*>(counts), large};
  int64_t sum = 0, bytes = 0;
  for (int32_t rank = 0; rank < processes; ++rank) {
    if (by_rank[rank] < 0) return -1;
    if (__builtin_add_overflow(sum, by_rank[rank], &sum)) return INT64_MAX;
  }
  if (__builtin_mul_overflow(sum, size, &bytes)) return INT64_MAX;
  return (bytes / processes + (bytes % processes != 0) + 7) / 8 * 8;
}

}  // namespace leadline::shim
