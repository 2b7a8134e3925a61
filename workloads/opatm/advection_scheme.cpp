#include "advection_scheme.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "forcing.hpp"
#include "packed_exchanges.hpp"
#include "threads.hpp"

// The loops over a row write one array and read others: no iteration depends on another.
#define OPATM_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")

namespace opatm {
namespace {

constexpr double tiny = 1e-15;  // keeps empty sea from dividing by zero

// By value, unlike std::min and std::max, so that the loops stay free of branches and vectorise.
inline double smaller(double a, double b) { return b < a ? b : a; }
inline double larger(double a, double b) { return a < b ? b : a; }
inline double forward(double flux) { return larger(flux, 0.0); }
inline double backward(double flux) { return smaller(flux, 0.0); }

// What passes from cell `from` into cell `into` where `carried` m of water go that way (or come back, if negative).
inline double upstream_flux(double from, double into, double carried) {
  return forward(carried) * from + backward(carried) * into;
}

// Half the relative difference of two neighbours.
inline double slope(double a, double b) {
  const double size_a = std::abs(a);
  const double size_b = std::abs(b);
  return (size_b - size_a) / (size_a + size_b + tiny);
}

// The same across a face, from the pairs of cells on its one side and its other side.
inline double cross_slope(double a0, double a1, double b0, double b1) {
  const double size_a = std::abs(a0) + std::abs(a1);
  const double size_b = std::abs(b0) + std::abs(b1);
  return 0.5 * (size_b - size_a) / (size_a + size_b + tiny);
}

inline double along_coefficient(double carried, double cell_m) {
  return std::abs(carried) * (1.0 - std::abs(carried) / cell_m);
}

// The smaller of two rooms, at most the whole: the part of a flux that both its source and its target can bear.
inline double admitted(double source_room, double target_room) {
  return smaller(1.0, smaller(source_room, target_room));
}

inline double limited(double flux, double down_from, double up_from, double down_into, double up_into) {
  return forward(flux) * admitted(down_from, up_into) + backward(flux) * admitted(down_into, up_from);
}

struct Cell {
  int i, k, j;
};

// 1 where all four cells that a cross term takes its slope from are water, 0 elsewhere.
double all_water(const Field* kind, const std::array<Cell, 4>& cells) {
  if (kind == nullptr) return 1.0;
  const auto is_water = [kind](const Cell& cell) { return kind->row(cell.i, cell.k)[cell.j] == Kind::water; };
  return std::all_of(cells.begin(), cells.end(), is_water) ? 1.0 : 0.0;
}

struct Extremes {
  double lowest;
  double highest;

