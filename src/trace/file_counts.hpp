// Counters of each file that a process used.
#pragma once

#include <cstdint>

namespace leadline::trace {

// The layer that a call on a file counts for.
enum class FileLayer : uint32_t {
  program,  // the program's file calls, which are events too
  outside,  // the same before the first MPI call, after MPI_Finalize or where they can't be events: counted only
  mpi,      // MPI_File_*
  beneath,  // file calls that the MPI library made for MPI_File_*
  count
};
inline constexpr uint32_t file_layers = static_cast<uint32_t>(FileLayer::count);

// A file's counters in each layer, updated atomically by any thread. `others`: seeks, flushes, maps, ...
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
inline constexpr uint32_t file_mapped = 2;          // mmap: reads and writes through memory are not seen
inline constexpr uint32_t file_has_view = 4;        // MPI_File_set_view: offsets are not bytes
inline constexpr uint32_t file_offset_unknown = 8;  // MPI-IO without explicit offset

}  // namespace leadline::trace
