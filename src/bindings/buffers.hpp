// Columns for Python: a memoryview owns the vector it shows.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/columns.hpp"

namespace leadline::bindings {

template <class T>
nanobind::object column(std::vector<T>&& values) {
  values.reserve(1);  // an empty buffer has an address too
  auto* owned = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nanobind::cast(
      nanobind::ndarray<nanobind::memview, const T, nanobind::ndim<1>>(owned->data(), {owned->size()}, owner));
}

inline nanobind::object text_column(analysis::TextColumn&& text) {
  return nanobind::make_tuple(column(std::move(text.offsets)), column(std::move(text.bytes)));
}

// Of each process of the profile: its row in the table of ranks, its world, its rank there; -1 unknown.
using WorldRanks = std::vector<std::tuple<int32_t, int32_t, int32_t>>;

inline std::vector<analysis::WorldRank> world_ranks_of(const analysis::Profile& profile, const WorldRanks& given) {
  if (given.size() != profile.processes().size())
    throw nanobind::value_error("one world and rank are needed for each process");
  std::vector<analysis::WorldRank> world_ranks;
  for (const auto& [process, world, rank] : given) world_ranks.push_back({process, world, rank});
  return world_ranks;
}

}  // namespace leadline::bindings
