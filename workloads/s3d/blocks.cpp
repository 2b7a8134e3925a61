#include "blocks.hpp"

#include <algorithm>

#include "kit/program.hpp"

namespace s3d {
namespace {

bool fits(const std::vector<int>& grid, const Sizes& parts) {
  for (int axis = 0; axis < 3; ++axis) {
    if (grid[axis] / parts[axis] < ghosts) return false;
  }
  return true;
}

// Area of the faces between blocks, in points.
long cut_area(const std::vector<int>& grid, const Sizes& parts) {
  long area = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (parts[axis] > 1) area += static_cast<long>(parts[axis]) * grid[(axis + 1) % 3] * grid[(axis + 2) % 3];
  }
  return area;
}

// The smallest faces; of several such cuts the one with the fewest parts along any axis, which is nearest to cubes. No
// parts at all where none fit.
Sizes best_parts(const std::vector<int>& grid, int ranks) {
  Sizes best{0, 0, 0};
  const auto better = [&](const Sizes& parts) {
    if (!fits(grid, parts)) return false;
    if (best[0] == 0) return true;
    const long change = cut_area(grid, parts) - cut_area(grid, best);
    return change < 0 ||
           (change == 0 && *std::max_element(parts.begin(), parts.end()) < *std::max_element(best.begin(), best.end()));
  };
  for (int px = 1; px <= ranks; ++px) {
    for (int py = 1; ranks % px == 0 && py <= ranks / px; ++py) {
      if (ranks / px % py != 0) continue;
      const Sizes parts{px, py, ranks / px / py};
      if (better(parts)) best = parts;
    }
  }
  return best;
}

template <typename Numbers>
std::string product(const Numbers& numbers, const std::string& between) {
  std::string text;
  for (int number : numbers) text += (text.empty() ? "" : between) + std::to_string(number);
  return text;
}

}  // namespace

Blocks::Blocks(const Settings& settings, int rank, int ranks) {
  const std::vector<int>& grid = settings.grid;
  if (settings.blocks.empty()) {
    parts_ = best_parts(grid, ranks);
    if (parts_[0] == 0) {
      throw kit::UsageError("a grid of " + product(grid, "x") + " cannot be decomposed into " + std::to_string(ranks) +
                            " blocks at least 5 points wide");
    }
  } else {
    std::copy_n(settings.blocks.begin(), 3, parts_.begin());
    const std::string asked = "--blocks " + product(parts_, "x");
    if (static_cast<long>(parts_[0]) * parts_[1] * parts_[2] != ranks) {
      throw kit::UsageError(asked + " does not give one part to each of " + std::to_string(ranks) + " processes");
    }
    if (!fits(grid, parts_)) {
      throw kit::UsageError(asked + ": blocks of a grid of " + product(grid, "x") + " are less than 5 points wide");
    }
  }
  const Sizes mine{rank % parts_[0], rank / parts_[0] % parts_[1], rank / parts_[0] / parts_[1]};
  const auto rank_of = [&](const Sizes& part) { return (part[2] * parts_[1] + part[1]) * parts_[0] + part[0]; };
  for (int axis = 0; axis < 3; ++axis) {
    const int each = grid[axis] / parts_[axis], rest = grid[axis] % parts_[axis];
    first_[axis] = mine[axis] * each + std::min(mine[axis], rest);
    sizes_[axis] = each + (mine[axis] < rest ? 1 : 0);
    Sizes other = mine;
    other[axis] = (mine[axis] + parts_[axis] - 1) % parts_[axis];
    before_[axis] = parts_[axis] > 1 ? rank_of(other) : itself;
    other[axis] = (mine[axis] + 1) % parts_[axis];
    after_[axis] = parts_[axis] > 1 ? rank_of(other) : itself;
  }
}

std::string Blocks::described() const { return product(parts_, " x ") + " blocks"; }

}  // namespace s3d
