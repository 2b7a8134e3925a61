#include "analysis/patterns/exchanges/halo_width.hpp"

namespace leadline::analysis {

namespace {

// A longer block of a vector may be a row of the array, or several values of each point.
constexpr int64_t widest_block = 4;

}  // namespace

int64_t halo_width(const trace::Datatype& face) {
  if (face.sides.empty()) return 0;
  if (!face.sides.front().whole) {
    // A vector: of each row, a block. If the rows are no longer than a few blocks, it may be any part.
    const trace::ArraySide& row = face.sides.back();
    const bool thin = row.part <= widest_block && row.part <= row.whole / 4;
    return thin ? row.part : 0;
  }
  // A subarray: the sides of which it takes half or less are across the border; an edge or a corner has several.
  int64_t width = 0;
  for (const trace::ArraySide& side : face.sides) {
    if (side.part > side.whole / 2) continue;
    if (width && side.part != width) return 0;
    width = side.part;
  }
  return width;
}

}  // namespace leadline::analysis
