// Which part of an array a derived datatype takes, as MPI_Type_get_contents describes it.
#pragma once

#include <cstdint>

#include "recording/live.hpp"

namespace leadline::recorder {

// Fills to->dims and to->sides; leaves them empty if the datatype is not such a part, or too complicated. `datatype` is
// a live datatype that has just been asked about.
void describe_array_part(uint64_t datatype, recording::LiveDatatype* to);

}  // namespace leadline::recorder
