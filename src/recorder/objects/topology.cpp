#include "recorder/objects/topology.hpp"

#include "recorder/library/functions.hpp"

namespace leadline::recorder {

namespace {

void ask_for_sides(uint64_t comm, Topology* to) {
  constexpr int32_t most = trace::most_grid_dims;
  int32_t dims = 0, extents[most], periodic[most], at[most];
  if (call_real(Fn::Cartdim_get, comm, &dims) != 0 || dims < 1 || dims > most) return;
  if (call_real(Fn::Cart_get, comm, dims, extents, periodic, at) != 0) return;
  for (int32_t d = 0; d < dims; ++d) to->sides[d] = periodic[d] ? -extents[d] : extents[d];
  to->dims = static_cast<uint8_t>(dims);
}

}  // namespace

Topology topology_of(uint64_t comm) {
  Topology found;
  int32_t kind = abi.undefined;
  if (!has_real(Fn::Topo_test) || call_real(Fn::Topo_test, comm, &kind) != 0) return found;
  if (kind == abi.family->topo_cart) {
    found.kind = trace::Topology::cartesian;
    ask_for_sides(comm, &found);
  } else if (kind == abi.family->topo_graph) {
    found.kind = trace::Topology::graph;
  } else if (kind == abi.family->topo_dist_graph) {
    found.kind = trace::Topology::distributed_graph;
  }
  return found;
}

}  // namespace leadline::recorder
