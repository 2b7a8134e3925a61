// What the MPI library says of itself: performance variables (MPI_T), and settings in the environment.
#pragma once

#include "trace/sink.hpp"

namespace leadline::recorder {

// The values of the library's performance variables as the payload of a chunk; empty where it offers none, or looking
// would disturb the program. Called before MPI_Finalize is passed on.
void read_tool_variables(trace::ByteSink* out);

// What is set in the environment for the MPI library, as the payload of a chunk.
void read_library_settings(trace::ByteSink* out);

}  // namespace leadline::recorder
