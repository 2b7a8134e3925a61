#include "forcing.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace opatm {
namespace {

// A time step is stable below this part of a cell, in each of its faces.
constexpr double most_of_a_cell = 1.0 / 6.0;

std::string place(const Block& block, int i, int k, int j) {
  return "cell (" + std::to_string(block.x.first + i) + ", " + std::to_string(k) + ", " +
         std::to_string(block.y.first + j) + ")";
}

// m^3/s through a face as the thickness that passes it in half a step; nothing passes the sea's last faces.
void into_thickness(Field& carried, const Block& block, const Extent& grid) {
  constexpr double half_step_m_per_flow = 0.5 * step_s / cell_m2;
  for (int i = -1; i <= block.x.count; ++i) {
    const int x = block.x.first + i;
    for (int k = 0; k < grid.nz; ++k) {
      double* row = carried.row(i, k);
      for (int j = -1; j <= block.y.count; ++j) {
        const int y = block.y.first + j;
        const bool inside = x >= 0 && x < grid.nx && y >= 0 && y < grid.ny;
        row[j] = inside ? row[j] * half_step_m_per_flow : 0.0;
      }
    }
  }
}

// Unlike Halo::repeat_at_shores, into the corners too where a neighbour's values are beside them.
void repeat_beyond_shores(Field& kind, const Block& block, const Extent& grid) {
  for (int i = -1; i <= block.x.count; ++i) {
    const int inside_i = std::clamp(block.x.first + i, 0, grid.nx - 1) - block.x.first;
    for (int k = 0; k < grid.nz; ++k) {
      for (int j = -1; j <= block.y.count; ++j) {
        const int inside_j = std::clamp(block.y.first + j, 0, grid.ny - 1) - block.y.first;
        kind.row(i, k)[j] = kind.row(inside_i, k)[inside_j];
      }
    }
  }
}

}  // namespace

Forcing::Forcing(const Block& block, int levels)
    : kind(block.x.count, block.y.count, levels),
      flow{kind, kind, kind},
      temperature_c(kind),
      mixing_m2_per_s(kind),
      shortwave(block.x.count, block.y.count, 1),
      open_east(kind),
      open_north(kind),
      water(kind) {}

std::string Forcing::complete(const Block& block, const Extent& grid, const std::vector<double>& thickness_m) {
  repeat_beyond_shores(kind, block, grid);
  find_open_faces(block);
  for (Field* carried : {&flow.east, &flow.north, &flow.down}) into_thickness(*carried, block, grid);
  for (int i = 0; i < block.x.count; ++i) {
    for (int k = 0; k < grid.nz; ++k) {
      for (int j = 0; j < block.y.count; ++j) {
        const std::string wrong = wrong_in_cell(i, k, j, block, thickness_m);
        if (!wrong.empty()) return wrong + " " + place(block, i, k, j);
      }
    }
  }
  return "";
}

void Forcing::find_open_faces(const Block& block) {
  for (int i = 0; i <= block.x.count; ++i) {
    for (int k = 0; k < kind.levels(); ++k) {
      for (int j = 0; j <= block.y.count; ++j) {
        const bool here = is_water(i, k, j);
        water.row(i, k)[j] = here ? 1.0 : 0.0;
        open_east.row(i, k)[j] = here && is_water(i - 1, k, j) ? 1.0 : 0.0;
        open_north.row(i, k)[j] = here && is_water(i, k, j - 1) ? 1.0 : 0.0;
      }
    }
  }
}

std::string Forcing::wrong_in_cell(int i, int k, int j, const Block& block,
                                   const std::vector<double>& thickness_m) const {
  const double what = kind.row(i, k)[j];
  if (what != Kind::land && what != Kind::bed && what != Kind::water) return "expected kind 0, 1 or 2 in";
  if (is_water(i, k, j) && (k + 1 == kind.levels() || kind.row(i, k + 1)[j] == Kind::land)) {
    return "neither water nor sea bed below";
  }
  const bool from_west = block.x.first + i > 0 && open_east.row(i, k)[j] != 0.0;
  const bool from_south = block.y.first + j > 0 && open_north.row(i, k)[j] != 0.0;
  const bool from_above = k > 0 && is_water(i, k, j) && is_water(i, k - 1, j);
  // Of the thinner of the two cells that the face parts.
  const double here_m = thickness_m[k], above_m = k > 0 ? thickness_m[k - 1] : here_m;
  struct Face {
    double carried_m, thinner_m;
    bool open;
  };
  for (const Face& face : {Face{flow.east.row(i, k)[j], here_m, from_west},
                           {flow.north.row(i, k)[j], here_m, from_south},
                           {flow.down.row(i, k)[j], std::min(here_m, above_m), from_above}}) {
    if (std::abs(face.carried_m) <= (face.open ? most_of_a_cell * face.thinner_m : 0.0)) continue;
    return face.open ? "the flow violates the CFL limit, or is NaN, in"
                     : "water flows through land or the sea bed into";
  }
  return "";
}

}  // namespace opatm
