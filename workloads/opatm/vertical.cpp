// The routines that move matter up and down: trczdf mixes, trcsed lets it sink.
#include <vector>

#include "model.hpp"
#include "threads.hpp"

namespace opatm {

[[gnu::noinline]] void trczdf(Model& model) {
  for (Field& concentration : model.concentration) model.mixing.step(concentration);
}

// Sinking, upstream and explicit (less than a cell in a step). What leaves a cell enters the one below; nothing leaves
// the bed, where it stays until it is turned over.
[[gnu::noinline]] void trcsed(Model& model) {
  constexpr double day_s = 86400.0;
  const int nx = model.block.x.count;
  const int ny = model.block.y.count;
  const std::vector<double>& thickness_m = model.basin.thickness_m();
  const std::vector<double> everywhere(ny, 1.0);
  for (const Tracer& tracer : model.tracers) {
    if (tracer.sinking_m_per_day == 0.0) continue;
    const double sunk_m = tracer.sinking_m_per_day * step_s / day_s;
    OPATM_COLUMNS_BY_THREADS
    for (int i = 0; i < nx; ++i) {
      std::vector<double> from_above(ny, 0.0);
      for (int k = 0; k < model.settings.grid.nz; ++k) {
        const double leaves_m = k < model.basin.water_levels() ? sunk_m : 0.0;
        const double* water = model.forcing ? model.forcing->water.row(i, k) : everywhere.data();
        const double per_m = 1.0 / thickness_m[k];
        double* here = model.concentration[tracer.number].row(i, k);
        double* arriving = from_above.data();
#pragma GCC ivdep
        for (int j = 0; j < ny; ++j) {
          const double leaving = leaves_m * water[j] * here[j];
          here[j] += (arriving[j] - leaving) * per_m;
          arriving[j] = leaving;
        }
      }
    }
  }
}

}  // namespace opatm
