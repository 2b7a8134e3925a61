#include "analysis/files.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace leadline::analysis {

namespace {

using Run = trace::ProcessFile::Run;

// The most stretches that are sorted one by one. Of more, a single regular run is counted as it is, several runs are
// not.
constexpr uint64_t most_stretches = 1u << 20;
constexpr uint64_t largest_file = uint64_t{1} << 62;

// Whether all its stretches lie within the possible offsets of a file.
bool makes_sense(const Run& run) {
  if (run.count == 0 || run.begin > largest_file || run.length > largest_file) return false;
  const auto end = static_cast<unsigned __int128>(run.stride) * (run.count - 1) + run.begin + run.length;
  return end <= largest_file;
}

}  // namespace

int64_t distinct_bytes(const trace::ProcessFile::Stretches& stretches) {
  if (!stretches.complete) return -1;
  if (!std::all_of(stretches.runs.begin(), stretches.runs.end(), makes_sense)) return -1;
  if (stretches.runs.size() == 1) {
    const Run& run = stretches.runs[0];
    const uint64_t each = run.count > 1 ? std::min(run.length, run.stride) : run.length;
    return static_cast<int64_t>(each * (run.count - 1) + run.length);
  }
  uint64_t all = 0;
  for (const Run& run : stretches.runs) {
    if (run.count > most_stretches || (all += run.count) > most_stretches) return -1;
  }
  std::vector<std::pair<uint64_t, uint64_t>> parts;  // begin, end
  parts.reserve(all);
  for (const Run& run : stretches.runs) {
    for (uint64_t i = 0; i < run.count; ++i) {
      const uint64_t begin = run.begin + i * run.stride;
      parts.emplace_back(begin, begin + run.length);
    }
  }
  std::sort(parts.begin(), parts.end());
  uint64_t sum = 0, covered = 0;  // everything before `covered` is in the sum
  for (const auto& [begin, end] : parts) {
    const uint64_t from = std::max(begin, covered);
    if (end > from) sum += end - from;
    covered = std::max(covered, end);
  }
  return static_cast<int64_t>(sum);
}

}  // namespace leadline::analysis
