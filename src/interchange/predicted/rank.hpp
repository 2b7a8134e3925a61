// A rank of a predicted run, and what was written of it.
#pragma once

#include <cstdint>
#include <string>

namespace leadline::interchange::predicted {

struct Rank {
  uint32_t rank = 0;
  std::string path;    // of the trace to write
  std::string host;    // where it is to run
  uint64_t clock = 0;  // the same for all ranks, not 0
};

struct Written {
  std::string error;  // empty: it was written
  uint64_t calls = 0;
  uint64_t left_out = 0;  // calls made by a change of which it is not known what they would have recorded
};

}  // namespace leadline::interchange::predicted
