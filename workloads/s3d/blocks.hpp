// Which process holds which block of the periodic box, and who its neighbours are.
//
// Ranks count along x first: rank = (z part * parts along y + y part) * parts along x + x part.
#pragma once

#include <string>

#include "field.hpp"
#include "settings.hpp"

namespace s3d {

class Blocks {
 public:
  static constexpr int itself = -1;  // along an axis that is not cut

  // Throws kit::UsageError where the grid cannot be cut so: the filter takes 5 points from a neighbour, which must have
  // them.
  Blocks(const Settings& settings, int rank, int ranks);

  const Sizes& first() const { return first_; }  // point of this block
  const Sizes& sizes() const { return sizes_; }
  int before(int axis) const { return before_[axis]; }
  int after(int axis) const { return after_[axis]; }

  std::string described() const;  // "2 x 2 x 1 blocks"

 private:
  Sizes parts_;
  Sizes first_;
  Sizes sizes_;
  Sizes before_;
  Sizes after_;
};

}  // namespace s3d
