#include "packed_exchanges.hpp"

namespace opatm {
namespace {

std::vector<Field*> first_of(std::vector<Field>& fields, size_t count) {
  std::vector<Field*> result;
  for (size_t n = 0; n < count; ++n) result.push_back(&fields[n]);
  return result;
}

std::vector<int> sizes_in(const Segmentation& segments) { return segments.tuned ? std::vector<int>{} : segments.sizes; }

}  // namespace

PackedExchanges::PackedExchanges(const Decomposition& decomposition, int rank, const Halo& halo,
                                 const Segmentation& segments, const PackedFields& all)
    : concentrations_(decomposition, rank, halo, first_of(all.concentrations, all.concentrations.size()),
                      sizes_in(segments)) {
  for (const int size : segments.sizes) {
    const auto count = static_cast<size_t>(size);
    if (lanes_.contains(count)) continue;
    // A segment's tracers are worked on together, and their fields travel together: as one, or as is found fastest.
    const std::vector<int> sizes = segments.tuned ? std::vector<int>{} : std::vector<int>{size};
    const auto halo_of = [&](std::vector<Field>& fields) {
      return PackedHalo(decomposition, rank, halo, first_of(fields, count), sizes);
    };
    lanes_.emplace(count,
                   LaneHalos{halo_of(all.upstream), halo_of(all.room_up), halo_of(all.room_down), halo_of(all.bent)});
  }
}

}  // namespace opatm
