// Which process holds which part of the channel: columns x rows of tiles, each from ground to lid, on a Cartesian
// communicator that closes in a ring from west to east. rank = row * columns + column.
#pragma once

#include <mpi.h>

#include <vector>

#include "settings.hpp"

namespace wrf {

constexpr int halo_width = 3;

struct Tile {
  int x_first;
  int nx;
  int y_first;
  int ny;
};

class Tiles {
 public:
  // Throws kit::UsageError where the channel cannot be cut so: a halo must come from the next tile alone. Collective.
  Tiles(const Settings& settings, int ranks);
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;
  ~Tiles() { MPI_Comm_free(&ring_); }

  MPI_Comm communicator() const { return ring_; }
  int columns() const { return static_cast<int>(x_first_.size()) - 1; }
  int rows() const { return static_cast<int>(y_first_.size()) - 1; }
  Tile tile(int rank) const;

 private:
  std::vector<int> x_first_;  // per column, and where the last one ends
  std::vector<int> y_first_;
  MPI_Comm ring_;
};

}  // namespace wrf
