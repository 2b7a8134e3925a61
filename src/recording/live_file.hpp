// The .live file: stretches of the regions of live memory (live.hpp), in the order of their first use, and directories
// that give the place of each stretch. So the file is only as long as the used part of the regions, wherever it is
// copied.
//
//     page 0      1 ...                  k            k + 1 ...
//     directory   stretch, stretch, ...  directory    stretch, ...
#pragma once

#include <cstddef>
#include <cstdint>

#include "recording/live.hpp"

namespace leadline::recording {

inline constexpr char live_directory_magic[8] = {'L', 'E', 'A', 'D', 'D', 'I', 'R', 'S'};

struct LiveStretch {
  uint64_t at;         // bytes: in the regions, laid end to end: the process's, then each thread's
  uint32_t file_page;  // where in the file
  uint32_t pages;
};

struct LiveDirectory {
  char magic[8];
  uint32_t version;  // live_version
  uint32_t count;    // number of stretches listed here; stored after their entries
  uint32_t next;     // page of the next directory, 0: this is the last one
  uint32_t unused;
  static constexpr uint32_t room = (page - 24) / sizeof(LiveStretch);
  LiveStretch stretches[room];
};
static_assert(sizeof(LiveDirectory) <= page);

}  // namespace leadline::recording
