#include "packed_exchanges.hpp"

#include "model.hpp"

namespace opatm {
namespace {

std::vector<Field*> first_of(std::vector<Field>& fields, size_t count) {
  std::vector<Field*> result;
  for (size_t n = 0; n < count; ++n) result.push_back(&fields[n]);
  return result;
}

std::vector<int> sizes_in(const Segmentation& segments) { return segments.tuned ? std::vector<int>{} : segments.sizes; }

}  // namespace

PackedExchanges::PackedExchanges(Model& model, int rank)
    : concentrations_(model.decomposition, rank, model.halo, first_of(model.concentration, model.concentration.size()),
                      sizes_in(model.settings.segments)) {
  for (const int size : model.settings.segments.sizes) {
    const auto count = static_cast<size_t>(size);
    if (lanes_.contains(count)) continue;
    // A segment's tracers are worked on together, and their fields travel together: as one, or as is found fastest.
    const std::vector<int> sizes = model.settings.segments.tuned ? std::vector<int>{} : std::vector<int>{size};
    const auto halo_of = [&](std::vector<Field>& fields) {
      return PackedHalo(model.decomposition, rank, model.halo, first_of(fields, count), sizes);
    };
    lanes_.emplace(count, LaneHalos{halo_of(model.advection.upstream()), halo_of(model.advection.room_up()),
                                    halo_of(model.advection.room_down()), halo_of(model.bent)});
  }
}

}  // namespace opatm
