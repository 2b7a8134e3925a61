#include "history.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>

namespace wrf {
namespace {

double temperature(const Atmosphere& a, int i, int j, int k) {
  const double pressure = a.base.pressure[k] + a.air.pressure(i, j, k);
  return a.air.theta(i, j, k) * std::pow(pressure / 1.0e5, 0.4 / expansion);
}

double kinetic_energy(const Diagnosis& air, int i, int j, int k) {
  const double u = air.u(i, j, k);
  const double v = air.v(i, j, k);
  return 0.5 * (u * u + v * v);
}

// At the south-western corner of the cell, of momentum.
double vorticity(const Atmosphere& a, int i, int j, int k) {
  const State& s = a.now;
  return ((s.north(i, j, k) - s.north(i - 1, j, k)) - (s.east(i, j, k) - s.east(i, j - 1, k))) / a.dx;
}

}  // namespace

History::History(const Atmosphere& atmosphere, const Tiles& tiles, int rank)
    : tiles_(tiles), grid_(atmosphere.settings.grid), tile_(atmosphere.tile), rank_(rank) {}

std::vector<History::Output> History::outputs(const Atmosphere& a) {
  const int nz = a.nz();
  const auto field = [](const Field& f) { return [&f](int i, int j, int k) { return f(i, j, k); }; };
  const auto column = [nz](auto value) {
    return [nz, value](int i, int j, int) {
      double sum = 0.0;
      for (int k = 0; k < nz; ++k) sum += value(i, j, k);
      return sum;
    };
  };
  const auto energy = [&a](int i, int j, int k) { return kinetic_energy(a.air, i, j, k); };
  const auto spin = [&a](int i, int j, int k) { return vorticity(a, i, j, k); };
  const auto warmth = [&a](int i, int j, int k) { return temperature(a, i, j, k); };
  const auto middle = [&a, nz](int i, int j, int) { return a.air.w(i, j, nz / 2); };
  return {{"u", nz, field(a.air.u)},
          {"v", nz, field(a.air.v)},
          {"w", nz, field(a.air.w)},
          {"density", nz, field(a.now.density)},
          {"heat", nz, field(a.now.heat)},
          {"potential temperature", nz, field(a.air.theta)},
          {"pressure", nz, field(a.air.pressure)},
          {"stiffness", nz, field(a.air.stiffness)},
          {"divergence", nz, field(a.air.divergence)},
          {"tracer 1", nz, field(a.tracers[0])},
          {"tracer 2", nz, field(a.tracers[1])},
          {"tracer 3", nz, field(a.tracers[2])},
          {"tracer 4", nz, field(a.tracers[3])},
          {"vorticity", nz, spin},
          {"temperature", nz, warmth},
          {"kinetic energy", nz, energy},
          {"mean eastward momentum", nz, field(a.mean_east)},
          {"mean northward momentum", nz, field(a.mean_north)},
          {"surface pressure", 1, field(a.air.pressure)},
          {"surface potential temperature", 1, field(a.air.theta)},
          {"surface temperature", 1, warmth},
          {"surface u", 1, field(a.air.u)},
          {"surface v", 1, field(a.air.v)},
          {"surface vorticity", 1, spin},
          {"w half way up", 1, middle},
          {"column density", 1, column(field(a.now.density))},
          {"column heat", 1, column(field(a.now.heat))},
          {"column kinetic energy", 1, column(energy)},
          {"column tracer 3", 1, column(field(a.tracers[2]))}};
}

bool History::write(Atmosphere& atmosphere) {
  diagnose(atmosphere);
  for (const Output& output : outputs(atmosphere)) {
    std::vector<double> mine;
    for (int k = 0; k < output.levels; ++k) {
      for (int j = 0; j < tile_.ny; ++j) {
        for (int i = 0; i < tile_.nx; ++i) mine.push_back(output.value(i, j, k));
      }
    }
    gather(mine, output.levels);
    if (!look_at(output, mine)) return false;
  }
  return true;
}

// How much each rank has, then what it has; put together on rank 0.
void History::gather(const std::vector<double>& mine, int levels) {
  const MPI_Comm ring = tiles_.communicator();
  int ranks = 0;
  MPI_Comm_size(ring, &ranks);
  const int count = static_cast<int>(mine.size());
  std::vector<int> counts(ranks), begins(ranks);
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, ring);
  std::vector<double> pieces;
  if (rank_ == 0) {
    for (int n = 1; n < ranks; ++n) begins[n] = begins[n - 1] + counts[n - 1];
    pieces.resize(static_cast<size_t>(grid_.nx) * grid_.ny * levels);
  }
  MPI_Gatherv(mine.data(), count, MPI_DOUBLE, pieces.data(), counts.data(), begins.data(), MPI_DOUBLE, 0, ring);
  if (rank_ != 0) return;
  whole_.resize(pieces.size());
  for (int n = 0; n < ranks; ++n) {
    const Tile tile = tiles_.tile(n);
    const double* next = pieces.data() + begins[n];
    for (int k = 0; k < levels; ++k) {
      for (int j = 0; j < tile.ny; ++j, next += tile.nx) {
        const size_t row = static_cast<size_t>(k) * grid_.ny + tile.y_first + j;
        std::copy_n(next, tile.nx, whole_.data() + row * grid_.nx + tile.x_first);
      }
    }
  }
}

// Rank 0 says whether the field is sound, and the mean of those with levels.
bool History::look_at(const Output& output, const std::vector<double>& mine) {
  const MPI_Comm ring = tiles_.communicator();
  int sound = 1;
  double mean = 0.0;
  if (rank_ == 0) {
    for (double value : whole_) {
      fingerprint_.add(place_++, value);
      if (!(std::abs(value) < 1e12)) sound = 0;
      mean += value / static_cast<double>(whole_.size());
    }
  }
  MPI_Bcast(&sound, 1, MPI_INT, 0, ring);
  if (sound == 0) {
    failure_ = output.name;
    return false;
  }
  if (output.levels == 1) return true;
  MPI_Bcast(&mean, 1, MPI_DOUBLE, 0, ring);
  const auto above = [mean](double value) { return value > mean; };
  counted_here_ += std::count_if(mine.begin(), mine.end(), above);
  if (rank_ == 0) counted_at_root_ += std::count_if(whole_.begin(), whole_.end(), above);
  return true;
}

}  // namespace wrf
