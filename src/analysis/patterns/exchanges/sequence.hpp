// The calls of one iteration as each thread makes them, cut into rows: calls with nothing between them that one could
// need of another, as far as the record shows.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/matching/step.hpp"
#include "analysis/patterns/exchanges/computation_between.hpp"

namespace leadline::analysis {

// A stretch of consecutive calls of one thread that belong to one unit: an exchange, a reduction.
struct Stretch {
  uint32_t unit = 0;
  uint32_t first = 0, last = 0;  // calls of the step
  double computed_ns = 0;        // since the stretch before it in the row; 0 for the row's first
};

struct CallRow {
  uint32_t process = 0;
  std::vector<Stretch> stretches;
};

struct UnitOf {
  static constexpr uint32_t none = UINT32_MAX, divides = UINT32_MAX - 1;
  std::function<uint32_t(uint32_t call)> of;             // none: the call does not matter; divides: it ends a row
  std::function<bool(uint32_t unit, double ns)> little;  // computed before one of its stretches: they may be one
  std::function<bool(uint32_t a, uint32_t b)> alike;     // may be in one row
};

// Every call is a stretch of its own if `single`.
inline std::vector<CallRow> rows_of(const Step& step, const ComputationBetween& computation, const UnitOf& units,
                                    bool single) {
  std::vector<CallRow> rows;
  bool open = false;
  const StepCall* before = nullptr;
  for (uint32_t c = 0; c < step.calls.size(); ++c) {
    const StepCall& call = step.calls[c];
    if (before && (before->process != call.process || before->stream != call.stream)) open = false;
    before = &call;
    const uint32_t unit = units.of(c);
    if (unit == UnitOf::none) continue;
    if (unit == UnitOf::divides) {
      open = false;
      continue;
    }
    if (open) {
      Stretch& last = rows.back().stretches.back();
      if (last.unit == unit && !single) {
        last.last = c;
        continue;
      }
      const double computed = computation.least_ns(step, last.last, c);
      if (units.alike(last.unit, unit) && units.little(unit, computed)) {
        rows.back().stretches.push_back({unit, c, c, computed});
        continue;
      }
    }
    rows.push_back({call.process, {{unit, c, c, 0}}});
    open = true;
  }
  return rows;
}

}  // namespace leadline::analysis
