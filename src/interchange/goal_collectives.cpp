#include "interchange/goal_collectives.hpp"

#include <algorithm>

namespace leadline::interchange {

namespace {

std::vector<GoalRound> dissemination(int64_t bytes, bool growing, int32_t rank, int32_t ranks) {
  std::vector<GoalRound> rounds;
  for (int32_t distance = 1; distance < ranks; distance *= 2) {
    const int64_t blocks = growing ? std::min(distance, ranks - distance) : 1;
    rounds.push_back({(rank + distance) % ranks, (rank - distance + ranks) % ranks, bytes * blocks, bytes * blocks});
    if (distance > ranks / 2) break;
  }
  return rounds;
}

// How many ranks the subtree below one has, counted from the root; `distance`: to its parent.
int64_t subtree(int32_t relative, int32_t distance, int32_t ranks) {
  return std::min<int64_t>(distance, ranks - relative);
}

// `blocks`: message sizes grow with the number of ranks they serve.
std::vector<GoalRound> tree(int64_t bytes, bool blocks, bool down, int32_t root, int32_t rank, int32_t ranks) {
  const int32_t relative = (rank - root + ranks) % ranks;
  std::vector<GoalRound> rounds;  // from the root downwards
  const auto size = [&](int32_t child, int32_t distance) {
    return blocks ? bytes * subtree(child, distance, ranks) : bytes;
  };
  int32_t distance = 1;
  while (distance < ranks && !(relative & distance)) distance *= 2;
  if (relative) {
    GoalRound parent;
    (down ? parent.from : parent.to) = (relative - distance + root) % ranks;
    parent.bytes = parent.in_bytes = size(relative, distance);
    rounds.push_back(parent);
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    const int32_t child = relative + distance;
    if (child >= ranks) continue;
    GoalRound round;
    (down ? round.to : round.from) = (child + root) % ranks;
    round.bytes = round.in_bytes = size(child, distance);
    rounds.push_back(round);
  }
  if (!down) std::reverse(rounds.begin(), rounds.end());
  return rounds;
}

std::vector<GoalRound> everyone(const Action& a, int32_t rank, int32_t ranks) {
  std::vector<GoalRound> rounds;
  for (int32_t i = 1; i < ranks; ++i) {
    const int32_t to = (rank + i) % ranks, from = (rank - i + ranks) % ranks;
    const bool vectors = a.counts.size() == static_cast<size_t>(ranks) && a.in_counts.size() == a.counts.size();
    rounds.push_back({to, from, vectors ? a.counts[static_cast<size_t>(to)] : a.bytes,
                      vectors ? a.in_counts[static_cast<size_t>(from)] : a.bytes});
  }
  return rounds;
}

}  // namespace

std::vector<GoalRound> rounds_of(const Action& a, int32_t rank, int32_t ranks) {
  const std::string& name = a.collective;
  const int32_t root = std::clamp(a.root, 0, ranks - 1);
  if (name == "bcast") return tree(a.bytes, false, true, root, rank, ranks);
  if (name == "reduce") return tree(a.bytes, false, false, root, rank, ranks);
  if (name == "scatter") return tree(a.in_bytes, true, true, root, rank, ranks);
  if (name == "gather") return tree(a.bytes, true, false, root, rank, ranks);
  if (name == "alltoall" || name == "alltoallv") return everyone(a, rank, ranks);
  if (name == "allgather") return dissemination(a.bytes, true, rank, ranks);
  if (name == "allgatherv") {
    int64_t sum = 0;
    for (const int64_t n : a.in_counts) sum += n;
    return dissemination(sum / ranks, true, rank, ranks);
  }
  return dissemination(name == "barrier" ? 0 : a.bytes, false, rank, ranks);
}

}  // namespace leadline::interchange
