// The checks of a run: air, heat and tracers are conserved, resting air stays at rest, a uniform tracer stays uniform.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atmosphere.hpp"
#include "history.hpp"
#include "kit/exact_sum.hpp"

namespace wrf {

class Checks {
 public:
  explicit Checks(const Atmosphere& atmosphere);  // of the beginning

  struct Result {
    std::string figures;
    std::string failures;  // what is wrong, one after the other; empty where nothing is
  };

  // Complete on rank 0 only. Collective over MPI_COMM_WORLD.
  Result compare(Atmosphere& atmosphere, const History& history) const;

 private:
  using Limbs = kit::ExactSum::Limbs;

  static std::vector<Limbs> totals(const Atmosphere& atmosphere);  // of the tile: density, heat, every tracer

  std::vector<Limbs> beginning_;
};

}  // namespace wrf
