// Smoothing against the noise of single particles: three points the long way round, then three the short way.

#include "model.hpp"

namespace gtc {
namespace {

struct Weights {
  double middle;
  double beside;
};

// The first takes out the shortest wave; the second, after it, gives the long ones back what the first took.
constexpr Weights binomial{0.5, 0.25};
constexpr Weights compensating{1.5, -0.25};

void smooth_toroidally(Field& field, const Torus& torus, const Weights& weights) {
  const int points = torus.points();
  std::vector<double> left(field.plane(0), field.plane(0) + points);
  for (int plane = 1; plane <= torus.planes(); ++plane) {
    double* here = field.plane(plane);
    const double* right = field.plane(plane + 1);
    for (int n = 0; n < points; ++n) {
      const double value = here[n];
      here[n] = weights.middle * value + weights.beside * (left[n] + right[n]);
      left[n] = value;
    }
  }
}

void smooth_poloidally(Field& field, const Torus& torus) {
  const int poloidal = torus.settings().poloidal;
  std::vector<double> row(poloidal);
  for (int plane = 1; plane <= torus.planes(); ++plane) {
    for (int i = 0; i < torus.settings().radial; ++i) {
      double* at = field.plane(plane) + i * poloidal;
      for (int j = 0; j < poloidal; ++j) {
        const double beside = at[(j + 1) % poloidal] + at[(j + poloidal - 1) % poloidal];
        row[j] = binomial.middle * at[j] + binomial.beside * beside;
      }
      for (int j = 0; j < poloidal; ++j) at[j] = row[j];
    }
  }
}

// Exchanges number and number + 1 of the stage's smoothing.
[[gnu::noinline]] void smooth(Model& model, Field& field, const Weights& weights, int number) {
  model.ring.neighbours(field, "smooth", number);
  smooth_toroidally(field, model.torus, weights);
}

}  // namespace

void smooth_density(Model& model) {
  smooth(model, model.density, binomial, 1);
  smooth(model, model.density, compensating, 3);
  smooth_poloidally(model.density, model.torus);
}

void smooth_potential(Model& model) {
  smooth(model, model.potential, binomial, 5);
  smooth_poloidally(model.potential, model.torus);
}

}  // namespace gtc
