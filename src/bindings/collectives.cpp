// The schedules of the collectives, for tests and reports.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "bindings/bindings.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/cost.hpp"

namespace nb = nanobind;

namespace leadline::bindings {

namespace {

using collectives::Operation;
using StepOf = std::tuple<std::string, int, int64_t, int64_t>;  // kind, peer, elements, request

constexpr const char* kinds[] = {"send", "receive", "wait", "copy", "reduce", "native", "together"};

std::optional<std::vector<StepOf>> steps(const std::string& operation, const std::string& algorithm, int processes,
                                         int rank, int root, int64_t count, int64_t element_bytes,
                                         int64_t segment_bytes, int radix) {
  collectives::Problem problem;
  if (!collectives::operation_of(operation, &problem.operation)) throw nb::value_error("unknown operation");
  const collectives::Algorithm* found = collectives::find_algorithm(problem.operation, algorithm);
  if (!found) throw nb::value_error("unknown algorithm");
  if (rank < 0 || rank >= processes || root < 0 || root >= processes || count < 0 || element_bytes < 1) {
    throw nb::value_error("rank, root or count out of range");
  }
  problem.processes = processes;
  problem.rank = rank;
  problem.root = root;
  problem.count = count;
  problem.element_bytes = element_bytes;
  problem.segment_bytes = segment_bytes;
  if (radix) problem.radix = radix;
  const std::vector<int> nodes(static_cast<size_t>(processes), 0);
  problem.node_of = nodes.data();
  collectives::Schedule schedule;
  if (!found->build(problem, &schedule)) return std::nullopt;
  std::vector<StepOf> list;
  for (const collectives::Step& step : schedule.steps) {
    const int64_t elements = step.kind == collectives::Step::Kind::send ? step.from.count : step.to.count;
    list.emplace_back(kinds[static_cast<int>(step.kind)], step.peer, elements, step.request);
  }
  return list;
}

std::vector<std::tuple<std::string, std::string, bool, bool, bool>> algorithms() {
  std::vector<std::tuple<std::string, std::string, bool, bool, bool>> list;
  for (const collectives::Algorithm& a : collectives::algorithms()) {
    list.emplace_back(collectives::name_of(a.operation), a.name, a.needs_commutative, a.takes_segments, a.takes_radix);
  }
  return list;
}

double bound_ns(const std::string& operation, int processes, int64_t bytes, const network::Network& network) {
  Operation of;
  if (!collectives::operation_of(operation, &of)) throw nb::value_error("unknown operation");
  return network::lower_bound(collectives::movement_of(of), processes, bytes, network).ns();
}

// nodes: by rank; none: all are on one. Negative: the algorithm cannot be used for that.
double model_ns(const std::string& operation, const std::string& algorithm, int processes, int64_t count,
                int64_t element_bytes, int64_t segment_bytes, const network::Network& network, int radix, int root,
                std::vector<int> nodes) {
  collectives::Problem problem;
  if (!collectives::operation_of(operation, &problem.operation)) throw nb::value_error("unknown operation");
  const collectives::Algorithm* found = collectives::find_algorithm(problem.operation, algorithm);
  if (!found) throw nb::value_error("unknown algorithm");
  if (processes < 1 || count < 0 || element_bytes < 1 || root < 0 || root >= processes)
    throw nb::value_error("processes, root or count out of range");
  if (nodes.empty()) nodes.assign(static_cast<size_t>(processes), 0);
  if (nodes.size() != static_cast<size_t>(processes) || *std::min_element(nodes.begin(), nodes.end()) < 0)
    throw nb::value_error("nodes: a number of 0 or more for each process");
  problem.processes = processes;
  problem.root = root;
  problem.count = count;
  problem.element_bytes = element_bytes;
  problem.segment_bytes = segment_bytes;
  if (radix > 0) problem.radix = radix;
  problem.node_of = nodes.data();
  problem.shares_memory = true;
  std::vector<collectives::Schedule> schedules(static_cast<size_t>(processes));
  for (int rank = 0; rank < processes; ++rank) {
    problem.rank = rank;
    if (!found->build(problem, &schedules[static_cast<size_t>(rank)])) return -1;
  }
  return collectives::modelled_ns(schedules, element_bytes, network, {.node_of = nodes.data()});
}

}  // namespace

void bind_collectives(nb::module_& m) {
  m.def("collective_steps", &steps, nb::arg("operation"), nb::arg("algorithm"), nb::arg("processes"), nb::arg("rank"),
        nb::arg("root"), nb::arg("count"), nb::arg("element_bytes"), nb::arg("segment_bytes") = 0,
        nb::arg("radix") = 0);
  m.def("collective_algorithms", &algorithms);
  m.def("collective_bound_ns", &bound_ns, nb::arg("operation"), nb::arg("processes"), nb::arg("bytes"),
        nb::arg("network"));
  m.def("collective_model_ns", &model_ns, nb::arg("operation"), nb::arg("algorithm"), nb::arg("processes"),
        nb::arg("count"), nb::arg("element_bytes"), nb::arg("segment_bytes"), nb::arg("network"), nb::arg("radix") = 0,
        nb::arg("root") = 0, nb::arg("nodes") = std::vector<int>{});
}

}  // namespace leadline::bindings
