// The checks at the end of a run.
#pragma once

#include <array>
#include <cstdint>

#include "kit/exact_sum.hpp"
#include "model.hpp"

namespace s3d {

// Over points: mass, momentum along x, y, z, energy, fuel less oxidiser, which burning leaves alone; and fuel.
using Totals = std::array<kit::ExactSum, 7>;

// Of all processes together; complete on rank 0 only.
Totals totals(const Model& model);

// The largest change of a total, relative to the mass (energy: to itself). Fuel may change.
double imbalance(const Totals& beginning, const Totals& end);

// The largest deviation of any conserved quantity from the exact solution, anywhere. Known to all.
double deviation(const Model& model);

// Of all values of all points. Complete on rank 0 only.
uint64_t fingerprint(const Model& model);

}  // namespace s3d
