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

#include <span>
#include <vector>

#include "basin.hpp"
#include "field.hpp"
#include "halo.hpp"

namespace opatm {

class PackedExchanges;

class Advection {
 public:
  static constexpr int exchanges_in_half = 4;

  // thickness_m: by level, the bed last. The flow has the block's shape.
  // at_once: the tracers that are advected together at most. kind: of the cells, null where all is water. Where a cross
  // term would need another cell than water, there is none, so an even field stays even beside a coast.
  Advection(Flow flow, const std::vector<double>& thickness_m, int at_once, const Field* kind = nullptr);

  // Carries the concentration along for half a step; its halo must be, and is afterwards, up to date.
  // The exchanges are numbered from exchanges_before + 1.
  void half_step(Field& concentration, Halo& halo, int exchanges_before);

  // The same for several together, which are the tracers from `first` on. The exchange of the concentrations is under
  // way; they are made ready for it, and their halos are up to date when it is finished.
  void half_step(std::span<Field> concentrations, PackedExchanges& packed, size_t first);

  // What the exchanges of several tracers take: the fields that each of them works with.
  std::vector<Field>& upstream() { return upstream_; }
  std::vector<Field>& room_up() { return room_up_; }
  std::vector<Field>& room_down() { return room_down_; }

 private:
  // The pseudo-velocity through a face that undoes the upstream scheme's diffusion is
  //   along * (slope across the face) - first * (slope in the next direction) - second * (slope in the one after),
  // in m as the flow; the next directions are counted x, y, z, x, y.
  struct Antidiffusion {
    Field along;
    Field first;
    Field second;
  };

  Antidiffusion antidiffusion_east(const Field* kind) const;
  Antidiffusion antidiffusion_north(const Field* kind) const;
  Antidiffusion antidiffusion_down(const Field* kind) const;

  void step_upstream(size_t lane, const Field& before);
  void flux_east(size_t lane);
  void flux_north(size_t lane);
  void flux_down(size_t lane);
  void find_fluxes(size_t lane, const Field& before);
  void find_room(size_t lane, const Field& before);
  void limit_fluxes(size_t lane);
  void apply_fluxes(size_t lane, Field& result) const;

  int nx_, ny_, water_;
  std::vector<double> thickness_m_;
  Flow flow_;
  Antidiffusion east_, north_, down_;

  // Of each tracer that is advected at the same time, by its lane.
  std::vector<Field> upstream_;
  std::vector<Field> room_up_, room_down_;
  std::vector<Flow> flux_;  // antidiffusive, concentration times m
};

}  // namespace opatm
