// The air on this process's tile: what is kept from step to step, what is worked out from it, and the rest it deviates
// from.
//
// Conserved quantities on Arakawa's C grid: density, density times potential temperature, momenta, each as what differs
// from a base state at rest. Height coordinates, flat ground, a rigid lid.
#pragma once

#include <array>
#include <vector>

#include "exchange.hpp"
#include "field.hpp"
#include "settings.hpp"

namespace wrf {

constexpr double gravity = 9.81;        // m/s^2
constexpr double gas_constant = 287.0;  // J/(kg K)
constexpr double expansion = 1.4;       // of specific heats
constexpr double breadth_m = 8.1e6;     // from wall to wall
constexpr double top_m = 16.0e3;
constexpr double coriolis = 1.0e-4;  // 1/s

// Pressure (Pa) of air with this density times potential temperature (kg K/m^3).
double pressure_of(double heat);

struct Base {
  std::vector<double> density, heat, pressure;  // by level
};

// The five quantities that the equations of motion carry, as deviations from the base state.
struct State {
  State(const Tile& tile, int levels);
  std::vector<Field*> all() { return {&east, &north, &up, &density, &heat}; }

  Field east, north, up;  // momenta, kg/(m^2 s)
  Field density;          // kg/m^3
  Field heat;             // density times potential temperature, kg K/m^3
};

// What is worked out from a state, once for each point, and then exchanged.
struct Diagnosis {
  Diagnosis(const Tile& tile, int levels);

  Field u, v, w;     // m/s
  Field theta;       // potential temperature, K
  Field pressure;    // deviation, Pa
  Field stiffness;   // by how much the pressure grows with heat, m^2/(K s^2)
  Field divergence;  // of the horizontal momentum, kg/(m^3 s)
  Field density;     // in all, kg/m^3
};

constexpr int tracer_count = 4;  // the last is uniform and must stay so

struct Atmosphere {
  Atmosphere(const Settings& settings, const Tiles& tiles, int rank);

  Settings settings;
  Tile tile;
  Exchange exchange;
  double dx, dz;  // m; as far from row to row as from column to column
  double step_s;  // ten minutes at 100 km, less on finer grids, never more
  Base base;
  State now;  // with an up-to-date halo at the beginning of a stage
  Diagnosis air;
  std::array<Field, tracer_count> tracers;  // parts per part, of `now`
  Field mean_east, mean_north, mean_up;     // momenta over the stage's acoustic steps

  int nz() const { return settings.grid.nz; }
  bool at_southern_wall() const { return tile.y_first == 0; }
  Field cells() const { return Field(tile, nz(), Staggering::cell); }
};

extern "C" {
void diagnose(Atmosphere& atmosphere);  // `air` from `now`, without its halo
void advance(Atmosphere& atmosphere);   // a step: three Runge-Kutta stages
}

}  // namespace wrf
