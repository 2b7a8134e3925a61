#include "checks.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>

#include "kit/fingerprint.hpp"
#include "problems.hpp"

namespace s3d {
namespace {

template <typename Visit>
void for_each_point(const Model& model, Visit visit) {
  for_each_row(model.blocks.sizes(), [&](int j, int k) {
    for (int i = 0; i < model.blocks.sizes()[0]; ++i) {
      const Sizes& first = model.blocks.first();
      visit(Sizes{first[0] + i, first[1] + j, first[2] + k}, point_of(model.state, i, j, k));
    }
  });
}

Totals summed_over_ranks(const Totals& mine) {
  std::vector<kit::ExactSum::Limbs> limbs, all(mine.size());
  for (const kit::ExactSum& sum : mine) limbs.push_back(sum.limbs());
  MPI_Reduce(limbs.data(), all.data(), static_cast<int>(2 * limbs.size()), MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  Totals sums;
  for (size_t n = 0; n < sums.size(); ++n) sums[n] = kit::ExactSum(all[n]);
  return sums;
}

}  // namespace

Totals totals(const Model& model) {
  Totals sums;
  for_each_point(model, [&](const Sizes&, const Point& point) {
    for (int v = 0; v < 5; ++v) sums[v].add(point[v]);
    sums[5].add(point[5] - point[6]);
    sums[6].add(point[5]);
  });
  return summed_over_ranks(sums);
}

double imbalance(const Totals& beginning, const Totals& end) {
  double worst = 0.0;
  for (size_t n = 0; n < 6; ++n) {
    const double whole = beginning[n == 4 ? 4 : 0].value();
    worst = std::max(worst, whole > 0.0 ? std::abs((end[n] - beginning[n]).value()) / whole : 0.0);
  }
  return worst;
}

double deviation(const Model& model) {
  double mine = 0.0;
  for_each_point(model, [&](const Sizes& number, const Point& point) {
    Position position;
    for (int axis = 0; axis < 3; ++axis) position[axis] = number[axis] * model.spacing[axis];
    const Point exact = conserved_of(state_at(model.settings.problem, position, model.time));
    for (int v = 0; v < conserved; ++v) mine = std::max(mine, std::abs(point[v] - exact[v]));
  });
  double worst = 0.0;
  MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

uint64_t fingerprint(const Model& model) {
  kit::Fingerprint sum;
  const std::vector<int>& grid = model.settings.grid;
  for_each_point(model, [&](const Sizes& number, const Point& point) {
    const uint64_t position = (static_cast<uint64_t>(number[2]) * grid[1] + number[1]) * grid[0] + number[0];
    for (int v = 0; v < conserved; ++v) sum.add(position * conserved + v, point[v]);
  });
  const uint64_t mine = sum.value();
  uint64_t all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  return all;
}

}  // namespace s3d
