// Horizontal diffusion, biharmonic: dc/dt = -K4 lap(lap c), level by level.
//
// With a halo of one point, the second Laplacian needs the first one's values in the halo, so each level's row of it is
// exchanged. The bed, the last level, does not spread sideways and has no exchange.

#include "model.hpp"

namespace opatm {
namespace {

// K4 * step / spacing^4; the explicit scheme is stable below 1/32. Here K4 = 4.5e10 m^4/s.
constexpr double strength = 1.0 / 256.0;

// Sum of the differences to the four neighbours; rows of the point itself, and of its neighbours west and east.
inline double laplacian(const double* here, const double* west, const double* east, int j) {
  return ((east[j] - here[j]) - (here[j] - west[j])) + ((here[j + 1] - here[j]) - (here[j] - here[j - 1]));
}

}  // namespace

[[gnu::noinline]] void trchdf(Model& model) {
  const int nx = model.block.x.count;
  const int ny = model.block.y.count;
  Field bent(nx, ny, 1);
  for (Field& concentration : model.concentration) {
    for (int k = 0; k < model.basin.water_levels(); ++k) {
      for (int i = 0; i < nx; ++i) {
        const double* here = concentration.row(i, k);
        const double* west = concentration.row(i - 1, k);
        const double* east = concentration.row(i + 1, k);
        double* result = bent.row(i, 0);
#pragma GCC ivdep
        for (int j = 0; j < ny; ++j) result[j] = laplacian(here, west, east, j);
      }
      model.halo.exchange(bent, {"trchdf", k + 1});
      for (int i = 0; i < nx; ++i) {
        const double* here = bent.row(i, 0);
        const double* west = bent.row(i - 1, 0);
        const double* east = bent.row(i + 1, 0);
        double* result = concentration.row(i, k);
#pragma GCC ivdep
        for (int j = 0; j < ny; ++j) result[j] -= strength * laplacian(here, west, east, j);
      }
    }
  }
}

}  // namespace opatm
