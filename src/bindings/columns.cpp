// Columns of large tables, handed to Python without a copy.
#include "analysis/columns.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "bindings/buffers.hpp"
#include "bindings/text.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace leadline::bindings {

namespace {

using analysis::Profile;

nb::dict call_columns(const Profile& profile, const std::vector<std::vector<uint32_t>>& groups,
                      const WorldRanks& world_ranks) {
  std::vector<std::string> functions;
  for (const trace::Function& function : profile.functions()) functions.push_back(printable(function.name));
  analysis::CallColumns found =
      analysis::call_columns(profile, groups, functions, world_ranks_of(profile, world_ranks));
  nb::dict columns;
  columns["site"] = column(std::move(found.site));
  columns["process"] = column(std::move(found.process));
  columns["world"] = column(std::move(found.world));
  columns["rank"] = column(std::move(found.rank));
  columns["function"] = text_column(std::move(found.function));
  columns["calls"] = column(std::move(found.calls));
  columns["messages"] = column(std::move(found.messages));
  columns["bytes"] = column(std::move(found.bytes));
  columns["bytes_received"] = column(std::move(found.received));
  columns["one_sided_operations"] = column(std::move(found.operations));
  columns["bytes_put"] = column(std::move(found.put));
  columns["bytes_got"] = column(std::move(found.got));
  columns["time_s"] = column(std::move(found.time_s));
  columns["min_s"] = column(std::move(found.min_s));
  columns["max_s"] = column(std::move(found.max_s));
  return columns;
}

nb::dict matrix_columns(const Profile& profile, const WorldRanks& world_ranks) {
  analysis::MatrixColumns found = analysis::matrix_columns(profile, world_ranks_of(profile, world_ranks));
  nb::dict columns;
  columns["process"] = column(std::move(found.process));
  columns["world"] = column(std::move(found.world));
  columns["source"] = column(std::move(found.source));
  columns["target"] = column(std::move(found.target));
  columns["messages"] = column(std::move(found.messages));
  columns["bytes"] = column(std::move(found.bytes));
  columns["one_sided_operations"] = column(std::move(found.operations));
  columns["bytes_put"] = column(std::move(found.put));
  columns["bytes_got"] = column(std::move(found.got));
  return columns;
}

template <class T>
nb::tuple validity(const nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& values) {
  analysis::Validity found = analysis::validity_of(values.data(), values.size());
  const int64_t unknown = found.unknown;
  return nb::make_tuple(unknown ? column(std::move(found.bits)) : nb::none(), unknown);
}

}  // namespace

void bind_columns(nb::module_& m) {
  m.def("call_columns", &call_columns, "profile"_a, "groups"_a, "world_ranks"_a);
  m.def("matrix_columns", &matrix_columns, "profile"_a, "world_ranks"_a);
  m.def("validity", &validity<int32_t>, "values"_a);
  m.def("validity", &validity<int64_t>, "values"_a);
  m.def("validity", &validity<double>, "values"_a);
}

}  // namespace leadline::bindings
