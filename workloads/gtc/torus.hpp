// The torus, its grid, and which process holds which part.
//
// Lengths are in units of the major radius, speeds of the ions' thermal speed. The long way round is cut into equal
// domains; the processes of a domain all know its grid and share its particles. rank = domain * sharers + share.
#pragma once

#include <mpi.h>

#include <cmath>
#include <string>
#include <vector>

#include "settings.hpp"

namespace gtc {

constexpr double inner_radius = 0.1;
constexpr double outer_radius = 0.3;
constexpr double gyroradius = 0.01;  // of a thermal ion

inline double safety_factor(double radius) { return 1.0 + 10.0 * radius * radius; }

// An angle brought into [0, 2 pi).
inline double wrapped(double angle) {
  const double around = angle - 2.0 * M_PI * std::floor(angle / (2.0 * M_PI));
  return around < 2.0 * M_PI ? around : 0.0;
}

// Grids of the planes of one domain, one after the other: plane 0 is the left neighbour's last, 1 to `planes` are this
// domain's own (at the right edges of its cells), planes + 1 is the right neighbour's first.
class Field {
 public:
  Field(int planes, int points) : points_(points), values_(static_cast<size_t>(planes + 2) * points, 0.0) {}
  double* plane(int n) { return values_.data() + static_cast<size_t>(n) * points_; }
  const double* plane(int n) const { return values_.data() + static_cast<size_t>(n) * points_; }
  std::vector<double>& values() { return values_; }

 private:
  int points_;
  std::vector<double> values_;
};

class Torus {
 public:
  // Collective over MPI_COMM_WORLD. Throws kit::UsageError on all ranks where it cannot be cut so.
  Torus(const Settings& settings, int rank, int ranks);
  ~Torus();
  Torus(const Torus&) = delete;
  Torus& operator=(const Torus&) = delete;

  const Settings& settings() const { return settings_; }
  MPI_Comm ring() const { return ring_; }    // one process of every domain, in order
  MPI_Comm plane() const { return plane_; }  // the processes of a domain
  int domains() const { return domains_; }
  int domain() const { return domain_; }
  int sharers() const { return sharers_; }
  int share() const { return share_; }

  int planes() const { return settings_.planes / domains_; }  // of a domain
  int points() const { return settings_.radial * settings_.poloidal; }
  double radius(int i) const { return inner_radius + i * dr(); }
  double dr() const { return (outer_radius - inner_radius) / (settings_.radial - 1); }
  double dtheta() const { return 2.0 * M_PI / settings_.poloidal; }
  double dzeta() const { return 2.0 * M_PI / settings_.planes; }
  int domain_of(double zeta) const;  // zeta in [0, 2 pi)

  // The share of all charge, evenly spread, that comes to a point of a plane at this radius.
  double even_share(int i) const;

  std::string described() const;

 private:
  Settings settings_;
  int domains_;
  int domain_;
  int sharers_;
  int share_;
  MPI_Comm ring_ = MPI_COMM_NULL;
  MPI_Comm plane_ = MPI_COMM_NULL;
};

}  // namespace gtc
