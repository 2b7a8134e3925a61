// What each process did at each call site, in all or in a window of iterations: what profile formats hold. Calls,
// messages and bytes are counted as the report counts them (analysis/measure.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/profile.hpp"
#include "interchange/call_stream.hpp"

namespace leadline::interchange {

struct SiteSum {
  uint32_t site = 0;  // the profile's
  uint64_t calls = 0, messages = 0;
  int64_t sent = 0, received = 0;  // bytes; those of collectives, one-sided operations and files among them
  double time_ns = 0;
};

// The sizes of the messages that a process sent. Not exact: some were summed beyond the trace's budget.
struct MessageSizes {
  uint64_t messages = 0;
  int64_t least = 0, most = 0;
  double sum = 0, squares = 0;
  bool exact = true;
};

struct ProcessSums {
  std::vector<SiteSum> sites;  // ascending, those with calls
  MessageSizes sizes;
  uint64_t untimed = 0;  // calls of the window that were left out because their times were not kept
};

// `index`: the process's in the profile.
ProcessSums site_sums(const analysis::Profile& profile, const trace::Process& process, uint32_t index,
                      const analysis::ProcessLoop& loop, const Window& window);

}  // namespace leadline::interchange
