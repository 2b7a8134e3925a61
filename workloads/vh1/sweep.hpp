// One line of zones advanced along itself: a Lagrangian step, then the remap to where the zones were.
#pragma once

#include <array>

#include "parabola.hpp"

namespace vh1 {

constexpr int variables = 6;  // density, pressure, three velocities, flattening
constexpr int ghosts = 6;  // zones beyond each end: two parabolas, two rounds of their neighbours, a pressure gradient

enum class Ends { periodic, open };

class Line {
 public:
  Line(int zones, double width, Ends ends);

  int zones() const { return zones_; }

  // A zone's variables, the velocity along the line first among the three.
  void set(int n, const std::array<double, variables>& zone) {
    for (int v = 0; v < variables; ++v) (*rows_[v])[n + ghosts] = zone[v];
  }
  std::array<double, variables> zone(int n) const {
    std::array<double, variables> values;
    for (int v = 0; v < variables; ++v) values[v] = (*rows_[v])[n + ghosts];
    return values;
  }

  // All zones must have been set. The sound may not cross a zone within dt.
  void advance(double dt);

 private:
  void fill_ghosts();
  void flatten();
  void lagrange(double dt);
  void remap();

  int zones_;
  double width_;
  Ends ends_;
  Row density_, pressure_, along_, side1_, side2_, marker_;
  std::array<Row*, variables> rows_{&density_, &pressure_, &along_, &side1_, &side2_, &marker_};
  Row steepness_;   // what this sweep finds, for the next ones
  Row flattening_;  // what it uses
  Row energy_;      // total, per mass
  Row mass_, even_, stretched_, shift_;
  Row contact_pressure_, contact_velocity_;  // at the edge on a zone's left
  Spacing even_spacing_, stretched_spacing_;
  Parabolas parabola_[5];
  Row flux_[5];
};

}  // namespace vh1
