// The memory that the ranks of a node share, made over a communicator of our own.
#pragma once

#include <cstdint>
#include <memory>

#include "collectives/node/team.hpp"

namespace leadline::shim {

// Collective. nullptr: it cannot be had, on any rank.
std::unique_ptr<collectives::node::Team> make_team(int32_t rank, int32_t processes, const int* node_of, uint64_t own);

}  // namespace leadline::shim
