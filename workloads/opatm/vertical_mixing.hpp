// Vertical diffusion, implicit: one tridiagonal system per column, the same for every tracer.
#pragma once

#include <vector>

#include "basin.hpp"
#include "field.hpp"
#include "forcing.hpp"

namespace opatm {

class VerticalMixing {
 public:
  // forcing: null where the basin's formulas hold.
  VerticalMixing(const Basin& basin, const Block& block, const Forcing* forcing);

  void step(Field& concentration) const;

 private:
  std::vector<double> thickness_m_;
  Field coupling_;  // step * diffusivity / distance of the cells' middles, through the top of cell k, m
  Field pivot_;     // 1 / the diagonal after elimination of everything above
};

}  // namespace opatm
