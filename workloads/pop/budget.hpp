// The checks of a run: that no water and no tracer is lost, that the solver solved, that the seiche swings as it must.
#pragma once

#include <string>
#include <vector>

#include "ocean.hpp"

namespace pop {

class Budget {
 public:
  explicit Budget(const Ocean& ocean);  // of the beginning

  struct Result {
    std::string figures;   // "volume error 1.2e-17, ..., temperature 1.2e+01"
    std::string failures;  // what is wrong, one after the other; empty where nothing is
  };

  // Complete on rank 0 only. Collective over MPI_COMM_WORLD.
  Result compare(const Ocean& ocean) const;

 private:
  // Sums over this block: the area, the volume and the water above the mean sea level, the squares of sea level and
  // speed, the seiche's share of the sea level, and the content and square of every tracer.
  static std::vector<double> sums(const Ocean& ocean);

  std::vector<double> beginning_;
};

}  // namespace pop
