// Brings the neighbours' values into the halos of fields.
//
// Every other process that owns points of this block's halo is a neighbour, up to eight: corners are sent directly. A
// process that lies on several sides (two columns round the earth) is one neighbour and gets one message.
#pragma once

#include <mpi.h>

#include <vector>

#include "blocks.hpp"
#include "field.hpp"
#include "kit/omission.hpp"

namespace pop {

class Halo {
 public:
  Halo(const Settings& settings, const Blocks& blocks, int rank);

  // One message to and one from each neighbour with all levels of all the fields: every MPI_Irecv, every MPI_Isend,
  // an MPI_Waitall each. Collective.
  [[gnu::noinline]] void update(const kit::Exchange& exchange, const std::vector<Field*>& fields);

 private:
  struct Neighbour {
    int rank;
    std::vector<size_t> sent;      // where in a level of this block the points of its halo are
    std::vector<size_t> received;  // where its points are in this block's halo
    std::vector<double> outgoing;
    std::vector<double> incoming;
  };

  std::vector<Neighbour> neighbours_;
  Neighbour self_;  // points of this block that are beyond its own edge, round the earth
  std::vector<MPI_Request> receiving_;
  std::vector<MPI_Request> sending_;
  kit::Omission omission_{"POP_LEAVE_OUT"};
};

}  // namespace pop
