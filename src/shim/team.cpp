#include "shim/team.hpp"

#include "shim/state.hpp"

namespace leadline::shim {

using collectives::node::Team;
using host::call_real;

namespace {

bool gather_offers(void* own, const void* mine, void* all, int bytes) {
  const int32_t n = bytes;
  const uint64_t comm = *static_cast<const uint64_t*>(own);
  return call_real(Fn::Allgather, mine, n, abi.byte, all, n, abi.byte, comm) == 0;
}

bool all_agree(void* own, bool mine) {
  constexpr int band = op_index("MPI_BAND");
  const uint8_t one = mine ? 1 : 0;
  uint8_t all = 0;
  const int32_t n = 1;
  const uint64_t comm = *static_cast<const uint64_t*>(own);
  return call_real(Fn::Allreduce, &one, &all, n, abi.byte, abi.ops[band], comm) == 0 && all;
}

}  // namespace

std::unique_ptr<Team> make_team(int32_t rank, int32_t processes, const int* node_of, uint64_t own) {
  return Team::make(rank, processes, node_of, {&own, gather_offers, all_agree});
}

}  // namespace leadline::shim
