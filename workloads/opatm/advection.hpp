// Advection after Smolarkiewicz: an upstream step, then one pass that carries back what the upstream step diffused,
// limited so that it makes no new extremes.
//
//   P. K. Smolarkiewicz, "A fully multidimensional positive definite advection transport algorithm with small implicit
//   diffusion", J. Comput. Phys. 54 (1984); with cross terms and the limiter of S. T. Zalesak, J. Comput. Phys. 31
//   (1979) as in Smolarkiewicz and Grabowski, J. Comput. Phys. 86 (1990).
//
// A step is taken in two halves. With a halo of one point, each half has to fetch four quantities from the neighbours,
// since each is made of the one before with a stencil that reaches a point further:
//   1. the upstream result      2., 3. the limiter's room upwards and downwards      4. the concentration it ends with
#pragma once

#include <vector>

#include "basin.hpp"
#include "field.hpp"
#include "halo.hpp"

namespace opatm {

class Advection {
 public:
  static constexpr int exchanges_in_half = 4;

  // thickness_m: by level, the bed last. The flow has the block's shape.
  Advection(Flow flow, const std::vector<double>& thickness_m);

  // Carries the concentration along for half a step; its halo must be, and is afterwards, up to date.
  // The exchanges are numbered from exchanges_before + 1.
  void half_step(Field& concentration, Halo& halo, int exchanges_before);

 private:
  // The pseudo-velocity through a face that undoes the upstream scheme's diffusion is
  //   along * (slope across the face) - first * (slope in the next direction) - second * (slope in the one after),
  // in m as the flow; the next directions are counted x, y, z, x, y.
  struct Antidiffusion {
    Field along;
    Field first;
    Field second;
  };

  Antidiffusion antidiffusion_east() const;
  Antidiffusion antidiffusion_north() const;
  Antidiffusion antidiffusion_down() const;

  void step_upstream(const Field& before);
  void flux_east();
  void flux_north();
  void flux_down();
  void find_room(const Field& before);
  void limit_fluxes();
  void apply_fluxes(Field& result) const;

  int nx_, ny_, water_;
  std::vector<double> thickness_m_;
  Flow flow_;
  Antidiffusion east_, north_, down_;
  Field upstream_;
  Field room_up_, room_down_;
  Flow flux_;  // antidiffusive, concentration times m
};

}  // namespace opatm
