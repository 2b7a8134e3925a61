#include "maps.hpp"

#include <algorithm>
#include <cmath>

#include "model.hpp"

namespace opatm {
namespace {

// Size of the horizontal gradient, mmol/m^3 per km. The last exchange of the step was made for it.
// Nothing is said of the difference to a neighbour of another kind.
void fill_front_strength(const Field& concentration, const Forcing* forcing, double* values) {
  for (int i = 0; i < concentration.nx(); ++i) {
    for (int k = 0; k < concentration.levels(); ++k) {
      const double* here = concentration.row(i, k);
      const double* west = concentration.row(i - 1, k);
      const double* east = concentration.row(i + 1, k);
      for (int j = 0; j < concentration.ny(); ++j) {
        const auto beside = [&](const double* row, int di, int dj) {
          const bool alike = forcing == nullptr || forcing->kind.row(i, k)[j] == forcing->kind.row(i + di, k)[j + dj];
          return alike ? row[j + dj] : here[j];
        };
        const double in_x = (beside(east, 1, 0) - beside(west, -1, 0)) / (2.0 * spacing_km);
        const double in_y = (beside(here, 0, 1) - beside(here, 0, -1)) / (2.0 * spacing_km);
        *values++ = std::sqrt(in_x * in_x + in_y * in_y);
      }
    }
  }
}

}  // namespace

std::vector<double> mean_concentration(const Model& model, const Tracer& tracer) {
  std::vector<double> mean = model.accumulated[tracer.number];
  for (double& value : mean) value /= model.accumulated_steps;
  return mean;
}

void fill_map(const Model& model, const Tracer& tracer, int map, double* values) {
  const std::vector<double>& accumulated = model.accumulated[tracer.number];
  const std::vector<double>& change = model.transport_change[tracer.number];
  const auto mean = [&](double sum) { return sum / model.accumulated_steps; };
  if (map == 0) model.concentration[tracer.number].copy_block_to(values);
  if (map == 1) std::transform(accumulated.begin(), accumulated.end(), values, mean);
  if (map == 2) std::copy(change.begin(), change.end(), values);
  if (map == 3) fill_front_strength(model.concentration[tracer.number], model.forcing.get(), values);
}

std::vector<double> map_of_block(const Model& model, const Tracer& tracer, int map) {
  std::vector<double> values(model.transport_change[tracer.number].size());
  fill_map(model, tracer, map, values.data());
  return values;
}

}  // namespace opatm
