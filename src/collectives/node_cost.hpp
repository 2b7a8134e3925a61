// The model of an operation through memory that the ranks of a node share (node/team.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/operation.hpp"
#include "leadline/operations.hpp"
#include "network/network.hpp"

namespace leadline::collectives {

// times_ns: by place in the node, when each rank begins; in their stead, when each ends. block_bytes: of one block.
//
// A rank sees what another has written after the latency of a flag (Network::flag_ns), which it spends for each rank
// that it reads from. Copies and reductions take what they take while all ranks do the same, which is how calibrate
// measures them; rates of copies are those of so much as the rank holds. Long operations begin when all ranks have
// come, and then the ranks work side by side, one round behind one another.
void model_together(Operation operation, int root, int64_t block_bytes, const network::Network& network,
                    std::vector<double>* times_ns);

}  // namespace leadline::collectives
