#include "checks.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kit/fingerprint.hpp"
#include "riemann.hpp"
#include "shock_tube.hpp"

namespace vh1 {
namespace {

constexpr double tolerated_loss = 1e-11;
// The scheme's error lies in the few zones of the shock and the contact; first order, so it shrinks as the zones do.
constexpr double tolerated_tube_error = 0.6;
constexpr double tolerated_crosswise = 1e-12;

template <typename Visit>
void for_each_zone(const Gas& gas, Visit visit) {
  for (int k = 0; k < gas.nz(); ++k) {
    for (int j = 0; j < gas.ny(); ++j) {
      for (int i = 0; i < gas.nx(); ++i) visit(i, j, k, gas.zone(i, j, k));
    }
  }
}

Totals summed_over_ranks(const Totals& mine) {
  std::vector<kit::ExactSum::Limbs> limbs, all(mine.size());
  for (const kit::ExactSum& sum : mine) limbs.push_back(sum.limbs());
  MPI_Reduce(limbs.data(), all.data(), static_cast<int>(2 * limbs.size()), MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  Totals sums;
  for (size_t n = 0; n < sums.size(); ++n) sums[n] = kit::ExactSum(all[n]);
  return sums;
}

void find_losses(Findings& findings, const Totals& beginning, const Totals& end, bool tube) {
  const auto lost = [&](int n) { return std::abs((end[n] - beginning[n]).value()); };
  findings.mass_error = lost(0) / beginning[0].value();
  findings.energy_error = lost(1) / beginning[1].value();
  findings.momentum_error = tube ? 0.0 : std::max({lost(2), lost(3), lost(4)}) / beginning[0].value();
}

}  // namespace

Totals totals(const Gas& gas) {
  Totals sums;
  for_each_zone(gas, [&](int, int, int, const double* zone) {
    const double motion = zone[2] * zone[2] + zone[3] * zone[3] + zone[4] * zone[4];
    sums[0].add(zone[0]);
    sums[1].add(zone[1] / (gamma_gas - 1.0) + 0.5 * zone[0] * motion);
    for (int axis = 0; axis < 3; ++axis) sums[2 + axis].add(zone[0] * zone[2 + axis]);
  });
  return sums;
}

bool Findings::good() const {
  return mass_error <= tolerated_loss && energy_error <= tolerated_loss && momentum_error <= tolerated_loss &&
         tube_error <= tolerated_tube_error && crosswise <= tolerated_crosswise;
}

Findings look_at(const Gas& gas, const Totals& beginning, const Settings& settings, const Pencils& pencils,
                 double time) {
  const int axis = settings.tube_axis();
  kit::Fingerprint fingerprint;
  double off_and_crosswise[2] = {0.0, 0.0};
  for_each_zone(gas, [&](int i, int j, int k, const double* zone) {
    const long number[3] = {i, pencils.first_y() + j, pencils.first_z() + k};
    const long place = (number[2] * settings.grid[1] + number[1]) * settings.grid[0] + number[0];
    for (int v = 0; v < variables; ++v) fingerprint.add(place * variables + v, zone[v]);
    if (axis < 0) return;
    const double off = zone[0] - sod_at((number[axis] + 0.5) * gas.width(), time).density;
    off_and_crosswise[0] += std::abs(off);
    for (int a = 0; a < 3; ++a) {
      if (a != axis) off_and_crosswise[1] = std::max(off_and_crosswise[1], std::abs(zone[2 + a]));
    }
  });
  Findings findings{};
  find_losses(findings, summed_over_ranks(beginning), summed_over_ranks(totals(gas)), axis >= 0);
  const uint64_t mine = fingerprint.value();
  MPI_Reduce(&mine, &findings.fingerprint, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  double off = 0.0;
  MPI_Reduce(&off_and_crosswise[0], &off, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&off_and_crosswise[1], &findings.crosswise, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const double zones = static_cast<double>(settings.grid[0]) * settings.grid[1] * settings.grid[2];
  findings.tube_error = axis < 0 ? -1.0 : off / zones / gas.width();
  return findings;
}

}  // namespace vh1
