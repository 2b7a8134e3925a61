// An OTF2 archive as a run: a trace file for each of its processes, read one after another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interchange/importing/archive_map.hpp"
#include "interchange/importing/call.hpp"

namespace leadline::interchange::importing {

struct Imported {
  std::string error;    // empty, or why nothing could be read
  std::string creator;  // of the archive, as it says
  uint64_t processes = 0, calls = 0;
  std::vector<std::string> unreadable;  // locations whose events end early, and why
  std::vector<Symbol> symbols;
  Missing missing;
};

struct ImportOrder {
  std::string anchor;         // the archive's main file
  std::string directory;      // for the traces: exists, and is empty
  std::string module, build;  // what call paths name as the binary
  uint64_t bytes = 0;         // of the archive's files: it cannot have more events
  uint64_t series = 0;        // times of calls that each thread keeps; UINT64_MAX: all
};
Imported import_otf2(const otf2::ReadingLibrary& library, const ImportOrder& order);

}  // namespace leadline::interchange::importing
