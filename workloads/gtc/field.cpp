// The electric field of the potential.

#include "model.hpp"

namespace gtc {
namespace {

// Replaces the potential's mean over each flux surface, where the torus' volume counts (more of it lies outside), by
// that which the ions' polarisation gives.
void set_zonal_part(Model& model) {
  const Torus& torus = model.torus;
  const int radial = torus.settings().radial, poloidal = torus.settings().poloidal;
  const auto visit = [&](auto&& at_point) {
    for (int plane = 1; plane <= torus.planes(); ++plane) {
      for (int i = 0; i < radial; ++i) {
        for (int j = 0; j < poloidal; ++j) at_point(i, j, model.potential.plane(plane)[i * poloidal + j]);
      }
    }
  };
  std::vector<double> mine(radial, 0.0);
  visit([&](int i, int j, double value) { mine[i] += value * (1.0 + torus.radius(i) * std::cos(j * torus.dtheta())); });
  std::vector<double> all = mine;
  if (!model.ring.omission().covers({"field", 1})) {
    MPI_Allreduce(mine.data(), all.data(), radial, MPI_DOUBLE, MPI_SUM, torus.ring());
  }
  const double volume = static_cast<double>(poloidal) * torus.settings().planes;
  visit([&](int i, int, double& value) { value += model.zonal_density[i] - all[i] / volume; });
}

}  // namespace

[[gnu::noinline]] void field(Model& model) {
  const Torus& torus = model.torus;
  const int radial = torus.settings().radial, poloidal = torus.settings().poloidal, points = torus.points();
  set_zonal_part(model);
  model.ring.neighbours(model.potential, "field", 2);
  for (int plane = 1; plane <= torus.planes(); ++plane) {
    const double* left = model.potential.plane(plane - 1);
    const double* here = model.potential.plane(plane);
    const double* right = model.potential.plane(plane + 1);
    double* electric = model.electric.plane(plane);
    for (int i = 0; i < radial; ++i) {
      const int in = i > 0 ? poloidal : 0, out = i < radial - 1 ? poloidal : 0;
      const double across = (in > 0 && out > 0 ? 2.0 : 1.0) * torus.dr();
      for (int j = 0; j < poloidal; ++j) {
        const int n = i * poloidal + j, row = i * poloidal;
        const double poloidally =
            (here[row + (j + 1) % poloidal] - here[row + (j + poloidal - 1) % poloidal]) / (2.0 * torus.dtheta());
        const double toroidally = (right[n] - left[n]) / (2.0 * torus.dzeta());
        electric[n] = -(here[n + out] - here[n - in]) / across;
        electric[points + n] = -poloidally / torus.radius(i);
        electric[2 * points + n] = -(toroidally + poloidally / safety_factor(torus.radius(i)));
      }
    }
  }
  // Particles between this domain's plane 0 and 1 need the field on both.
  model.ring.to_right(model.electric.plane(torus.planes()), model.electric.plane(0), 3 * points, {"field", 4});
}

}  // namespace gtc
