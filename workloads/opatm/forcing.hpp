// The sea and its weather where they are read from a file, on this process's block and its halo.
#pragma once

#include <string>
#include <vector>

#include "basin.hpp"
#include "field.hpp"

namespace opatm {

// What is in a cell. Water has at least one level of water or the bed below it. Land holds no matter.
struct Kind {
  enum : int { land, bed, water };
};

struct Forcing {
  explicit Forcing(const Block& block, int levels);

  // Call it when everything has been read: computes what follows from that. Returns an error, or nothing.
  std::string complete(const Block& block, const Extent& grid, const std::vector<double>& thickness_m);

  bool is_water(int i, int k, int j) const { return kind.row(i, k)[j] == Kind::water; }

  Field kind;
  Flow flow;
  Field temperature_c;
  Field mixing_m2_per_s;  // through the top of the cell
  Field shortwave;        // W/m^2, at the surface, at noon

  // 1 where matter may spread through the western or southern face, 0 elsewhere.
  Field open_east;
  Field open_north;
  Field water;  // 1 in water, 0 elsewhere

 private:
  void find_open_faces(const Block& block);
  std::string wrong_in_cell(int i, int k, int j, const Block& block, const std::vector<double>& thickness_m) const;
};

}  // namespace opatm
