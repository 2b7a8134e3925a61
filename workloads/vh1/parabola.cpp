#include "parabola.hpp"

#include <algorithm>
#include <cmath>

namespace vh1 {

void Spacing::prepare(const Row& width, int first, int last) {
  first_ = first;
  last_ = last;
  for (Row* row : {&slope_right_, &slope_left_, &across_, &from_right_, &from_left_}) row->resize(width.size());
  for (int n = first - 1; n <= last + 1; ++n) {
    const double left = width[n - 1], mid = width[n], right = width[n + 1];
    const double share = mid / (left + mid + right);
    slope_right_[n] = share * (2.0 * left + mid) / (right + mid);
    slope_left_[n] = share * (mid + 2.0 * right) / (left + mid);
  }
  for (int n = first - 1; n <= last; ++n) {
    const double here = width[n], next = width[n + 1];
    const double before = width[n - 1] + here, after = next + width[n + 2];
    const double left = before / (2.0 * here + next), right = after / (2.0 * next + here);
    across_[n] = here / (here + next) + 2.0 * here * next / ((here + next) * (before + after)) * (left - right);
    from_right_[n] = -here * left / (before + after);
    from_left_[n] = next * right / (before + after);
  }
}

void Parabolas::fit(const Spacing& spacing, const Row& average, const Row& flattening) {
  for (Row* row : {&slope_, &edge_, &left_, &rise_, &bulge_}) row->resize(average.size());
  for (int n = spacing.first_ - 1; n <= spacing.last_ + 1; ++n) {
    const double right = average[n + 1] - average[n], left = average[n] - average[n - 1];
    const double slope = spacing.slope_right_[n] * right + spacing.slope_left_[n] * left;
    const double most = 2.0 * std::min(std::abs(right), std::abs(left));
    slope_[n] = right * left > 0.0 ? std::copysign(std::min(std::abs(slope), most), slope) : 0.0;
  }
  for (int n = spacing.first_ - 1; n <= spacing.last_; ++n) {
    edge_[n] = average[n] + spacing.across_[n] * (average[n + 1] - average[n]) +
               spacing.from_right_[n] * slope_[n + 1] + spacing.from_left_[n] * slope_[n];
  }
  for (int n = spacing.first_; n <= spacing.last_; ++n) {
    const double mean = average[n], flat = flattening[n];
    double left = flat * mean + (1.0 - flat) * edge_[n - 1];
    double right = flat * mean + (1.0 - flat) * edge_[n];
    const double rise = right - left, bulge = 6.0 * (mean - 0.5 * (left + right));
    if ((right - mean) * (mean - left) <= 0.0) {
      left = right = mean;  // an extreme
    } else if (rise * bulge > rise * rise) {
      left = 3.0 * mean - 2.0 * right;  // else the parabola would turn within the zone
    } else if (-rise * rise > rise * bulge) {
      right = 3.0 * mean - 2.0 * left;
    }
    left_[n] = left;
    rise_[n] = right - left;
    bulge_[n] = 6.0 * (mean - 0.5 * (left + right));
  }
}

}  // namespace vh1
