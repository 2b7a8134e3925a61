#include "halo.hpp"

#include <algorithm>

namespace pop {
namespace {

// Calls visit(i, j, global x, global y) for every point of the ocean in the block's halo, always in the same order.
template <typename Visit>
void visit_halo(const Extent& grid, const Block& block, Visit visit) {
  for (int j = -halo_width; j < block.ny + halo_width; ++j) {
    const int y = block.y_first + j;
    if (y < 0 || y >= grid.ny) continue;
    for (int i = -halo_width; i < block.nx + halo_width; ++i) {
      if (i >= 0 && i < block.nx && j >= 0 && j < block.ny) continue;
      visit(i, j, (block.x_first + i + grid.nx) % grid.nx, y);
    }
  }
}

size_t values(const std::vector<size_t>& points, const std::vector<Field*>& fields) {
  size_t levels = 0;
  for (const Field* field : fields) levels += field->levels();
  return points.size() * levels;
}

void pack(const std::vector<size_t>& points, const std::vector<Field*>& fields, std::vector<double>& message) {
  message.resize(values(points, fields));
  double* at = message.data();
  for (Field* field : fields) {
    for (int k = 0; k < field->levels(); ++k) {
      const double* level = field->level(k);
      for (size_t point : points) *at++ = level[point];
    }
  }
}

void unpack(const std::vector<size_t>& points, const std::vector<Field*>& fields, const std::vector<double>& message) {
  const double* at = message.data();
  for (Field* field : fields) {
    for (int k = 0; k < field->levels(); ++k) {
      double* level = field->level(k);
      for (size_t point : points) level[point] = *at++;
    }
  }
}

}  // namespace

Halo::Halo(const Settings& settings, const Blocks& blocks, int rank) : self_{rank, {}, {}, {}, {}} {
  const Extent& grid = settings.grid;
  const Block mine = blocks.block(rank);
  const Field plane(mine, 1);
  std::vector<int> owners;
  visit_halo(grid, mine, [&](int, int, int x, int y) { owners.push_back(blocks.owner(x, y)); });
  std::sort(owners.begin(), owners.end());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  for (int owner : owners) {
    Neighbour neighbour{owner, {}, {}, {}, {}};
    visit_halo(grid, mine, [&](int i, int j, int x, int y) {
      if (blocks.owner(x, y) == owner) neighbour.received.push_back(plane.offset_in_level(i, j));
    });
    visit_halo(grid, blocks.block(owner), [&](int, int, int x, int y) {
      if (blocks.owner(x, y) == rank) {
        neighbour.sent.push_back(plane.offset_in_level(x - mine.x_first, y - mine.y_first));
      }
    });
    if (owner == rank) {
      self_ = neighbour;
    } else {
      neighbours_.push_back(neighbour);
    }
  }
  receiving_.resize(neighbours_.size());
  sending_.resize(neighbours_.size());
}

void Halo::update(const kit::Exchange& exchange, const std::vector<Field*>& fields) {
  if (omission_.covers(exchange)) return;
  constexpr int tag = 1;
  const int count = static_cast<int>(neighbours_.size());
  for (int n = 0; n < count; ++n) {
    Neighbour& neighbour = neighbours_[n];
    neighbour.incoming.resize(values(neighbour.received, fields));
    MPI_Irecv(neighbour.incoming.data(), static_cast<int>(neighbour.incoming.size()), MPI_DOUBLE, neighbour.rank, tag,
              MPI_COMM_WORLD, &receiving_[n]);
  }
  for (int n = 0; n < count; ++n) {
    Neighbour& neighbour = neighbours_[n];
    pack(neighbour.sent, fields, neighbour.outgoing);
    MPI_Isend(neighbour.outgoing.data(), static_cast<int>(neighbour.outgoing.size()), MPI_DOUBLE, neighbour.rank, tag,
              MPI_COMM_WORLD, &sending_[n]);
  }
  pack(self_.sent, fields, self_.outgoing);
  unpack(self_.received, fields, self_.outgoing);
  MPI_Waitall(count, receiving_.data(), MPI_STATUSES_IGNORE);
  for (const Neighbour& neighbour : neighbours_) unpack(neighbour.received, fields, neighbour.incoming);
  MPI_Waitall(count, sending_.data(), MPI_STATUSES_IGNORE);
}

}  // namespace pop
