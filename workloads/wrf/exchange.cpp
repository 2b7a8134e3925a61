#include "exchange.hpp"

namespace wrf {
namespace {

constexpr int south_north = 0;  // the dimensions of the Cartesian communicator

// A strip of points along one edge of the tile.
struct Strip {
  int i_begin, i_end, j_begin, j_end;
};

// Inside the tile, to be sent, or in its halo. side: 0 is south or west, 1 north or east.
Strip strip_of(const Tile& tile, int dimension, int side, int width, bool in_halo) {
  const int points = dimension == south_north ? tile.ny : tile.nx;
  int begin = side == 0 ? 0 : points - width;
  if (in_halo) begin = side == 0 ? -width : points;
  if (dimension == south_north) return {0, tile.nx, begin, begin + width};
  return {begin, begin + width, -width, tile.ny + width};
}

template <typename Visit>
void visit(const Strip& strip, const std::vector<Field*>& fields, Visit at) {
  for (Field* field : fields) {
    for (int k = 0; k < field->levels(); ++k) {
      for (int j = strip.j_begin; j < strip.j_end; ++j) {
        for (int i = strip.i_begin; i < strip.i_end; ++i) at((*field)(i, j, k));
      }
    }
  }
}

size_t values(const Strip& strip, const std::vector<Field*>& fields) {
  size_t levels = 0;
  for (const Field* field : fields) levels += field->levels();
  return levels * (strip.i_end - strip.i_begin) * (strip.j_end - strip.j_begin);
}

void pack(const Strip& strip, const std::vector<Field*>& fields, std::vector<double>& buffer) {
  buffer.resize(values(strip, fields));
  double* next = buffer.data();
  visit(strip, fields, [&next](double& value) { *next++ = value; });
}

void unpack(const Strip& strip, const std::vector<Field*>& fields, const std::vector<double>& buffer) {
  const double* next = buffer.data();
  visit(strip, fields, [&next](double& value) { value = *next++; });
}

// Beyond a wall: the tile's own values mirrored; what is on southern faces changes sign, and is zero at the wall
// itself.
void mirror(const Tile& tile, int side, int width, Field& field) {
  const bool crosses = field.staggering() == Staggering::south_face;
  for (int k = 0; k < field.levels(); ++k) {
    for (int n = 0; n < width; ++n) {
      const int outside = side == 0 ? -1 - n : tile.ny + n;
      // The face at the northern wall is the first one outside; that at the southern wall is the tile's first.
      const int inside = side == 0 ? n + (crosses ? 1 : 0) : tile.ny - 1 - n + (crosses ? 1 : 0);
      for (int i = 0; i < tile.nx; ++i) {
        if (crosses && side == 1 && n == 0) {
          field(i, outside, k) = 0.0;
        } else {
          field(i, outside, k) = crosses ? -field(i, inside, k) : field(i, inside, k);
        }
      }
    }
  }
}

}  // namespace

void Exchange::update(const kit::Exchange& exchange, int width, const std::vector<Field*>& fields) {
  if (omission_.covers(exchange)) return;
  phase(south_north, width, fields);
  phase(1 - south_north, width, fields);
}

void Exchange::phase(int dimension, int width, const std::vector<Field*>& fields) {
  int own = 0;
  int neighbour[2];  // south and north, or west and east
  int none = 0;
  MPI_Comm_rank(ring_, &own);
  for (int side = 0; side < 2; ++side) MPI_Cart_shift(ring_, dimension, side == 0 ? -1 : 1, &none, &neighbour[side]);
  bool at_wall[2] = {false, false};
  if (dimension == south_north) {
    int place[2];
    MPI_Cart_coords(ring_, own, 2, place);
    at_wall[0] = place[south_north] == 0;
    at_wall[1] = place[south_north] == rows_ - 1;
  }
  MPI_Request receiving[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Request sending[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const bool alone = neighbour[0] == own;
  for (int side = 0; side < 2; ++side) {
    if (at_wall[side] || alone) continue;
    incoming_[side].resize(values(strip_of(tile_, dimension, side, width, true), fields));
    MPI_Irecv(incoming_[side].data(), static_cast<int>(incoming_[side].size()), MPI_DOUBLE, neighbour[side], 1 - side,
              ring_, &receiving[side]);
  }
  for (int side = 0; side < 2; ++side) {
    if (at_wall[side]) continue;
    pack(strip_of(tile_, dimension, side, width, false), fields, outgoing_[side]);
    if (alone) continue;
    MPI_Isend(outgoing_[side].data(), static_cast<int>(outgoing_[side].size()), MPI_DOUBLE, neighbour[side], side,
              ring_, &sending[side]);
  }
  for (int side = 0; side < 2; ++side) {
    if (at_wall[side]) {
      for (Field* field : fields) mirror(tile_, side, width, *field);
    } else if (alone) {  // round the earth to the tile's own other edge
      unpack(strip_of(tile_, dimension, side, width, true), fields, outgoing_[1 - side]);
    } else {
      MPI_Wait(&receiving[side], MPI_STATUS_IGNORE);
      unpack(strip_of(tile_, dimension, side, width, true), fields, incoming_[side]);
    }
  }
  for (MPI_Request& request : sending) {
    if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

}  // namespace wrf
