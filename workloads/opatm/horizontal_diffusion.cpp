// Horizontal diffusion, biharmonic: dc/dt = -K4 lap(lap c), level by level.
//
// With a halo of one point, the second Laplacian needs the first one's values in the halo, so each level's row of it is
// exchanged. The bed, the last level, does not spread sideways and has no exchange.

#include "model.hpp"
#include "threads.hpp"

namespace opatm {
namespace {

// K4 * step / spacing^4; the explicit scheme is stable below 1/32. Here K4 = 4.5e10 m^4/s.
constexpr double strength = 1.0 / 256.0;

// Sum of the differences to the four neighbours; rows of the point itself, and of its neighbours west and east.
inline double laplacian(const double* here, const double* west, const double* east, int j) {
  return ((east[j] - here[j]) - (here[j] - west[j])) + ((here[j + 1] - here[j]) - (here[j] - here[j - 1]));
}

// The same where land or bed may be beside: nothing spreads through a closed face.
struct OpenFaces {
  const double *here, *east, *north;  // rows of the faces: western, eastern, southern

  OpenFaces(const Forcing& forcing, int i, int k)
      : here(forcing.open_east.row(i, k)), east(forcing.open_east.row(i + 1, k)), north(forcing.open_north.row(i, k)) {}

  double laplacian(const double* at, const double* west_of, const double* east_of, int j) const {
    return (east[j] * (east_of[j] - at[j]) - here[j] * (at[j] - west_of[j])) +
           (north[j + 1] * (at[j + 1] - at[j]) - north[j] * (at[j] - at[j - 1]));
  }
};

void bend(Field& bent, const Field& concentration, int k, const Forcing* forcing) {
  OPATM_COLUMNS_BY_THREADS
  for (int i = 0; i < bent.nx(); ++i) {
    const double* here = concentration.row(i, k);
    const double* west = concentration.row(i - 1, k);
    const double* east = concentration.row(i + 1, k);
    double* result = bent.row(i, 0);
    if (forcing != nullptr) {
      const OpenFaces faces(*forcing, i, k);
      for (int j = 0; j < bent.ny(); ++j) result[j] = faces.laplacian(here, west, east, j);
      continue;
    }
#pragma GCC ivdep
    for (int j = 0; j < bent.ny(); ++j) result[j] = laplacian(here, west, east, j);
  }
}

void spread(Field& concentration, const Field& bent, int k, const Forcing* forcing) {
  OPATM_COLUMNS_BY_THREADS
  for (int i = 0; i < bent.nx(); ++i) {
    const double* here = bent.row(i, 0);
    const double* west = bent.row(i - 1, 0);
    const double* east = bent.row(i + 1, 0);
    double* result = concentration.row(i, k);
    if (forcing != nullptr) {
      const OpenFaces faces(*forcing, i, k);
      for (int j = 0; j < bent.ny(); ++j) result[j] -= strength * faces.laplacian(here, west, east, j);
      continue;
    }
#pragma GCC ivdep
    for (int j = 0; j < bent.ny(); ++j) result[j] -= strength * laplacian(here, west, east, j);
  }
}

// A level of all tracers of a segment at a time: their rows travel together.
void spread_packed(Model& model) {
  size_t first = 0;
  for (const int size : model.settings.segments.sizes) {
    PackedHalo& rows = model.packed->lanes(static_cast<size_t>(size)).bent;
    for (int k = 0; k < model.basin.water_levels(); ++k) {
      for (int n = 0; n < size; ++n) bend(model.bent[n], model.concentration[first + n], k, model.forcing.get());
      rows.exchange();
      for (int n = 0; n < size; ++n) spread(model.concentration[first + n], model.bent[n], k, model.forcing.get());
    }
    first += static_cast<size_t>(size);
  }
}

}  // namespace

[[gnu::noinline]] void trchdf(Model& model) {
  if (model.packed) {
    spread_packed(model);
    return;
  }
  Field& bent = model.bent[0];
  for (Field& concentration : model.concentration) {
    for (int k = 0; k < model.basin.water_levels(); ++k) {
      bend(bent, concentration, k, model.forcing.get());
      model.halo.exchange(bent, {"trchdf", k + 1});
      spread(concentration, bent, k, model.forcing.get());
    }
  }
}

}  // namespace opatm
