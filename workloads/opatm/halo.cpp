#include "halo.hpp"

#include <mpi.h>

#include <algorithm>

namespace opatm {
namespace {

bool in_x(Side side) { return side == Side::west || side == Side::east; }

size_t face_size(const Field& field, Side side) {
  return static_cast<size_t>(field.levels()) * (in_x(side) ? field.ny() : field.nx() + 2);
}

// Calls visit(first value, count) for the pieces of the column or row of points `depth` points inside that side of the
// block (-1: its halo).
template <typename AnyField, typename Visit>
void visit_face(AnyField& field, Side side, int depth, Visit visit) {
  if (in_x(side)) {
    const int i = side == Side::west ? depth : field.nx() - 1 - depth;
    for (int k = 0; k < field.levels(); ++k) visit(field.row(i, k), field.ny());
  } else {
    const int j = side == Side::south ? depth : field.ny() - 1 - depth;
    for (int i = -1; i <= field.nx(); ++i) {
      for (int k = 0; k < field.levels(); ++k) visit(field.row(i, k) + j, 1);
    }
  }
}

void pack(const Field& field, Side side, std::vector<double>& message) {
  message.resize(face_size(field, side));
  double* at = message.data();
  visit_face(field, side, 0, [&at](const double* piece, int count) { at = std::copy_n(piece, count, at); });
}

void unpack(Field& field, Side side, const std::vector<double>& message) {
  const double* at = message.data();
  visit_face(field, side, -1, [&at](double* piece, int count) {
    std::copy_n(at, count, piece);
    at += count;
  });
}

void repeat_outermost(Field& field, Side side) {
  if (in_x(side)) {
    const int inside = side == Side::west ? 0 : field.nx() - 1;
    const int outside = side == Side::west ? -1 : field.nx();
    for (int k = 0; k < field.levels(); ++k) std::copy_n(field.row(inside, k), field.ny(), field.row(outside, k));
  } else {
    const int inside = side == Side::south ? 0 : field.ny() - 1;
    const int outside = side == Side::south ? -1 : field.ny();
    for (int i = -1; i <= field.nx(); ++i) {
      for (int k = 0; k < field.levels(); ++k) field.row(i, k)[outside] = field.row(i, k)[inside];
    }
  }
}

}  // namespace

// The messages that travel one way: they leave through one side and fill the halo on the opposite one.
struct Halo::Direction {
  const char* name;
  Side from;
  Side to;
  int tag;
};

Halo::Halo(const Decomposition& decomposition, int rank) {
  for (Side side : {Side::west, Side::east, Side::south, Side::north}) {
    neighbour_[static_cast<int>(side)] = decomposition.neighbour(rank, side);
  }
}

void Halo::exchange(Field& field, const kit::Exchange& exchange) {
  constexpr Direction eastward{"eastward", Side::west, Side::east, 1};
  constexpr Direction westward{"westward", Side::east, Side::west, 2};
  constexpr Direction northward{"northward", Side::south, Side::north, 3};
  constexpr Direction southward{"southward", Side::north, Side::south, 4};
  pass_along(field, exchange, eastward, westward);
  repeat_at_shores_in_x(field);
  pass_along(field, exchange, northward, southward);
  repeat_at_shores_in_y(field);
}

void Halo::pass_along(Field& field, const kit::Exchange& exchange, const Direction& one_way,
                      const Direction& other_way) {
  const Direction* ways[2] = {&one_way, &other_way};
  MPI_Request receiving[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Request sending[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int n = 0; n < 2; ++n) {
    const int source = neighbour_[static_cast<int>(ways[n]->from)];
    if (source == Decomposition::nobody || omission_.covers(exchange, ways[n]->name)) continue;
    incoming_[n].resize(face_size(field, ways[n]->from));
    MPI_Irecv(incoming_[n].data(), static_cast<int>(incoming_[n].size()), MPI_DOUBLE, source, ways[n]->tag,
              MPI_COMM_WORLD, &receiving[n]);
  }
  for (int n = 0; n < 2; ++n) {
    const int target = neighbour_[static_cast<int>(ways[n]->to)];
    if (target == Decomposition::nobody || omission_.covers(exchange, ways[n]->name)) continue;
    pack(field, ways[n]->to, outgoing_[n]);
    MPI_Isend(outgoing_[n].data(), static_cast<int>(outgoing_[n].size()), MPI_DOUBLE, target, ways[n]->tag,
              MPI_COMM_WORLD, &sending[n]);
  }
  for (int n = 0; n < 2; ++n) {
    if (receiving[n] == MPI_REQUEST_NULL) continue;
    MPI_Wait(&receiving[n], MPI_STATUS_IGNORE);
    unpack(field, ways[n]->from, incoming_[n]);
  }
  for (MPI_Request& request : sending) {
    if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

void Halo::repeat_at_shores(Field& field, Side one, Side other) const {
  for (Side side : {one, other}) {
    if (neighbour_[static_cast<int>(side)] == Decomposition::nobody) repeat_outermost(field, side);
  }
}

void Halo::repeat_at_shores(Field& field) const {
  repeat_at_shores_in_x(field);
  repeat_at_shores_in_y(field);
}

}  // namespace opatm
