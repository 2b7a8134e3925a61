// After how many places a row repeats.
#pragma once

#include <cstddef>
#include <vector>

namespace leadline::structure {

// The smallest number of places after which the row equals itself throughout; its own length if it does not repeat. Not
// of an empty row. (Knuth, Morris, Pratt: the longest beginning that is also the end leaves it.)
template <class Value>
size_t period_of(const std::vector<Value>& row) {
  std::vector<size_t> border(row.size());
  for (size_t i = 1; i < row.size(); ++i) {
    size_t k = border[i - 1];
    while (k && row[i] != row[k]) k = border[k - 1];
    border[i] = k + (row[i] == row[k]);
  }
  return row.size() - border.back();
}

}  // namespace leadline::structure
