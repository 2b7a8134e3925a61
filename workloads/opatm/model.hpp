// The state of the sea on this process, and the routines that advance it, one file each. They bear the names they have
// in the OPA model, and C linkage so that a call path shows just these names.
#pragma once

#include <memory>
#include <vector>

#include "advection_scheme.hpp"
#include "basin.hpp"
#include "budget.hpp"
#include "decomposition.hpp"
#include "field.hpp"
#include "forcing.hpp"
#include "halo.hpp"
#include "kit/phases.hpp"
#include "packed_exchanges.hpp"
#include "settings.hpp"
#include "tracers.hpp"
#include "vertical_mixing.hpp"

namespace opatm {

struct Model {
  // forcing: null where the basin's formulas hold.
  Model(const Settings& settings, std::unique_ptr<Forcing> forcing, int rank, int ranks);

  // Before the first step: either this or concentrations from a file, halo included, then begin().
  void set_initial_state();
  void begin();

  Settings settings;
  Decomposition decomposition;
  Block block;
  Basin basin;
  std::vector<Tracer> tracers;

  // Per tracer. The concentrations (mmol/m^3) enter each step with an up-to-date halo. The other two hold the block
  // without halo: the sum of the concentrations since the last output, and, on a step that ends with output, the change
  // by transport (until transport is done: the concentration before it).
  std::vector<Field> concentration;
  std::vector<std::vector<double>> accumulated;
  std::vector<std::vector<double>> transport_change;
  int accumulated_steps = 0;

  Halo halo;
  std::unique_ptr<Forcing> forcing;  // null: the basin's formulas
  std::vector<Field> bent;  // of trchdf: a level's Laplacian, for each tracer that is diffused at the same time
  Advection advection;
  VerticalMixing mixing;
  Budget budget;
  std::unique_ptr<PackedExchanges> packed;  // null: a message for each tracer
};

extern "C" {
void trcadv(Model& model);            // advection by the flow
void trchdf(Model& model);            // horizontal diffusion
void trczdf(Model& model);            // vertical diffusion
void trcsed(Model& model);            // sinking
void trcbio(Model& model, int step);  // reaction
void trcnxt(Model& model);            // completes the step
}

struct Phase {
  enum : size_t { input, setup, advection, diffusion, reaction, update, output };
};

// One step of half an hour, the step-th since the beginning.
void advance(Model& model, int step, bool output_follows, kit::Phases& phases);

}  // namespace opatm
