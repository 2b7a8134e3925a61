// A trace file is a magic number and then chunks, each with its checksum (docs/format.md).
#pragma once

#include <cstdint>

namespace leadline::trace {

inline constexpr char file_magic[8] = {'L', 'E', 'A', 'D', 'L', 'I', 'N', 'E'};
inline constexpr uint32_t format_version = 2;
inline constexpr uint32_t chunk_magic = 0x4b434c4c;  // "LLCK"

enum class ChunkType : uint32_t {
  process = 1,
  functions = 2,
  modules = 3,
  communicators = 4,
  datatypes = 5,
  ops = 6,
  sites = 7,
  generation = 8,
  locals = 9,
  losses = 10,
  end = 11,
  structure = 12,  // of a generation, whose times are in
  times = 13,
  shared = 14,  // the name of a file with the chunks that stand here (sites, structure): alike on many ranks
  series = 15,  // times call by call
  clock = 16,   // of the process, beside that of its rank 0
  placement = 17,
  loops = 18,  // of a thread's source
  pauses = 20,
  regions = 21,
  region_times = 22,
  variables = 23,
  settings = 24,
  files = 30,
};

// Bits of the byte that says how a loop was found.
inline constexpr uint8_t loop_by_order = 1, loop_silent = 2;

// How far MPI_Init came. While the process is in it, what stands for the process in its job (rank, size, world) is what
// the launcher says; where it never comes back, that is all that is known.
enum : uint32_t { mpi_not_begun = 0, mpi_begun = 1, mpi_beginning = 2 };

// With the type: the payload is packed (packing.hpp). varint size, block: the first `size` bytes packed; the rest
// follows as it is.
inline constexpr uint32_t packed_flag = 1u << 31;

// Name of the file, in the directory of the trace, that holds shared chunks: made from a hash of their bytes.
inline constexpr char shared_prefix[] = "shared-";
inline constexpr char shared_suffix[] = ".structure";
inline constexpr uint32_t shared_hash_digits = 32;

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t reserved;
};

struct ChunkHeader {
  uint32_t magic;
  uint32_t type;
  uint32_t size;  // of the payload that follows
  uint32_t crc;   // CRC-32C of type, size and payload
};

}  // namespace leadline::trace
