#include "checks.hpp"

#include <mpi.h>

#include <algorithm>

namespace gtc {

Holdings held(const std::vector<Particle>& particles) {
  Holdings holdings;
  holdings.particles = static_cast<long>(particles.size());
  for (const Particle& particle : particles) {
    holdings.charge.add(particle.now[Particle::charge]);
    holdings.moment.add(particle.now[Particle::moment]);
  }
  return holdings;
}

Holdings everybodys(const Holdings& mine) {
  const auto charge = mine.charge.limbs(), moment = mine.moment.limbs();
  const int64_t sent[5] = {mine.particles, charge[0], charge[1], moment[0], moment[1]};
  int64_t all[5];
  MPI_Allreduce(sent, all, 5, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return {all[0], kit::ExactSum({all[1], all[2]}), kit::ExactSum({all[3], all[4]})};
}

}  // namespace gtc
