// The checks at the end of a run: conservation, and the shape of a shock tube.
#pragma once

#include <array>
#include <cstdint>

#include "gas.hpp"
#include "kit/exact_sum.hpp"
#include "pencils.hpp"
#include "settings.hpp"

namespace vh1 {

// Mass, energy, and momentum along x, y, z, summed over this process's zones.
using Totals = std::array<kit::ExactSum, 5>;
Totals totals(const Gas& gas);

struct Findings {
  double mass_error;      // relative to the beginning
  double energy_error;    // likewise
  double momentum_error;  // the largest component's, relative to mass times sound; not for a tube, whose ends push
  double tube_error;      // mean deviation of the density from the exact solution, in widths of a zone; -1: no tube
  double crosswise;       // largest velocity across a tube
  uint64_t fingerprint;   // of all values

  bool good() const;
};

// Collective over MPI_COMM_WORLD; complete on rank 0 only.
Findings look_at(const Gas& gas, const Totals& beginning, const Settings& settings, const Pencils& pencils,
                 double time);

}  // namespace vh1
