// Parabolas through zone averages, after Colella and Woodward (1984), equations 1.6 to 1.10 and 4.1.
#pragma once

#include <vector>

namespace vh1 {

using Row = std::vector<double>;

// What the interpolation needs to know of zones of uneven width. Zones are numbered as in the rows.
class Spacing {
 public:
  // Prepares for parabolas in zones [first, last]; needs the widths of two more on both sides.
  void prepare(const Row& width, int first, int last);

  int first() const { return first_; }
  int last() const { return last_; }

 private:
  friend class Parabolas;
  int first_ = 0;
  int last_ = 0;
  // Of a zone: the weights of the differences to the right and left in its slope.
  Row slope_right_, slope_left_;
  // Of the edge on a zone's right: the weights of the difference across it and of the slopes on its right and left.
  Row across_, from_right_, from_left_;
};

// Per zone: the value at the left edge, the rise to the right edge, and how far the middle stands above their mean.
class Parabolas {
 public:
  // flattening: per zone 0 (as it is) to 1 (constant), against oscillations behind strong shocks.
  void fit(const Spacing& spacing, const Row& average, const Row& flattening);

  // The average over the part of width s (0 to 1 of the zone's) next to the zone's right or left edge.
  double near_right(int zone, double s) const {
    const double right = left_[zone] + rise_[zone];
    return right - 0.5 * s * (rise_[zone] - (1.0 - 2.0 / 3.0 * s) * bulge_[zone]);
  }
  double near_left(int zone, double s) const {
    return left_[zone] + 0.5 * s * (rise_[zone] + (1.0 - 2.0 / 3.0 * s) * bulge_[zone]);
  }

 private:
  Row slope_, edge_, left_, rise_, bulge_;
};

}  // namespace vh1
