#include "vertical_mixing.hpp"

#include <algorithm>

#include "threads.hpp"

namespace opatm {
namespace {

// Through the top of cell k, m^2/s: as read, and from the bed as the basin has it.
double mixing_in(const Forcing& forcing, int i, int k, int j) {
  if (!forcing.is_water(i, k - 1, j)) return 0.0;
  if (forcing.is_water(i, k, j)) return forcing.mixing_m2_per_s.row(i, k)[j];
  return forcing.kind.row(i, k)[j] == Kind::bed ? mixing_of_bed_m2_per_s : 0.0;
}

}  // namespace

// The system for a column, h the thickness and a the coupling:
//   -a[k] c[k-1] + (h[k] + a[k] + a[k+1]) c[k] - a[k+1] c[k+1] = h[k] c_before[k]
// is diagonally dominant, so elimination without pivoting (Thomas) is safe. Its first half, which is the same for all
// tracers, is done here once.
VerticalMixing::VerticalMixing(const Basin& basin, const Block& block, const Forcing* forcing)
    : thickness_m_(basin.thickness_m()), coupling_(block.x.count, block.y.count, basin.grid().nz), pivot_(coupling_) {
  const int levels = basin.grid().nz;
  for (int i = 0; i < block.x.count; ++i) {
    for (int j = 0; j < block.y.count; ++j) {
      for (int k = 1; k < levels; ++k) {
        const double distance_m = 0.5 * (thickness_m_[k - 1] + thickness_m_[k]);
        const double mixing = forcing != nullptr ? mixing_in(*forcing, i, k, j)
                                                 : basin.mixing_m2_per_s(block.x.first + i, block.y.first + j, k);
        coupling_.row(i, k)[j] = step_s * mixing / distance_m;
      }
      double eliminated = 0.0;
      for (int k = 0; k < levels; ++k) {
        const double above = coupling_.row(i, k)[j];
        const double below = k + 1 < levels ? coupling_.row(i, k + 1)[j] : 0.0;
        const double pivot = 1.0 / (thickness_m_[k] + above + below - above * eliminated);
        pivot_.row(i, k)[j] = pivot;
        eliminated = below * pivot;
      }
    }
  }
}

void VerticalMixing::step(Field& concentration) const {
  const int levels = concentration.levels();
  const int ny = concentration.ny();
  OPATM_COLUMNS_BY_THREADS
  for (int i = 0; i < concentration.nx(); ++i) {
    for (int k = 0; k < levels; ++k) {
      const double* above = concentration.row(i, std::max(k - 1, 0));  // at the surface the coupling is zero
      const double* coupling = coupling_.row(i, k);
      const double* pivot = pivot_.row(i, k);
      double* here = concentration.row(i, k);
#pragma GCC ivdep
      for (int j = 0; j < ny; ++j) here[j] = (thickness_m_[k] * here[j] + coupling[j] * above[j]) * pivot[j];
    }
    for (int k = levels - 2; k >= 0; --k) {
      const double* below = concentration.row(i, k + 1);
      const double* coupling = coupling_.row(i, k + 1);
      const double* pivot = pivot_.row(i, k);
      double* here = concentration.row(i, k);
#pragma GCC ivdep
      for (int j = 0; j < ny; ++j) here[j] += coupling[j] * pivot[j] * below[j];
    }
  }
}

}  // namespace opatm
