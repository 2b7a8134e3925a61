// Of a derived datatype that takes a part of an array: which part, as MPI_Type_get_contents tells it.
#pragma once

#include <cstdint>

#include "recording/live.hpp"

namespace leadline::recorder {

// Fills to->dims and to->sides; leaves them empty if the datatype is not such a part, or not told in so few words.
// `datatype` is a live datatype that has just been asked about.
void describe_array_part(uint64_t datatype, recording::LiveDatatype* to);

}  // namespace leadline::recorder
