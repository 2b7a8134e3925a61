// How much goes through the memory that ranks of a node share at once (node/layout.hpp).
#pragma once

#include <cstdint>

namespace leadline::collectives::node {

constexpr int64_t slot_bytes = 4096;  // of data; at most
constexpr int64_t round_bytes = 32 << 10;

}  // namespace leadline::collectives::node
