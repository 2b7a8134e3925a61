// The file of this node in the run's directory, which gets the traces of its ranks (trace/node_file.hpp).
#pragma once

#include "trace/sink.hpp"

namespace leadline::recorder {

// Whether traces go there: if the node has so many ranks that a file for each would be a burden to a file system, or as
// LEADLINE_TRACE_FILES says ("node", "rank").
bool has_node_file();

// Appends the trace, by one write. False: it is not there, or not whole; errno says why.
bool append_to_node_file(const char* name, const trace::ByteSink& trace);

}  // namespace leadline::recorder
