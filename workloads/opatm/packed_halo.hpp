// The halos of several fields, exchanged together: a segment's faces travel as one message (docs/build-in/segments.md).
#pragma once

#include <memory>
#include <vector>

#include "decomposition.hpp"
#include "field.hpp"
#include "halo.hpp"

struct leadline_segments;

namespace opatm {

class PackedHalo {
 public:
  // sizes: fields in each segment; empty: found in the first exchanges. The fields stay where they are. Collective over
  // MPI_COMM_WORLD.
  PackedHalo(const Decomposition& decomposition, int rank, const Halo& halo, std::vector<Field*> fields,
             const std::vector<int>& sizes);

  // An exchange, as Halo::exchange makes it of one field: west and east first, then south and north. What goes west and
  // east leaves as soon as a segment's fields are ready.
  void start();
  void ready(size_t field);
  void finish();

  void exchange() {
    start();
    finish();
  }

 private:
  struct Free {
    void operator()(leadline_segments* plan) const;
  };
  using Plan = std::unique_ptr<leadline_segments, Free>;

  Plan make_plan(const Decomposition& decomposition, int rank, Side one, Side other, const std::vector<int>& sizes);

  const Halo& halo_;
  std::vector<Field*> fields_;
  Plan west_and_east_;
  Plan south_and_north_;  // null if there is no neighbour
};

}  // namespace opatm
