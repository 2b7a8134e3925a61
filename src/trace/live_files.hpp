// What a process did with each file: totals, kept beside the order of events, so that they are exact whatever becomes
// of the order. Part of the live memory (live.hpp).
#pragma once

#include <cstdint>

namespace leadline::trace {

// On whose account a call on a file counts.
enum class FileLayer : uint32_t {
  program,  // file calls of the program, which are events too
  outside,  // the same before the first MPI call, after MPI_Finalize or where it can't be an event: counted only
  mpi,      // MPI_File_*
  beneath,  // file calls the MPI library made for MPI_File_*
  count
};
inline constexpr uint32_t file_layers = static_cast<uint32_t>(FileLayer::count);

// What is counted of a file in each layer; updated atomically, in any thread. `others`: seeks, flushes, maps, ...
// A transfer that is not its descriptor's first is sequential, strided or random.
enum class FileCount : uint32_t {
  opens,
  closes,
  reads,
  writes,
  others,
  bytes_read,
  bytes_written,
  ticks,
  sequential,
  strided,
  random,
  count
};
inline constexpr uint32_t file_counts = static_cast<uint32_t>(FileCount::count);

inline constexpr uint32_t file_opened_by_mpi = 1;
inline constexpr uint32_t file_mapped = 2;          // mmap: what is read and written through memory is not seen
inline constexpr uint32_t file_has_view = 4;        // MPI_File_set_view: offsets are not bytes
inline constexpr uint32_t file_offset_unknown = 8;  // MPI-IO without explicit offset

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
  int64_t size;  // largest seen; -1 not known
  uint64_t counts[file_layers][file_counts];
  FileRuns reads;    // by the program
  FileRuns beneath;  // by the MPI library for it
  uint32_t lock;     // of the runs
  uint32_t unused;
};

namespace capacity {
inline constexpr uint32_t files = 1u << 14;
inline constexpr uint32_t file_text = 1u << 21;  // bytes: path, zero
inline constexpr uint32_t file_runs = 1u << 18;
inline constexpr uint32_t few_runs = 4, runs_of_file = 64;
}  // namespace capacity

}  // namespace leadline::trace
