// Brings the neighbours' values into the halos of fields, and what the walls mirror into those beyond them.
#pragma once

#include <mpi.h>

#include <vector>

#include "field.hpp"
#include "kit/omission.hpp"
#include "tiles.hpp"

namespace wrf {

class Exchange {
 public:
  Exchange(const Tiles& tiles, int rank) : ring_(tiles.communicator()), rows_(tiles.rows()), tile_(tiles.tile(rank)) {}

  // The outermost `width` points of all levels of all the fields in one buffer for each neighbour: first to south and
  // north, then to west and east with the points just received, so that the corners are right without messages of their
  // own. In each phase an MPI_Irecv and an MPI_Isend per neighbour and an MPI_Wait for each. Collective.
  [[gnu::noinline]] void update(const kit::Exchange& exchange, int width, const std::vector<Field*>& fields);

 private:
  [[gnu::noinline]] void phase(int dimension, int width, const std::vector<Field*>& fields);

  MPI_Comm ring_;
  int rows_;
  Tile tile_;
  std::vector<double> outgoing_[2];
  std::vector<double> incoming_[2];
  kit::Omission omission_{"WRF_LEAVE_OUT"};
};

}  // namespace wrf
