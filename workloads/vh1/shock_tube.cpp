#include "shock_tube.hpp"

namespace vh1 {

Side sod_at(double place, double time) {
  constexpr Side left{1.0, 1.0, 0.0}, right{0.125, 0.1, 0.0};
  constexpr double membrane = 0.5;
  if (time > 0.0) return exact_riemann(left, right, (place - membrane) / time);
  return place < membrane ? left : right;
}

}  // namespace vh1
