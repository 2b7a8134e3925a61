#include "shim/neighbourhood.hpp"

#include <algorithm>
#include <numeric>

#include "shim/state.hpp"

namespace leadline::shim {

using host::call_real;

namespace {

enum class Matched : uint8_t { unknown, by_direction, by_order };

// In a periodic dimension of one or two ranks both neighbours are the same rank. What it sends down comes from above,
// says the standard; some libraries take its messages in the order of the neighbours instead. Asked of the library
// with a rank that is its own neighbour, which takes no other one. by_direction where it does not say.
Matched ask_how_matched() {
  const int32_t one = 1, kept_order = 0;
  const int32_t sent[2] = {1, 2};
  int32_t came[2] = {0, 0};
  uint64_t ring = 0;
  const int32_t bytes = sizeof(int32_t);
  if (call_real(Fn::Cart_create, shim.alone, one, &one, &one, kept_order, &ring) != 0) return Matched::by_direction;
  const uint64_t comm = Abi::handle(ring, abi.family->handle_bytes.comm);
  const int error = call_real(Fn::Neighbor_alltoall, sent, bytes, abi.byte, came, bytes, abi.byte, comm);
  call_real(Fn::Comm_free, &ring);
  return !error && came[0] == sent[0] && came[1] == sent[1] ? Matched::by_order : Matched::by_direction;
}

bool is_matched_by_direction() {
  static std::atomic<Matched> known{Matched::unknown};
  if (known == Matched::unknown) known = ask_how_matched();
  return known == Matched::by_direction;
}

// MPI_PROC_NULL is nobody.
void name_nobody(std::vector<int32_t>* ranks) { std::replace(ranks->begin(), ranks->end(), abi.proc_null, -1); }

}  // namespace

Neighbourhood::Neighbourhood(uint64_t comm, int32_t rank) {
  int32_t topology = abi.undefined;
  if (call_real(Fn::Topo_test, comm, &topology) != 0) return;
  if (topology == abi.family->topo_cart) {
    known_ = ask_grid(comm);
  } else if (topology == abi.family->topo_graph) {
    known_ = ask_graph(comm, rank);
  } else if (topology == abi.family->topo_dist_graph) {
    known_ = ask_distributed_graph(comm);
  }
  name_nobody(&targets_);
  name_nobody(&sources_);
  if (block_of_source_.empty()) {
    block_of_source_.resize(sources_.size());
    std::iota(block_of_source_.begin(), block_of_source_.end(), 0);
  }
  source_of_block_.resize(sources_.size());
  for (size_t i = 0; i < sources_.size(); ++i) source_of_block_[static_cast<size_t>(block_of_source_[i])] = sources_[i];
}

bool Neighbourhood::ask_grid(uint64_t comm) {
  int32_t dimensions = 0;
  const int32_t step = 1;
  if (call_real(Fn::Cartdim_get, comm, &dimensions) != 0) return false;
  const auto length = static_cast<size_t>(dimensions);
  std::vector<int32_t> sides(length), periodic(length), at(length);
  if (call_real(Fn::Cart_get, comm, dimensions, sides.data(), periodic.data(), at.data()) != 0) return false;
  for (int32_t dimension = 0; dimension < dimensions; ++dimension) {
    int32_t below = -1, above = -1;
    if (call_real(Fn::Cart_shift, comm, dimension, step, &below, &above) != 0) return false;
    targets_.insert(targets_.end(), {below, above});
    const bool same = periodic[static_cast<size_t>(dimension)] && sides[static_cast<size_t>(dimension)] <= 2;
    if (same && !is_matched_by_direction()) {
      sources_.insert(sources_.end(), {below, above});
      block_of_source_.insert(block_of_source_.end(), {2 * dimension, 2 * dimension + 1});
    } else {  // what goes down comes from above
      sources_.insert(sources_.end(), {above, below});
      block_of_source_.insert(block_of_source_.end(), {2 * dimension + 1, 2 * dimension});
    }
  }
  return true;
}

bool Neighbourhood::ask_graph(uint64_t comm, int32_t rank) {
  int32_t number = 0;
  if (call_real(Fn::Graph_neighbors_count, comm, rank, &number) != 0) return false;
  targets_.resize(static_cast<size_t>(number));
  if (call_real(Fn::Graph_neighbors, comm, rank, number, targets_.data()) != 0) return false;
  sources_ = targets_;
  return true;
}

bool Neighbourhood::ask_distributed_graph(uint64_t comm) {
  int32_t in = 0, out = 0, weighted = 0;
  if (call_real(Fn::Dist_graph_neighbors_count, comm, &in, &out, &weighted) != 0) return false;
  sources_.resize(static_cast<size_t>(in));
  targets_.resize(static_cast<size_t>(out));
  std::vector<int32_t> weights_in(sources_.size() + 1), weights_out(targets_.size() + 1);  // not empty: no null pointer
  return call_real(Fn::Dist_graph_neighbors, comm, in, sources_.data(), weights_in.data(), out, targets_.data(),
                   weights_out.data()) == 0;
}

collectives::Neighbours Neighbourhood::of_schedule() const {
  return {.known = known_,
          .target_count = static_cast<int>(targets_.size()),
          .source_count = static_cast<int>(sources_.size()),
          .targets = targets_.data(),
          .sources = sources_.data()};
}

}  // namespace leadline::shim
