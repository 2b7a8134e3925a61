#include "torus.hpp"

#include <algorithm>
#include <numeric>

#include "kit/program.hpp"

namespace gtc {

Torus::Torus(const Settings& settings, int rank, int ranks) : settings_(settings) {
  const std::string asked = "--domains " + std::to_string(settings.domains);
  domains_ = settings.domains == 0 ? std::gcd(ranks, settings.planes) : settings.domains;
  if (ranks % domains_ != 0) throw kit::UsageError(asked + " does not divide " + std::to_string(ranks) + " processes");
  if (settings.planes % domains_ != 0) {
    throw kit::UsageError(asked + " does not divide the " + std::to_string(settings.planes) + " planes of --grid");
  }
  sharers_ = ranks / domains_;
  if (settings.particles < ranks) {
    throw kit::UsageError("--particles " + std::to_string(settings.particles) + " is fewer than one for each of " +
                          std::to_string(ranks) + " processes");
  }
  if (sharers_ > settings.poloidal / 2) {
    throw kit::UsageError(std::to_string(sharers_) + " processes cannot share a plane with " +
                          std::to_string(settings.poloidal) + " points around it: at most " +
                          std::to_string(settings.poloidal / 2) + " can");
  }
  domain_ = rank / sharers_;
  share_ = rank % sharers_;
  MPI_Comm_split(MPI_COMM_WORLD, share_, rank, &ring_);
  MPI_Comm_split(MPI_COMM_WORLD, domain_, rank, &plane_);
}

Torus::~Torus() {
  MPI_Comm_free(&ring_);
  MPI_Comm_free(&plane_);
}

int Torus::domain_of(double zeta) const {
  return std::min(static_cast<int>(zeta / (2.0 * M_PI) * domains_), domains_ - 1);
}

double Torus::even_share(int i) const {
  const double weight = i == 0                      ? 0.5 * inner_radius + dr() / 6.0
                        : i == settings_.radial - 1 ? 0.5 * outer_radius - dr() / 6.0
                                                    : radius(i);
  const double area = 0.5 * (outer_radius * outer_radius - inner_radius * inner_radius);
  return weight * dr() / area / settings_.poloidal / settings_.planes;
}

std::string Torus::described() const {
  return std::to_string(domains_) + " domain" + (domains_ == 1 ? "" : "s") + " of " + std::to_string(sharers_);
}

}  // namespace gtc
