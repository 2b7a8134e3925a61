// Reductions of MPI's operations and types in plain loops, which the compiler vectorises: several times as fast as
// MPI_Reduce_local on short data, and at the speed of memory on long.
#pragma once

#include <cstdint>
#include <string_view>

namespace leadline::collectives::node {

// to[i] = lower[i] op upper[i]. `to` may be either of them; otherwise they do not overlap.
using Combine = void (*)(const void* lower, const void* upper, void* to, int64_t count);

// By the names of MPI ("MPI_SUM", "MPI_DOUBLE") and the bytes of an element, since types such as MPI_LONG and
// MPI_INTEGER have different sizes. nullptr: none of these loops does that.
Combine find_combine(std::string_view operation, std::string_view datatype, int64_t element_bytes);

}  // namespace leadline::collectives::node
