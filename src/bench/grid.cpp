#include "bench/grid.hpp"

namespace leadline::bench {

namespace {

// Where both neighbours of a dimension are the same rank, what it sends down comes from above, says the standard; some
// libraries take its messages in the order of the neighbours instead. The library is asked with a rank that is its own
// neighbour.
bool matches_by_order() {
  const int side = 1, periodic = 1, sent[2] = {1, 2};
  int came[2] = {0, 0};
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_SELF, 1, &side, &periodic, 0, &ring);
  MPI_Neighbor_alltoall(sent, 1, MPI_INT, came, 1, MPI_INT, ring);
  MPI_Comm_free(&ring);
  return came[0] == sent[0];
}

}  // namespace

Grid::Grid(const Job& job, const std::vector<int>& sides) {
  const std::vector<int> periodic(sides.size(), 1);
  MPI_Cart_create(job.comm, int(sides.size()), sides.data(), periodic.data(), 0, &comm_);
  const bool by_order = matches_by_order();
  for (int dimension = 0; dimension < int(sides.size()); ++dimension)
    add_dimension(dimension, by_order && sides[dimension] <= 2);
}

void Grid::add_dimension(int dimension, bool by_order) {
  const int down = 2 * dimension, up = down + 1;
  int below, above;
  MPI_Cart_shift(comm_, dimension, 1, &below, &above);
  targets_.insert(targets_.end(), {below, above});
  if (by_order) {
    sources_.insert(sources_.end(), {below, above});
    block_of_source_.insert(block_of_source_.end(), {down, up});
    origins_.insert(origins_.end(), {{below, down}, {above, up}});
  } else {
    sources_.insert(sources_.end(), {above, below});
    block_of_source_.insert(block_of_source_.end(), {up, down});
    origins_.insert(origins_.end(), {{below, up}, {above, down}});
  }
}

collectives::Neighbours Grid::neighbours() const {
  return {.known = true,
          .target_count = blocks(),
          .source_count = blocks(),
          .targets = targets_.data(),
          .sources = sources_.data()};
}

}  // namespace leadline::bench
