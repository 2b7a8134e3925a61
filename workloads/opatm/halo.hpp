// Brings the neighbours' values into a field's halo.
#pragma once

#include <vector>

#include "decomposition.hpp"
#include "field.hpp"
#include "kit/omission.hpp"

namespace opatm {

class Halo {
 public:
  Halo(const Decomposition& decomposition, int rank);

  // One message to and one from each neighbour, holding the face of all levels of the field: MPI_Irecv, MPI_Isend and
  // an MPI_Wait for each. West and east come first, then south and north with the columns just received, so that the
  // corners are right without messages of their own. Beyond the shore the field's outermost value is repeated.
  [[gnu::noinline]] void exchange(Field& field, const kit::Exchange& exchange);

  // The shore part of it alone, for a field whose halo is otherwise known.
  void repeat_at_shores(Field& field) const;
  void repeat_at_shores_in_x(Field& field) const { repeat_at_shores(field, Side::west, Side::east); }
  void repeat_at_shores_in_y(Field& field) const { repeat_at_shores(field, Side::south, Side::north); }

  // Whether an exchange is to be left out, which only the exchange of single fields can do.
  bool leaves_out() const { return omission_.is_set(); }

 private:
  struct Direction;
  void repeat_at_shores(Field& field, Side one, Side other) const;
  void pass_along(Field& field, const kit::Exchange& exchange, const Direction& one_way, const Direction& other_way);

  int neighbour_[4];  // by Side
  kit::Omission omission_{"OPATM_LEAVE_OUT"};
  std::vector<double> incoming_[2];
  std::vector<double> outgoing_[2];
};

}  // namespace opatm
