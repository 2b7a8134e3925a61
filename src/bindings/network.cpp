// The parameters of a network model.
#include "network/network.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "network/measured.hpp"

namespace nb = nanobind;

namespace leadline::bindings {

namespace {

using network::Distance;
using network::Link;
using network::Network;
using network::Piece;
using network::Port;
using network::Topology;
using Costs = std::vector<std::pair<int64_t, int64_t>>;  // bytes, ns

Distance distance(const std::string& name) {
  Distance found{};
  if (!network::distance_of(name, &found)) throw nb::value_error("unknown distance");
  return found;
}

std::optional<Network> most_favourable(const Costs& messages, const Costs& reductions) {
  network::Measured measured;
  for (const auto& [bytes, ns] : messages) measured.messages.push_back({bytes, ns});
  for (const auto& [bytes, ns] : reductions) measured.reductions.push_back({bytes, ns});
  Network found;
  if (!network::most_favourable(measured, &found)) return std::nullopt;
  return found;
}

}  // namespace

void bind_network(nb::module_& m) {
  nb::class_<Piece>(m, "NetworkPiece")
      .def(nb::init<>())
      .def_rw("from_bytes", &Piece::from_bytes)
      .def_rw("latency_ns", &Piece::latency_ns)
      .def_rw("overhead_ns", &Piece::overhead_ns)
      .def_rw("overhead_per_byte_ns", &Piece::overhead_per_byte_ns)
      .def_rw("gap_ns", &Piece::gap_ns)
      .def_rw("per_byte_ns", &Piece::per_byte_ns)
      .def_rw("receive_overhead_ns", &Piece::receive_overhead_ns)
      .def_rw("receive_overhead_per_byte_ns", &Piece::receive_overhead_per_byte_ns)
      .def("message_ns", &Piece::message_ns, nb::arg("bytes"));
  nb::class_<Link>(m, "NetworkLink")
      .def(nb::init<>())
      .def_rw("pieces", &Link::pieces)
      .def_rw("eager_bytes", &Link::eager_bytes)
      .def_rw("handshake_ns", &Link::handshake_ns)
      .def_rw("progresses", &Link::progresses)
      .def_rw("copied_bytes", &Link::copied_bytes);
  nb::class_<Port>(m, "NetworkPort")
      .def(nb::init<>())
      .def_rw("gap_ns", &Port::gap_ns)
      .def_rw("per_byte_ns", &Port::per_byte_ns);
  nb::class_<Topology>(m, "NetworkTopology")
      .def(nb::init<>())
      .def_prop_rw(
          "kind", [](const Topology& t) { return std::string(network::fabric_names[static_cast<int>(t.fabric)]); },
          [](Topology& t, const std::string& name) {
            if (!network::fabric_of(name, &t.fabric)) throw nb::value_error("unknown kind of topology");
          })
      .def_rw("nodes_per_switch", &Topology::nodes_per_switch)
      .def_rw("switches", &Topology::switches)
      .def_rw("uplinks", &Topology::uplinks)
      .def_rw("global_links", &Topology::global_links)
      .def_rw("gap_ns", &Topology::gap_ns)
      .def_rw("per_byte_ns", &Topology::per_byte_ns)
      .def_rw("hop_ns", &Topology::hop_ns)
      .def_prop_ro("wrong",
                   [](const Topology& t) -> std::optional<std::string> {
                     const char* found = t.wrong();
                     return found ? std::optional<std::string>(found) : std::nullopt;
                   })
      .def_prop_ro("nodes", &Topology::nodes)
      .def("route", &Topology::route, nb::arg("origin"), nb::arg("target"));
  nb::class_<Network>(m, "Network")
      .def(nb::init<>())
      .def("own", [](const Network& n, const std::string& between) { return n.own(distance(between)); })
      .def("set", [](Network& n, const std::string& between, const Link& link) { n.set(distance(between), link); })
      .def("most_favourable", &Network::most_favourable)
      .def_rw("reduce_per_byte_ns", &Network::reduce_per_byte_ns)
      .def_rw("copy_per_byte_ns", &Network::copy_per_byte_ns)
      .def_rw("copy_2_mib_per_byte_ns", &Network::copy_2_mib_per_byte_ns)
      .def_rw("copy_8_mib_per_byte_ns", &Network::copy_8_mib_per_byte_ns)
      .def_rw("copy_uncached_per_byte_ns", &Network::copy_uncached_per_byte_ns)
      .def_rw("copy_strided_per_byte_ns", &Network::copy_strided_per_byte_ns)
      .def_rw("copy_strided_uncached_per_byte_ns", &Network::copy_strided_uncached_per_byte_ns)
      .def_rw("flag_ns", &Network::flag_ns)
      .def_rw("call_ns", &Network::call_ns)
      .def_rw("port", &Network::port)
      .def_rw("topology", &Network::topology);
  m.attr("network_distances") = nb::make_tuple(network::distance_names[0], network::distance_names[1],
                                               network::distance_names[2], network::distance_names[3]);
  m.def("most_favourable_network", &most_favourable, nb::arg("messages"), nb::arg("reductions"));
}

}  // namespace leadline::bindings