  void include(double value) {
    lowest = smaller(lowest, value);
    highest = larger(highest, value);
  }
  void include(double one, double other) {
    include(one);
    include(other);
  }
};

}  // namespace

Advection::Advection(Flow flow, const std::vector<double>& thickness_m, int at_once, const Field* kind)
    : nx_(flow.east.nx()),
      ny_(flow.east.ny()),
      water_(flow.east.levels() - 1),
      thickness_m_(thickness_m),
      flow_(std::move(flow)),
      east_(antidiffusion_east(kind)),
      north_(antidiffusion_north(kind)),
      down_(antidiffusion_down(kind)),
      upstream_(static_cast<size_t>(at_once), Field(nx_, ny_, flow_.east.levels())),
      room_up_(upstream_),
      room_down_(upstream_),
      flux_(static_cast<size_t>(at_once), Flow{upstream_[0], upstream_[0], upstream_[0]}) {}

Advection::Antidiffusion Advection::antidiffusion_east(const Field* kind) const {
  const Field empty(nx_, ny_, static_cast<int>(thickness_m_.size()));
  Antidiffusion result{empty, empty, empty};
  for (int i = 0; i <= nx_; ++i) {
    for (int k = 0; k < water_; ++k) {
      const int up = std::max(k - 1, 0);
      const int down = std::min(k + 1, water_ - 1);
      const double cell_m = thickness_m_[k];
      for (int j = 0; j < ny_; ++j) {
        const double u = flow_.east.row(i, k)[j];
        const double v = 0.25 * (flow_.north.row(i - 1, k)[j] + flow_.north.row(i - 1, k)[j + 1] +
                                 flow_.north.row(i, k)[j] + flow_.north.row(i, k)[j + 1]);
        const double w = 0.25 * (flow_.down.row(i - 1, k)[j] + flow_.down.row(i - 1, k + 1)[j] +
                                 flow_.down.row(i, k)[j] + flow_.down.row(i, k + 1)[j]);
        result.along.row(i, k)[j] = along_coefficient(u, cell_m);
        result.first.row(i, k)[j] =
            all_water(kind, {{{i - 1, k, j - 1}, {i, k, j - 1}, {i - 1, k, j + 1}, {i, k, j + 1}}}) * (u * v / cell_m);
        result.second.row(i, k)[j] =
            all_water(kind, {{{i - 1, up, j}, {i, up, j}, {i - 1, down, j}, {i, down, j}}}) * (u * w / cell_m);
      }
    }
  }
  return result;
}

Advection::Antidiffusion Advection::antidiffusion_north(const Field* kind) const {
  const Field empty(nx_, ny_, static_cast<int>(thickness_m_.size()));
  Antidiffusion result{empty, empty, empty};
  for (int i = 0; i < nx_; ++i) {
    for (int k = 0; k < water_; ++k) {
      const int up = std::max(k - 1, 0);
      const int down = std::min(k + 1, water_ - 1);
      const double cell_m = thickness_m_[k];
      for (int j = 0; j <= ny_; ++j) {
        const double v = flow_.north.row(i, k)[j];
        const double w = 0.25 * (flow_.down.row(i, k)[j - 1] + flow_.down.row(i, k + 1)[j - 1] +
                                 flow_.down.row(i, k)[j] + flow_.down.row(i, k + 1)[j]);
        const double u = 0.25 * (flow_.east.row(i, k)[j - 1] + flow_.east.row(i + 1, k)[j - 1] +
                                 flow_.east.row(i, k)[j] + flow_.east.row(i + 1, k)[j]);
        result.along.row(i, k)[j] = along_coefficient(v, cell_m);
        result.first.row(i, k)[j] =
            all_water(kind, {{{i, up, j - 1}, {i, up, j}, {i, down, j - 1}, {i, down, j}}}) * (v * w / cell_m);
        result.second.row(i, k)[j] =
            all_water(kind, {{{i - 1, k, j - 1}, {i - 1, k, j}, {i + 1, k, j - 1}, {i + 1, k, j}}}) * (v * u / cell_m);
      }
    }
  }
  return result;
}

Advection::Antidiffusion Advection::antidiffusion_down(const Field* kind) const {
  const Field empty(nx_, ny_, static_cast<int>(thickness_m_.size()));
  Antidiffusion result{empty, empty, empty};
  for (int i = 0; i < nx_; ++i) {
    for (int k = 1; k < water_; ++k) {
      const double cell_m = 0.5 * (thickness_m_[k - 1] + thickness_m_[k]);
      for (int j = 0; j < ny_; ++j) {
        const double w = flow_.down.row(i, k)[j];
        const double u = 0.25 * (flow_.east.row(i, k - 1)[j] + flow_.east.row(i + 1, k - 1)[j] +
                                 flow_.east.row(i, k)[j] + flow_.east.row(i + 1, k)[j]);
        const double v = 0.25 * (flow_.north.row(i, k - 1)[j] + flow_.north.row(i, k - 1)[j + 1] +
                                 flow_.north.row(i, k)[j] + flow_.north.row(i, k)[j + 1]);
        result.along.row(i, k)[j] = along_coefficient(w, cell_m);
        result.first.row(i, k)[j] =
            all_water(kind, {{{i - 1, k - 1, j}, {i - 1, k, j}, {i + 1, k - 1, j}, {i + 1, k, j}}}) * (w * u / cell_m);
        result.second.row(i, k)[j] =
            all_water(kind, {{{i, k - 1, j - 1}, {i, k, j - 1}, {i, k - 1, j + 1}, {i, k, j + 1}}}) * (w * v / cell_m);
      }
    }
  }
  return result;
}

void Advection::step_upstream(size_t lane, const Field& before) {
  OPATM_COLUMNS_BY_THREADS
  for (int i = 0; i < nx_; ++i) {
    for (int k = 0; k < water_; ++k) {
      const double* here = before.row(i, k);
      const double* west = before.row(i - 1, k);
      const double* east = before.row(i + 1, k);
      const double* above = before.row(i, std::max(k - 1, 0));
      const double* below = before.row(i, k + 1);
      const double* through_west = flow_.east.row(i, k);
      const double* through_east = flow_.east.row(i + 1, k);
      const double* through_south = flow_.north.row(i, k);
      const double* through_top = flow_.down.row(i, k);
      const double* through_bottom = flow_.down.row(i, k + 1);
      double* result = upstream_[lane].row(i, k);
      const double per_m = 1.0 / thickness_m_[k];
      OPATM_INDEPENDENT_ITERATIONS
      for (int j = 0; j < ny_; ++j) {
        const double lost =
            (upstream_flux(here[j], east[j], through_east[j]) - upstream_flux(west[j], here[j], through_west[j])) +
            (upstream_flux(here[j], here[j + 1], through_south[j + 1]) -
             upstream_flux(here[j - 1], here[j], through_south[j])) +
            (upstream_flux(here[j], below[j], through_bottom[j]) - upstream_flux(above[j], here[j], through_top[j]));
        result[j] = here[j] - lost * per_m;
      }
    }
    std::copy_n(before.row(i, water_), ny_, upstream_[lane].row(i, water_));
  }
}

void Advection::flux_east(size_t lane) {
  OPATM_COLUMNS_BY_THREADS
  for (int i = 0; i <= nx_; ++i) {
    for (int k = 0; k < water_; ++k) {
      const int up = std::max(k - 1, 0);
      const int down = std::min(k + 1, water_ - 1);
      const double* from = upstream_[lane].row(i - 1, k);
      const double* into = upstream_[lane].row(i, k);
      const double* from_above = upstream_[lane].row(i - 1, up);
      const double* into_above = upstream_[lane].row(i, up);
      const double* from_below = upstream_[lane].row(i - 1, down);
      const double* into_below = upstream_[lane].row(i, down);
      const double* along = east_.along.row(i, k);
      const double* first = east_.first.row(i, k);
      const double* second = east_.second.row(i, k);
      double* flux = flux_[lane].east.row(i, k);
      OPATM_INDEPENDENT_ITERATIONS
      for (int j = 0; j < ny_; ++j) {
        const double carried = along[j] * slope(from[j], into[j]) -
                               first[j] * cross_slope(from[j - 1], into[j - 1], from[j + 1], into[j + 1]) -
                               second[j] * cross_slope(from_above[j], into_above[j], from_below[j], into_below[j]);
        flux[j] = upstream_flux(from[j], into[j], carried);
      }
    }
  }
}

void Advection::flux_north(size_t lane) {
  OPATM_COLUMNS_BY_THREADS
  for (int i = 0; i < nx_; ++i) {
    for (int k = 0; k < water_; ++k) {
      const double* here = upstream_[lane].row(i, k);
      const double* west = upstream_[lane].row(i - 1, k);
      const double* east = upstream_[lane].row(i + 1, k);
      const double* above = upstream_[lane].row(i, std::max(k - 1, 0));
      const double* below = upstream_[lane].row(i, std::min(k + 1, water_ - 1));
      const double* along = north_.along.row(i, k);
      const double* first = north_.first.row(i, k);
      const double* second = north_.second.row(i, k);
      double* flux = flux_[lane].north.row(i, k);
      OPATM_INDEPENDENT_ITERATIONS
      for (int j = 0; j <= ny_; ++j) {
        const double carried = along[j] * slope(here[j - 1], here[j]) -
                               first[j] * cross_slope(above[j - 1], above[j], below[j - 1], below[j]) -
                               second[j] * cross_slope(west[j - 1], west[j], east[j - 1], east[j]);
        flux[j] = upstream_flux(here[j - 1], here[j], carried);
      }
    }
  }
}

void Advection::flux_down(size_t lane) {
  OPATM_COLUMNS_BY_THREADS
  for (int i = 0; i < nx_; ++i) {
    for (int k = 1; k < water_; ++k) {
      const double* from = upstream_[lane].row(i, k - 1);
      const double* into = upstream_[lane].row(i, k);
      const double* from_west = upstream_[lane].row(i - 1, k - 1);
      const double* into_west = upstream_[lane].row(i - 1, k);
      const double* from_east = upstream_[lane].row(i + 1, k - 1);
      const double* into_east = upstream_[lane].row(i + 1, k);
      const double* along = down_.along.row(i, k);
      const double* first = down_.first.row(i, k);
      const double* second = down_.second.row(i, k);
      double* flux = flux_[lane].down.row(i, k);
      OPATM_INDEPENDENT_ITERATIONS
      for (int j = 0; j < ny_; ++j) {
        const double carried = along[j] * slope(from[j], into[j]) -
                               first[j] * cross_slope(from_west[j], into_west[j], from_east[j], into_east[j]) -
                               second[j] * cross_slope(from[j - 1], into[j - 1], from[j + 1], into[j + 1]);
        flux[j] = upstream_flux(from[j], into[j], carried);
      }
    }
  }
}

// How many times the antidiffusive fluxes into (out of) a cell it can bear before it exceeds the highest (falls below
// the lowest) value that it and its neighbours had before and after the upstream step.
void Advection::find_room(size_t lane, const Field& before) {
  OPATM_COLUMNS_BY_THREADS
  for (int i = 0; i < nx_; ++i) {
    for (int k = 0; k < water_; ++k) {
      const int up = std::max(k - 1, 0);
      const int down = std::min(k + 1, water_ - 1);
      const double* before_here = before.row(i, k);
      const double* before_west = before.row(i - 1, k);
      const double* before_east = before.row(i + 1, k);
      const double* before_above = before.row(i, up);
      const double* before_below = before.row(i, down);
      const double* here = upstream_[lane].row(i, k);
      const double* beside_west = upstream_[lane].row(i - 1, k);
      const double* beside_east = upstream_[lane].row(i + 1, k);
      const double* above = upstream_[lane].row(i, up);
      const double* below = upstream_[lane].row(i, down);
      const double* west = flux_[lane].east.row(i, k);
      const double* east = flux_[lane].east.row(i + 1, k);
      const double* south = flux_[lane].north.row(i, k);
      const double* top = flux_[lane].down.row(i, k);
      const double* bottom = flux_[lane].down.row(i, k + 1);
      double* room_up = room_up_[lane].row(i, k);
      double* room_down = room_down_[lane].row(i, k);
      const double cell_m = thickness_m_[k];
      OPATM_INDEPENDENT_ITERATIONS
      for (int j = 0; j < ny_; ++j) {
        Extremes extremes{here[j], here[j]};
        extremes.include(before_here[j]);
        extremes.include(before_here[j - 1], here[j - 1]);
        extremes.include(before_here[j + 1], here[j + 1]);
        extremes.include(before_west[j], beside_west[j]);
        extremes.include(before_east[j], beside_east[j]);
        extremes.include(before_above[j], above[j]);
        extremes.include(before_below[j], below[j]);
        const double in = (forward(west[j]) - backward(east[j])) + (forward(south[j]) - backward(south[j + 1])) +
                          (forward(top[j]) - backward(bottom[j]));
        const double out = (forward(east[j]) - backward(west[j])) + (forward(south[j + 1]) - backward(south[j])) +
                           (forward(bottom[j]) - backward(top[j]));
        room_up[j] = (extremes.highest - here[j]) * cell_m / (in + tiny);
        room_down[j] = (here[j] - extremes.lowest) * cell_m / (out + tiny);
      }
    }
  }
}

void Advection::limit_fluxes(size_t lane) {
  OPATM_COLUMNS_BY_THREADS
  for (int i = 0; i <= nx_; ++i) {
    for (int k = 0; k < water_; ++k) {
      const double* up = room_up_[lane].row(i, k);
      const double* down = room_down_[lane].row(i, k);
      const double* up_west = room_up_[lane].row(i - 1, k);
      const double* down_west = room_down_[lane].row(i - 1, k);
      double* east = flux_[lane].east.row(i, k);
      OPATM_INDEPENDENT_ITERATIONS
      for (int j = 0; j < ny_; ++j) east[j] = limited(east[j], down_west[j], up_west[j], down[j], up[j]);
      if (i == nx_) continue;  // only the block's eastern face is left to do
      double* north = flux_[lane].north.row(i, k);
      OPATM_INDEPENDENT_ITERATIONS
      for (int j = 0; j <= ny_; ++j) north[j] = limited(north[j], down[j - 1], up[j - 1], down[j], up[j]);
      if (k == 0) continue;  // nothing passes the surface
      const double* up_above = room_up_[lane].row(i, k - 1);
      const double* down_above = room_down_[lane].row(i, k - 1);
      double* downward = flux_[lane].down.row(i, k);
      OPATM_INDEPENDENT_ITERATIONS
      for (int j = 0; j < ny_; ++j) downward[j] = limited(downward[j], down_above[j], up_above[j], down[j], up[j]);
    }
  }
}

void Advection::apply_fluxes(size_t lane, Field& result) const {
  OPATM_COLUMNS_BY_THREADS
  for (int i = 0; i < nx_; ++i) {
    for (int k = 0; k < water_; ++k) {
      const double* upstream = upstream_[lane].row(i, k);
      const double* west = flux_[lane].east.row(i, k);
      const double* east = flux_[lane].east.row(i + 1, k);
      const double* south = flux_[lane].north.row(i, k);
      const double* top = flux_[lane].down.row(i, k);
      const double* bottom = flux_[lane].down.row(i, k + 1);
      double* after = result.row(i, k);
      const double per_m = 1.0 / thickness_m_[k];
      OPATM_INDEPENDENT_ITERATIONS
      for (int j = 0; j < ny_; ++j) {
        const double lost = (east[j] - west[j]) + (south[j + 1] - south[j]) + (bottom[j] - top[j]);
        after[j] = upstream[j] - lost * per_m;
      }
    }
  }
}

void Advection::half_step(Field& concentration, Halo& halo, int exchanges_before) {
  int number = exchanges_before;
  step_upstream(0, concentration);
  halo.exchange(upstream_[0], {"trcadv", ++number});
  find_fluxes(0, concentration);
  halo.exchange(room_up_[0], {"trcadv", ++number});
  halo.exchange(room_down_[0], {"trcadv", ++number});
  limit_fluxes(0);
  apply_fluxes(0, concentration);
  halo.exchange(concentration, {"trcadv", ++number});
}

void Advection::find_fluxes(size_t lane, const Field& before) {
  flux_east(lane);
  flux_north(lane);
  flux_down(lane);
  find_room(lane, before);
}

void Advection::half_step(std::span<Field> concentrations, PackedExchanges& packed, size_t first) {
  LaneHalos& halos = packed.lanes(concentrations.size());
  for (size_t lane = 0; lane < concentrations.size(); ++lane) step_upstream(lane, concentrations[lane]);
  halos.upstream.exchange();
  for (size_t lane = 0; lane < concentrations.size(); ++lane) find_fluxes(lane, concentrations[lane]);
  halos.room_up.exchange();
  halos.room_down.exchange();
  for (size_t lane = 0; lane < concentrations.size(); ++lane) {
    limit_fluxes(lane);
    apply_fluxes(lane, concentrations[lane]);
    packed.concentrations().ready(first + lane);
  }
}

}  // namespace opatm
