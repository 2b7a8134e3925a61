#include "halo.hpp"

#include <mpi.h>

#include <algorithm>

namespace s3d {
namespace {

constexpr const char* names[6] = {"x-", "x+", "y-", "y+", "z-", "z+"};  // which way the values travel

// Calls visit(first value, count) for the pieces of `width` layers from `from` on along the axis.
template <typename AnyField, typename Visit>
void visit_layers(AnyField& field, int axis, int from, int width, Visit visit) {
  Sizes low{0, 0, 0}, high = field.sizes();
  low[axis] = from;
  high[axis] = from + width;
  for (int k = low[2]; k < high[2]; ++k) {
    for (int j = low[1]; j < high[1]; ++j) visit(field.row(j, k) + low[0], high[0] - low[0]);
  }
}

void pack(const Field& field, int axis, int from, int width, std::vector<double>& message) {
  message.clear();
  visit_layers(field, axis, from, width,
               [&](const double* piece, int count) { message.insert(message.end(), piece, piece + count); });
}

void unpack(Field& field, int axis, int from, int width, const std::vector<double>& message) {
  const double* at = message.data();
  visit_layers(field, axis, from, width, [&](double* piece, int count) {
    std::copy_n(at, count, piece);
    at += count;
  });
}

size_t layers_size(const Field& field, int axis, int width) {
  const Sizes& sizes = field.sizes();
  return static_cast<size_t>(width) * sizes[(axis + 1) % 3] * sizes[(axis + 2) % 3];
}

}  // namespace

void Halo::exchange(Field& field, int only_axis, int width, const kit::Exchange& exchange) {
  MPI_Request requests[12];
  int pending = 0;
  bool arrives[6] = {};
  const int begin = only_axis < 0 ? 0 : only_axis, end = only_axis < 0 ? 3 : only_axis + 1;
  const auto travels = [&](int axis, int way) {
    return blocks_.before(axis) != Blocks::itself && !omission_.covers(exchange, names[2 * axis + way]);
  };
  // Way 0 goes down the axis: from the block after to the ghosts behind this one's last layer; way 1 goes up.
  for (int axis = begin; axis < end; ++axis) {
    for (int way = 0; way < 2; ++way) {
      if (!travels(axis, way)) continue;
      std::vector<double>& message = incoming_[2 * axis + way];
      message.resize(layers_size(field, axis, width));
      MPI_Irecv(message.data(), static_cast<int>(message.size()), MPI_DOUBLE,
                way == 0 ? blocks_.after(axis) : blocks_.before(axis), 2 * axis + way, MPI_COMM_WORLD,
                &requests[pending++]);
      arrives[2 * axis + way] = true;
    }
  }
  for (int axis = begin; axis < end; ++axis) {
    const int size = field.sizes()[axis];
    for (int way = 0; way < 2; ++way) {
      std::vector<double>& message = outgoing_[2 * axis + way];
      const int from = way == 0 ? 0 : size - width;
      if (blocks_.before(axis) == Blocks::itself) {
        pack(field, axis, from, width, message);
        unpack(field, axis, way == 0 ? size : -width, width, message);
      } else if (travels(axis, way)) {
        pack(field, axis, from, width, message);
        MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_DOUBLE,
                  way == 0 ? blocks_.before(axis) : blocks_.after(axis), 2 * axis + way, MPI_COMM_WORLD,
                  &requests[pending++]);
      }
    }
  }
  if (pending > 0) MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
  for (int n = 0; n < 6; ++n) {
    const int axis = n / 2;
    if (arrives[n]) unpack(field, axis, n % 2 == 0 ? field.sizes()[axis] : -width, width, incoming_[n]);
  }
}

}  // namespace s3d
