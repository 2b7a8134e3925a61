// The file in which the ranks of a node leave their traces, one after another: `<host>-<boot>.traces` in the run's
// directory. Each rank appends a header, a name and a whole trace file by one write, so that no rank waits for another,
// and a file system gets one file per node instead of one per rank (docs/reference/format.md).
#pragma once

#include <cstdint>

namespace leadline::trace {

inline constexpr char node_file_suffix[] = ".traces";
inline constexpr char member_magic[8] = {'L', 'L', 'M', 'E', 'M', 'B', 'E', 'R'};
inline constexpr uint32_t member_version = 1;
inline constexpr uint32_t longest_member_name = 255;

struct MemberHeader {
  char magic[8];
  uint32_t version;
  uint32_t name_size;   // bytes of the name that follows
  uint64_t trace_size;  // bytes of the trace that follows the name
  uint32_t reserved;
  uint32_t crc;  // CRC-32C over version, name_size, trace_size, reserved and the name
};

}  // namespace leadline::trace
