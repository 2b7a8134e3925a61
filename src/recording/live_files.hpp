// A process's use of each file: totals, kept apart from the order of events, so that they are exact even if the order
// is lost. Part of the live memory (live.hpp).
#pragma once

#include <cstdint>

#include "trace/file_counts.hpp"

namespace leadline::recording {

// `count` stretches of `length` bytes, `stride` apart.
struct FileRun {
  uint64_t begin, length, stride, count;
};

// Stretches that were read: as few runs as the order of reading allows, at most `capacity::runs_of_file`.
struct FileRuns {
  uint32_t first;  // index into the table of runs
  uint32_t room;   // how many are there
  uint32_t used;
  uint32_t overflow;  // 1: there were more
};

struct LiveFile {
  uint32_t name;  // offset in the text
  uint32_t flags;
  int64_t size;  // largest seen; -1 unknown
  uint64_t counts[trace::file_layers][trace::file_counts];
  FileRuns reads;    // by the program
  FileRuns beneath;  // by the MPI library on the program's behalf
  uint32_t lock;     // protects the runs
  uint32_t unused;
};

namespace capacity {
inline constexpr uint32_t files = 1u << 14;
inline constexpr uint32_t file_text = 1u << 21;  // bytes: path, zero
inline constexpr uint32_t file_runs = 1u << 18;
inline constexpr uint32_t few_runs = 4, runs_of_file = 64;
}  // namespace capacity

}  // namespace leadline::recording
