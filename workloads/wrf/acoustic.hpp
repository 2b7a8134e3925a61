// Sound, in steps of its own within a stage: what the state deviates from the stage's beginning.
//
// Horizontally explicit, forward and backward; vertically implicit (Klemp, Skamarock, Dudhia 2007).
#pragma once

#include "atmosphere.hpp"

namespace wrf {

class Acoustics {
 public:
  // begins: the state at the beginning of the step.
  Acoustics(Atmosphere& atmosphere, const State& begins);

  // What has to be in the halo before the first step.
  std::vector<Field*> start() { return deviation_.all(); }

  // `steps` steps of `dt` seconds each, then the state and the mean momenta are those at the stage's end, on the tile.
  void run(const State& rates, int steps, double dt);

 private:
  void work_out_pressure();
  void push_horizontally(const State& rates, double dt);
  void rise(const State& rates, double dt);
  void finish(int steps);

  Atmosphere& atmosphere_;
  State deviation_;
  Field pressure_;  // that follows from the deviation
  Field sum_east_, sum_north_, sum_up_;
};

}  // namespace wrf
