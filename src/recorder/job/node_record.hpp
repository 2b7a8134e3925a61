// What the first rank of a job on this node found out about the run's directory, for those that come after it: where it
// is, and where live memory goes. They then only ask whether it still is that directory. Only where live memory is on
// the node: the record is beside it, and goes with it.
#pragma once

#include <limits.h>
#include <stdint.h>

#include "recorder/job/job.hpp"
#include "trace/live_memory.hpp"

namespace leadline::recorder {

struct NodeRecord {
  char magic[8];
  uint32_t size;  // of this, which another version has otherwise
  trace::LiveMemoryKind live_kind;
  uint32_t diverted;
  uint32_t reserved;
  uint64_t device, inode;  // of the run's directory
  uint64_t file_system, live_file_system;
  char asked[PATH_MAX];  // whose record it is
  char identity[sizeof(Job::identity)];
  char run[PATH_MAX];   // the run's directory
  char live[PATH_MAX];  // that of live memory
};

// The record of this user's job. False: there is none.
bool read_node_record(const char* asked, const Job& job, NodeRecord* record);
// Leaves it. asked, job: as above; the rest is filled in.
void leave_node_record(const char* asked, const Job& job, NodeRecord* record);
void remove_node_record();  // whoever left it

}  // namespace leadline::recorder
