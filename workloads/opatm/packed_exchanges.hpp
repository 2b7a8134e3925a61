// The exchanges of a run whose tracers' messages are packed into segments.
#pragma once

#include <map>

#include "packed_halo.hpp"

namespace opatm {

struct Model;

// Of the fields that a segment's tracers work with; there are as many as the segment has tracers.
struct LaneHalos {
  PackedHalo upstream, room_up, room_down, bent;
};

class PackedExchanges {
 public:
  // Collective over MPI_COMM_WORLD. The model's fields stay where they are.
  PackedExchanges(Model& model, int rank);

  PackedHalo& concentrations() { return concentrations_; }
  LaneHalos& lanes(size_t tracers) { return lanes_.at(tracers); }

 private:
  PackedHalo concentrations_;
  std::map<size_t, LaneHalos> lanes_;  // by their number
};

}  // namespace opatm
