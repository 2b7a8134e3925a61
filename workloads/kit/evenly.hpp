// Cutting a row of points into parts.
#pragma once

#include <vector>

namespace kit {

// The first point of each part and, last, the number of points: as even as can be, the remainder spread over the first
// parts.
inline std::vector<int> evenly(int points, int parts) {
  std::vector<int> first{0};
  for (int n = 0; n < parts; ++n) first.push_back(first.back() + points / parts + (n < points % parts ? 1 : 0));
  return first;
}

}  // namespace kit
