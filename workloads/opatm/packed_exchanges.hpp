// The exchanges of a run whose tracers' messages are packed into segments.
#pragma once

#include <map>
#include <vector>

#include "field.hpp"
#include "packed_halo.hpp"
#include "settings.hpp"

namespace opatm {

// The model's fields that travel, one of each kind per tracer, or per tracer that is worked on at the same time.
struct PackedFields {
  std::vector<Field>&concentrations, &upstream, &room_up, &room_down, &bent;
};

// Of the fields that a segment's tracers work with; there are as many as the segment has tracers.
struct LaneHalos {
  PackedHalo upstream, room_up, room_down, bent;
};

class PackedExchanges {
 public:
  // Collective over MPI_COMM_WORLD. The fields stay where they are.
  PackedExchanges(const Decomposition& decomposition, int rank, const Halo& halo, const Segmentation& segments,
                  const PackedFields& all);

  PackedHalo& concentrations() { return concentrations_; }
  LaneHalos& lanes(size_t tracers) { return lanes_.at(tracers); }

 private:
  PackedHalo concentrations_;
  std::map<size_t, LaneHalos> lanes_;  // by their number
};

}  // namespace opatm
