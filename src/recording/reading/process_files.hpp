// Reads the files that recorded processes left in the directory of a run: the trace file of a process that ended well,
// or the live memory of one that was killed. Bytes are untrusted, as trace/reading/reader.hpp says.
#pragma once

#include <string>
#include <vector>

#include "trace/reading/reader.hpp"

namespace leadline::recording {

// files, keep: as for trace::read_trace.
trace::ReadError read_process(const std::string& path, trace::Process* process, trace::FilesRead* files = nullptr,
                              bool keep = false);

// The trace files of a run directory, one per process, by their names: .trace files, those in a node's file
// (trace/reading/node_members.hpp), and the .live files without a finished .trace.
std::vector<std::string> trace_files(const std::string& directory, trace::ReadError* error);

}  // namespace leadline::recording
