// Carries a smooth patch along with the flow for a while, then back with the flow reversed, and prints how far the
// result is from what it began with. Upstream alone smears the patch; a wrong sign in any term of the correction shows.
// On one process. Prints: error (relative to the patch), lowest and highest value, drift of an even field.

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "advection_scheme.hpp"
#include "basin.hpp"
#include "halo.hpp"

namespace {

constexpr opatm::Extent grid{40, 36, 20};
constexpr int half_steps = 120;

void reverse(opatm::Field& field) {
  for (int i = -1; i <= field.nx(); ++i) {
    for (int k = 0; k < field.levels(); ++k) {
      for (int j = -1; j <= field.ny(); ++j) field.row(i, k)[j] *= -1.0;
    }
  }
}

opatm::Field patch() {
  opatm::Field field(grid.nx, grid.ny, grid.nz);
  for (int i = 0; i < grid.nx; ++i) {
    for (int k = 0; k < grid.nz; ++k) {
      for (int j = 0; j < grid.ny; ++j) {
        const double r2 = std::pow((i - 14) / 5.0, 2) + std::pow((j - 12) / 5.0, 2) + std::pow((k - 9) / 4.0, 2);
        field.row(i, k)[j] = 0.1 + std::exp(-r2);
      }
    }
  }
  return field;
}

opatm::Field even() {
  opatm::Field field(grid.nx, grid.ny, grid.nz);
  for (int i = 0; i < grid.nx; ++i) {
    for (int k = 0; k < grid.nz; ++k) std::fill_n(field.row(i, k), grid.ny, 1.0);
  }
  return field;
}

template <typename Visit>
void visit_water(const opatm::Field& field, Visit visit) {
  for (int i = 0; i < grid.nx; ++i) {
    for (int k = 0; k < grid.nz - 1; ++k) {
      for (int j = 0; j < grid.ny; ++j) visit(field.row(i, k)[j], i, k, j);
    }
  }
}

void carry(opatm::Field& field, opatm::Advection& advection, opatm::Halo& halo) {
  for (int n = 0; n < half_steps; ++n) advection.half_step(field, halo, 0);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const opatm::Decomposition whole(grid, {}, 1);
  const opatm::Basin basin(grid);
  opatm::Halo halo(whole, 0);
  opatm::Flow flow = basin.flow(whole.block(0));
  opatm::Advection there(flow, basin.thickness_m(), 1);
  for (opatm::Field* component : {&flow.east, &flow.north, &flow.down}) reverse(*component);
  opatm::Advection back(flow, basin.thickness_m(), 1);

  const opatm::Field before = patch();
  opatm::Field after = before;
  halo.repeat_at_shores(after);
  carry(after, there, halo);
  double moved = 0.0;
  visit_water(after, [&](double value, int i, int k, int j) { moved += std::pow(value - before.row(i, k)[j], 2); });
  carry(after, back, halo);
  double error = 0.0, size = 0.0, lowest = 1e300, highest = -1e300;
  visit_water(after, [&](double value, int i, int k, int j) {
    error += std::pow(value - before.row(i, k)[j], 2);
    size += std::pow(before.row(i, k)[j] - 0.1, 2);
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  });

  opatm::Field level = even();
  halo.repeat_at_shores(level);
  carry(level, there, halo);
  double drift = 0.0;
  visit_water(level, [&](double value, int, int, int) { drift = std::max(drift, std::abs(value - 1.0)); });
  std::printf("moved %.6f error %.6f lowest %.17g highest %.17g drift %.3e\n", std::sqrt(moved / size),
              std::sqrt(error / size), lowest, highest, drift);
  MPI_Finalize();
  return 0;
}
