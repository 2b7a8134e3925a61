// How wide a halo is, told by the datatype that a face of the array is sent with.
#pragma once

#include <cstdint>

#include "trace/process.hpp"

namespace leadline::analysis {

// In elements of the array; 0 if the datatype does not tell.
int64_t halo_width(const trace::Datatype& face);

}  // namespace leadline::analysis
