// A trace file is a magic number followed by chunks, each with its checksum (docs/reference/format.md).
#pragma once

#include <cstdint>

namespace leadline::trace {

inline constexpr char file_magic[8] = {'L', 'E', 'A', 'D', 'L', 'I', 'N', 'E'};
inline constexpr uint32_t format_version = 3;
inline constexpr uint32_t oldest_version = 2;        // that is read; its payloads may have modelled_flag
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
  structure = 12,  // a generation's structure; its times are in
  times = 13,
  shared = 14,  // the name of a file that holds the chunks in this place (sites, structure), if many ranks share them
  series = 15,  // times of single calls
  clock = 16,   // the process's clock, beside that of its rank 0
  conditions = 17,
  loops = 18,  // loops of a thread's source code
  pauses = 20,
  regions = 21,
  region_times = 22,
  variables = 23,
  settings = 24,
  samples = 25,
  files = 30,
};

// The scope of a chunk: the process, one of its threads, or the file itself.
enum class ChunkScope : uint8_t { unknown, file, process, thread };

struct ChunkFacts {
  ChunkScope scope = ChunkScope::unknown;
  bool essential = false;  // written whatever the disk budget is
  bool shared = false;     // alike on many ranks: may stand in a shared file
  bool in_part = false;    // belongs to a generation: written before the process ends
};

// decode_chunk() reads a chunk. recording/chunks.hpp says how each is made from live memory.
constexpr ChunkFacts facts_of(ChunkType type) {
  switch (type) {
    case ChunkType::process:
    case ChunkType::functions:
    case ChunkType::losses:
      return {.scope = ChunkScope::process, .essential = true};
    case ChunkType::modules:
    case ChunkType::communicators:
    case ChunkType::datatypes:
    case ChunkType::ops:
    case ChunkType::clock:
    case ChunkType::conditions:
    case ChunkType::pauses:
    case ChunkType::samples:
    case ChunkType::regions:
    case ChunkType::variables:
    case ChunkType::settings:
    case ChunkType::files:
      return {.scope = ChunkScope::process};
    case ChunkType::sites:
    case ChunkType::structure:
      return {.scope = ChunkScope::thread, .shared = true};
    case ChunkType::generation:
    case ChunkType::series:
      return {.scope = ChunkScope::thread, .in_part = true};
    case ChunkType::times:
    case ChunkType::locals:
    case ChunkType::loops:
    case ChunkType::region_times:
      return {.scope = ChunkScope::thread};
    case ChunkType::shared:
      return {.scope = ChunkScope::file};
    case ChunkType::end:
      return {.scope = ChunkScope::file, .essential = true, .shared = true};
  }
  return {};
}

// Bits of the byte that says how a loop was found.
inline constexpr uint8_t loop_by_order = 1, loop_silent = 2;

// How far MPI_Init came. While the process is in it, the process's place in its job (rank, size, world) comes from the
// launcher; if MPI_Init never returns, nothing else is known.
enum : uint32_t { mpi_not_begun = 0, mpi_begun = 1, mpi_beginning = 2 };

// A flag of the type: the payload is packed (packing.hpp). varint size, block; the block holds the first `size` bytes
// packed, and the rest follows unpacked.
inline constexpr uint32_t packed_flag = 1u << 30;
// The same in older traces, packed in another way (reading/unpacker.hpp).
inline constexpr uint32_t modelled_flag = 1u << 31;

// The name of the file, in the trace's directory, that holds shared chunks. It is made from a hash of their bytes.
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
  uint32_t size;  // bytes of payload that follow
  uint32_t crc;   // CRC-32C over type, size and payload
};

}  // namespace leadline::trace
