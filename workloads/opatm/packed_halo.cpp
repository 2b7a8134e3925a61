#include "packed_halo.hpp"

#include <leadline_segments.h>

#include <stdexcept>
#include <string>

namespace opatm {
namespace {

// The column or row of points `depth` points inside that side of the block (-1: its halo), as in halo.cpp.
leadline_face face_of(Field& field, Side side, int depth) {
  leadline_face face{};
  face.element_bytes = sizeof(double);
  face.dims = 2;
  const ptrdiff_t to_next_level = field.row(0, 1) - field.row(0, 0);
  const ptrdiff_t to_next_column = field.row(1, 0) - field.row(0, 0);
  const auto set = [&face](int dim, int count, ptrdiff_t stride) {
    face.count[dim] = count;
    face.stride_bytes[dim] = stride * static_cast<ptrdiff_t>(sizeof(double));
  };
  if (side == Side::west || side == Side::east) {
    face.first = field.row(side == Side::west ? depth : field.nx() - 1 - depth, 0);
    set(0, field.levels(), to_next_level);
    set(1, field.ny(), 1);
  } else {
    face.first = field.row(-1, 0) + (side == Side::south ? depth : field.ny() - 1 - depth);
    set(0, field.nx() + 2, to_next_column);
    set(1, field.levels(), to_next_level);
  }
  return face;
}

void check(int code, const leadline_segments* plan) {
  if (code != LEADLINE_SEGMENTS_OK) throw std::runtime_error(leadline_segments_message(plan));
}

}  // namespace

void PackedHalo::Free::operator()(leadline_segments* plan) const { leadline_segments_free(&plan); }

PackedHalo::PackedHalo(const Decomposition& decomposition, int rank, const Halo& halo, std::vector<Field*> fields,
                       const std::vector<int>& sizes)
    : halo_(halo),
      fields_(std::move(fields)),
      west_and_east_(make_plan(decomposition, rank, Side::west, Side::east, sizes)) {
  if (decomposition.has_rows()) {
    south_and_north_ = make_plan(decomposition, rank, Side::south, Side::north, sizes);
  }
}

PackedHalo::Plan PackedHalo::make_plan(const Decomposition& decomposition, int rank, Side one, Side other,
                                       const std::vector<int>& sizes) {
  Plan plan(leadline_segments_create(MPI_COMM_WORLD));
  const Side sides[2] = {one, other};
  for (int n = 0; n < 2; ++n) {
    const int neighbour = decomposition.neighbour(rank, sides[n]);
    // What leaves through the one side arrives from the other.
    leadline_segments_neighbour(plan.get(), neighbour == Decomposition::nobody ? MPI_PROC_NULL : neighbour, n, 1 - n);
  }
  for (size_t field = 0; field < fields_.size(); ++field) {
    const std::string name = "tracer " + std::to_string(field);
    const int number = leadline_segments_field(plan.get(), name.c_str());
    for (int n = 0; n < 2; ++n) {
      const leadline_face send = face_of(*fields_[field], sides[n], 0);
      const leadline_face receive = face_of(*fields_[field], sides[n], -1);
      leadline_segments_face(plan.get(), number, n, &send, &receive);
    }
  }
  check(leadline_segments_commit(plan.get(), static_cast<int>(sizes.size()), sizes.empty() ? nullptr : sizes.data()),
        plan.get());
  return plan;
}

void PackedHalo::start() { check(leadline_segments_start(west_and_east_.get()), west_and_east_.get()); }

void PackedHalo::ready(size_t field) {
  check(leadline_segments_ready(west_and_east_.get(), static_cast<int>(field)), west_and_east_.get());
}

void PackedHalo::finish() {
  check(leadline_segments_wait(west_and_east_.get()), west_and_east_.get());
  for (Field* field : fields_) halo_.repeat_at_shores_in_x(*field);
  if (south_and_north_) check(leadline_segments_exchange(south_and_north_.get()), south_and_north_.get());
  for (Field* field : fields_) halo_.repeat_at_shores_in_y(*field);
}

}  // namespace opatm
