#include "checks.hpp"

#include <mpi.h>

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>

namespace wrf {
namespace {

constexpr double tolerated_loss = 1e-12;
constexpr double tolerated_unevenness = 1e-11;
constexpr double still_m_per_s = 1e-9;
constexpr double fastest_m_per_s = 150.0;

std::vector<double> values_of(const std::vector<kit::ExactSum::Limbs>& mine) {
  std::vector<kit::ExactSum::Limbs> all(mine.size());
  MPI_Reduce(mine.data(), all.data(), static_cast<int>(2 * mine.size()), MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  std::vector<double> values;
  for (const kit::ExactSum::Limbs& limbs : all) values.push_back(kit::ExactSum(limbs).value());
  return values;
}

// Northward wind (squares), the strongest wind along any axis, and the even tracer's unevenness.
struct Motion {
  kit::ExactSum northward;
  double strongest = 0.0;
  double unevenness = 0.0;
};

void keep_largest(double& largest, double value) {
  if (!(value <= largest)) largest = value;  // a NaN is kept, too
}

Motion motion_of(const Atmosphere& a) {
  Motion motion;
  for (int k = 0; k < a.nz(); ++k) {
    for (int j = 0; j < a.tile.ny; ++j) {
      for (int i = 0; i < a.tile.nx; ++i) {
        const double v = a.air.v(i, j, k);
        motion.northward.add(std::min(v * v, 1e4));
        keep_largest(motion.strongest, std::abs(a.air.u(i, j, k)));
        keep_largest(motion.strongest, std::abs(v));
        keep_largest(motion.strongest, std::abs(a.air.w(i, j, k)));
        keep_largest(motion.unevenness, std::abs(a.tracers[tracer_count - 1](i, j, k) - 1.0));
      }
    }
  }
  return motion;
}

uint64_t fingerprint_of(Atmosphere& a) {
  kit::Fingerprint fingerprint;
  const Extent& grid = a.settings.grid;
  std::vector<Field*> fields = a.now.all();
  for (Field& tracer : a.tracers) fields.push_back(&tracer);
  uint64_t plane = 0;
  for (const Field* field : fields) {
    for (int k = 0; k < field->levels(); ++k, ++plane) {
      for (int j = 0; j < a.tile.ny; ++j) {
        for (int i = 0; i < a.tile.nx; ++i) {
          const uint64_t row = plane * grid.ny + a.tile.y_first + j;
          fingerprint.add(row * grid.nx + a.tile.x_first + i, (*field)(i, j, k));
        }
      }
    }
  }
  return fingerprint.value();
}

template <typename Value>
Value over_ranks(Value mine, MPI_Datatype type, MPI_Op operation) {
  Value all{};
  MPI_Reduce(&mine, &all, 1, type, operation, 0, MPI_COMM_WORLD);
  return all;
}

std::string text(const char* format, double value) {
  char buffer[80];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

}  // namespace

Checks::Checks(const Atmosphere& atmosphere) : beginning_(totals(atmosphere)) {}

std::vector<Checks::Limbs> Checks::totals(const Atmosphere& a) {
  std::vector<kit::ExactSum> sums(2 + tracer_count);
  for (int k = 0; k < a.nz(); ++k) {
    for (int j = 0; j < a.tile.ny; ++j) {
      for (int i = 0; i < a.tile.nx; ++i) {
        const double density = a.base.density[k] + a.now.density(i, j, k);
        sums[0].add(density);
        sums[1].add(a.base.heat[k] + a.now.heat(i, j, k));
        for (int n = 0; n < tracer_count; ++n) sums[2 + n].add(density * a.tracers[n](i, j, k));
      }
    }
  }
  std::vector<Limbs> limbs;
  for (const kit::ExactSum& sum : sums) limbs.push_back(sum.limbs());
  return limbs;
}

Checks::Result Checks::compare(Atmosphere& atmosphere, const History& history) const {
  diagnose(atmosphere);
  const std::vector<double> before = values_of(beginning_);
  const std::vector<double> after = values_of(totals(atmosphere));
  const Motion motion = motion_of(atmosphere);
  const double northward = values_of({motion.northward.limbs()})[0];
  const double strongest = over_ranks(motion.strongest, MPI_DOUBLE, MPI_MAX);
  const double unevenness = over_ranks(motion.unevenness, MPI_DOUBLE, MPI_MAX);
  const int64_t counted = over_ranks(history.counted_here(), MPI_INT64_T, MPI_SUM);
  const uint64_t fingerprint = over_ranks(fingerprint_of(atmosphere), MPI_UINT64_T, MPI_SUM) + history.fingerprint();
  std::vector<double> errors;
  for (size_t n = 0; n < after.size(); ++n) errors.push_back(std::abs(after[n] - before[n]) / before[n]);
  const double tracer_error = *std::max_element(errors.begin() + 2, errors.end());
  const Extent& grid = atmosphere.settings.grid;
  const double cells = static_cast<double>(grid.nx) * grid.ny * grid.nz;
  char name[24];
  std::snprintf(name, sizeof name, "%016" PRIx64, fingerprint);
  Result result;
  result.figures = text("mass error %.1e", errors[0]) + text(", heat error %.1e", errors[1]) +
                   text(", tracer error %.1e", tracer_error) + text(", unevenness %.1e", unevenness) +
                   text(", northward wind %.3e m/s", std::sqrt(northward / cells)) +
                   text(", strongest wind %.3e m/s", strongest) + ", fingerprint " + name;
  if (!history.failure().empty()) result.failures += " the output's " + history.failure() + " is unbounded or NaN;";
  if (!(errors[0] <= tolerated_loss)) result.failures += " air mass is not conserved;";
  if (!(errors[1] <= tolerated_loss)) result.failures += " heat is not conserved;";
  if (!(tracer_error <= tolerated_loss)) result.failures += " a tracer is not conserved;";
  if (!(unevenness <= tolerated_unevenness)) result.failures += " a uniform tracer is no longer uniform;";
  if (counted != history.counted_at_root()) result.failures += " the output differs from the ranks' data;";
  const bool rest = atmosphere.settings.problem == Case::rest;
  if (!(strongest <= (rest ? still_m_per_s : fastest_m_per_s))) {
    result.failures += rest ? " resting air has moved;" : " the wind exceeds 150 m/s;";
  }
  return result;
}

}  // namespace wrf
