// Brings the neighbours' outermost points into a field's ghosts.
#pragma once

#include <vector>

#include "blocks.hpp"
#include "field.hpp"
#include "kit/omission.hpp"

namespace s3d {

class Halo {
 public:
  explicit Halo(const Blocks& blocks) : blocks_(blocks) {}

  // Along one axis, or all three (axis -1): an MPI_Irecv from every neighbour, an MPI_Isend to each, one MPI_Waitall. A
  // message is the field's `width` outermost layers, without edges and corners: differences go along an axis.
  [[gnu::noinline]] void exchange(Field& field, int axis, int width, const kit::Exchange& exchange);

 private:
  const Blocks& blocks_;
  kit::Omission omission_{"S3D_LEAVE_OUT"};
  std::vector<double> incoming_[6];
  std::vector<double> outgoing_[6];
};

}  // namespace s3d
