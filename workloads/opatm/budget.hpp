// The check that nothing is lost: transport must keep every tracer's mass, reaction every chain's.
#pragma once

#include <vector>

#include "field.hpp"
#include "kit/exact_sum.hpp"
#include "tracers.hpp"

namespace opatm {

class Budget {
 public:
  Budget(const std::vector<double>& thickness_m, size_t tracers);

  void begin(const std::vector<Field>& concentration);
  void after_transport(const std::vector<Field>& concentration);
  void after_reaction(const std::vector<Field>& concentration);

  // The largest of all imbalances since the beginning, relative to the mass at the beginning. Collective over
  // MPI_COMM_WORLD; the value is valid on rank 0 only, and does not depend on how the sea is cut.
  double relative_error() const;

 private:
  kit::ExactSum mass(const Field& concentration) const;  // of this block, mmol/m^2 summed over the columns

  std::vector<double> thickness_m_;
  std::vector<kit::ExactSum> beginning_, present_, by_transport_, by_reaction_;  // per tracer
};

}  // namespace opatm
