// Consecutive calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/matching/step.hpp"

namespace leadline::analysis {

template <class T>
T middle(std::vector<T> values) {
  if (values.empty()) return T{};
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Calls after which a rank has news from others, ascending.
inline std::vector<uint32_t> arrivals(const Step& step) {
  std::vector<uint32_t> calls;
  for (const StepMessage& m : step.messages) {
    if (m.receive_done != StepMessage::none) calls.push_back(m.receive_done);
  }
  for (const StepCollective& c : step.collectives) {
    for (const StepCollective::Member& m : c.members) calls.push_back(m.call);
  }
  std::sort(calls.begin(), calls.end());
  return calls;
}

// Adds for each of these calls, which are in order, how many of them are in a row that none of `between` divides.
inline void add_rows(const std::vector<uint32_t>& calls, const std::vector<uint32_t>& between,
                     std::vector<uint64_t>* lengths) {
  for (size_t i = 0; i < calls.size();) {
    size_t end = i + 1;
    while (end < calls.size()) {
      const auto next = std::lower_bound(between.begin(), between.end(), calls[end - 1]);
      if (next != between.end() && *next < calls[end]) break;
      ++end;
    }
    lengths->insert(lengths->end(), end - i, end - i);
    i = end;
  }
}

}  // namespace leadline::analysis
