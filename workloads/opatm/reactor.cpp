// The reactor: in every cell nutrient, phytoplankton, zooplankton and detritus feed on one another. What one loses,
// another gains, so each chain's total stays the same.
//
// A chain that is cut short by the number of tracers lacks its last members: those are taken as zero, and what would
// become detritus returns to the nutrient.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "model.hpp"
#include "threads.hpp"

namespace opatm {
namespace {

struct Rates {  // per day at 10 degrees, half saturations in mmol/m^3
  double growth;
  double half_saturation_nutrient;
  double half_saturation_light;  // W/m^2
  double grazing;
  double half_saturation_prey;
  double assimilated;  // share of what is grazed
  double phytoplankton_loss;
  double excretion;
  double zooplankton_loss;  // per mmol/m^3 as well
  double remineralisation;
};

// Higher chains are of larger and slower organisms.
Rates rates_of(int chain) {
  const double pace = 1.0 / (1.0 + 0.15 * chain);
  return {1.2 * pace, 0.5 + 0.1 * chain, 40.0, 0.9 * pace, 0.4, 0.7, 0.05 * pace, 0.08 * pace, 0.3 * pace, 0.06 * pace};
}

struct Cell {
  double nutrient, phytoplankton, zooplankton, detritus;
};

struct Surroundings {
  double light;   // W/m^2, in clear water
  double warmth;  // factor on all rates
  double step_days;
};

// At most half of what is there is taken in a sub-step, so nothing becomes negative.
double taken(double wanted, double available) { return std::min(wanted, 0.5 * std::max(available, 0.0)); }

void react(Cell& cell, const Rates& rates, const Surroundings& around, double light_response) {
  const double pace = around.warmth * around.step_days;
  const double nutrient = std::max(cell.nutrient, 0.0);
  const double prey = std::max(cell.phytoplankton, 0.0);
  const double grazers = std::max(cell.zooplankton, 0.0);

  const double nutrient_response = nutrient / (rates.half_saturation_nutrient + nutrient);
  const double uptake = taken(rates.growth * pace * nutrient_response * light_response * prey, nutrient);
  const double prey_squared = prey * prey;
  const double prey_response = prey_squared / (rates.half_saturation_prey * rates.half_saturation_prey + prey_squared);
  const double grazed = taken(rates.grazing * pace * prey_response * grazers, prey);
  const double died = taken(rates.phytoplankton_loss * pace * prey, prey);
  const double excreted = taken(rates.excretion * pace * grazers, grazers);
  const double lost = taken(rates.zooplankton_loss * pace * grazers * grazers, grazers);
  const double remineralised = taken(rates.remineralisation * pace * std::max(cell.detritus, 0.0), cell.detritus);

  const double assimilated = rates.assimilated * grazed;
  const double spilled = grazed - assimilated;
  cell.nutrient += (excreted + remineralised) - uptake;
  cell.phytoplankton += uptake - (grazed + died);
  cell.zooplankton += assimilated - (excreted + lost);
  cell.detritus += (spilled + died + lost) - remineralised;
}

// The growing cells shade themselves, so the response is computed again in every sub-step.
void react_in_full(Cell& cell, const Rates& rates, Surroundings around) {
  constexpr int sub_steps = 8;
  around.step_days /= sub_steps;
  for (int n = 0; n < sub_steps; ++n) {
    const double shaded = around.light * std::exp(-0.1 * std::max(cell.phytoplankton, 0.0));
    react(cell, rates, around, 1.0 - std::exp(-shaded / rates.half_saturation_light));
  }
}

void react_lightly(Cell& cell, const Rates& rates, const Surroundings& around) {
  react(cell, rates, around, around.light / (rates.half_saturation_light + around.light));
}

// One row of a chain; members that do not exist are null.
void react_row(const std::array<double*, roles>& members, int ny, const Rates& rates, Surroundings around,
               const std::vector<double>& light, const std::vector<double>& warmth, Cost cost) {
  const auto value = [&members](int role, int j) { return members[role] != nullptr ? members[role][j] : 0.0; };
  for (int j = 0; j < ny; ++j) {
    Cell cell{value(0, j), value(1, j), value(2, j), value(3, j)};
    around.light = light[j];
    around.warmth = warmth[j];
    if (cost == Cost::full) {
      react_in_full(cell, rates, around);
    } else {
      react_lightly(cell, rates, around);
    }
    members[0][j] = members[3] != nullptr ? cell.nutrient : cell.nutrient + cell.detritus;
    if (members[1] != nullptr) members[1][j] = cell.phytoplankton;
    if (members[2] != nullptr) members[2][j] = cell.zooplankton;
    if (members[3] != nullptr) members[3][j] = cell.detritus;
  }
}

double warmth_at(double temperature_c) { return std::pow(1.066, temperature_c - 10.0); }  // Eppley's curve

// The basin's light and warmth, which are the same for all rows of a level.
void light_and_warmth(const Model& model, int k, int step, std::vector<double>& light, std::vector<double>& warmth) {
  for (size_t j = 0; j < warmth.size(); ++j) {
    light[j] = model.basin.light_w_per_m2(k, step);
    warmth[j] = warmth_at(model.basin.temperature_c(model.block.y.first + static_cast<int>(j), k));
  }
}

// As read.
void light_and_warmth(const Model& model, int i, int k, int step, std::vector<double>& light,
                      std::vector<double>& warmth) {
  const double* shortwave = model.forcing->shortwave.row(i, 0);
  const double* temperature_c = model.forcing->temperature_c.row(i, k);
  const double basin_light = model.basin.light_w_per_m2(k, step);
  for (size_t j = 0; j < warmth.size(); ++j) {
    light[j] = basin_light * (shortwave[j] / basin_shortwave_w_per_m2);
    warmth[j] = warmth_at(temperature_c[j]);
  }
}

}  // namespace

[[gnu::noinline]] void trcbio(Model& model, int step) {
  constexpr double step_days = step_s / 86400.0;
  const int tracers = static_cast<int>(model.tracers.size());
  const Surroundings around{0.0, 1.0, step_days};
  std::vector<double> of_level_light(model.block.y.count), of_level_warmth(model.block.y.count);
  for (int k = 0; k < model.settings.grid.nz; ++k) {
    if (!model.forcing) light_and_warmth(model, k, step, of_level_light, of_level_warmth);
    OPATM_COLUMNS_BY_THREADS
    for (int i = 0; i < model.block.x.count; ++i) {
      std::vector<double> light = of_level_light, warmth = of_level_warmth;
      if (model.forcing) light_and_warmth(model, i, k, step, light, warmth);
      for (int first = 0; first < tracers; first += roles) {
        std::array<double*, roles> members{};
        for (int role = 0; role < roles && first + role < tracers; ++role) {
          members[role] = model.concentration[first + role].row(i, k);
        }
        react_row(members, model.block.y.count, rates_of(model.tracers[first].chain), around, light, warmth,
                  model.settings.cost);
      }
    }
  }
}

}  // namespace opatm
