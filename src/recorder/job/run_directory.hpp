// The directory for the traces of this run: $LEADLINE_DIR as it was when the program began, because the program may
// change its working directory and its environment before it calls MPI.
//
// A directory holds one job (recorder/job/job.hpp). The first rank to arrive claims it with the file job.json. The
// ranks of another job, such as a second mpiexec of one script, find that file and go to a subdirectory named for their
// job. If two jobs may have the same identity, each rank leaves its number, and a rank that finds its own number there
// goes on to the next directory. Successive jobs are therefore kept apart.
#pragma once

#include "recorder/job/node_record.hpp"
#include "recorder/job/run_path.hpp"

namespace leadline::recorder {

// The requested directory, an absolute path; empty if nothing is to be recorded.
const char* asked_directory();
// Whether the paths of its files fit the system's limits.
bool run_directory_fits();
// Finds or makes the directory of this process's job. If it cannot be written, the first file shows that. Returns why
// it is not used, in words: others can write it, and LEADLINE_SHARED_DIRECTORY is not set; null if it is used.
const char* choose_run_directory();
// What another rank of the job on this node has found out, or null.
const NodeRecord* node_record();
// Tells the ranks that come after this one. live: the directory of live memory, on the node; the file systems' numbers.
void tell_node(const char* live, trace::LiveMemoryKind kind, uint64_t file_system, uint64_t live_file_system);
// Whether it is not the requested directory, because that one has the run of a job that did not spawn this one.
bool is_diverted();

}  // namespace leadline::recorder
