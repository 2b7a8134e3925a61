// The checks of a run: volume and tracers are conserved, the solver converged, the seiche has the right period.
#pragma once

#include <string>
#include <vector>

#include "ocean.hpp"

namespace pop {

class Budget {
 public:
  explicit Budget(const Ensemble& ensemble);  // of the beginning

  struct Result {
    std::string figures;   // "volume error 1.2e-17, ..., tracers 1.2e+01 3.5e+01"
    std::string failures;  // what is wrong, one after the other; empty where nothing is
  };

  // Complete on rank 0 only. Collective over MPI_COMM_WORLD. Errors are those of the member where they are greatest;
  // sea level, speed and tracers those of the first, and of the last where there are several.
  Result compare(const Ensemble& ensemble) const;

 private:
  std::vector<double> beginning_;  // the sums of all members over this block, one after the other
};

}  // namespace pop
