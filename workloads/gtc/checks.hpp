// What must not change: every particle remains, with its charge and its magnetic moment.
#pragma once

#include <vector>

#include "kit/exact_sum.hpp"
#include "particles.hpp"

namespace gtc {

struct Holdings {
  long particles = 0;
  kit::ExactSum charge;
  kit::ExactSum moment;

  // Exact: no particle may be lost, come twice or be damaged on its way.
  bool operator==(const Holdings&) const = default;
};

Holdings held(const std::vector<Particle>& particles);

// Of all processes together. Collective over MPI_COMM_WORLD.
Holdings everybodys(const Holdings& mine);

}  // namespace gtc
