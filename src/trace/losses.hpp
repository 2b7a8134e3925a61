// The losses that a process counts, in the order of the chunk of losses.
#pragma once

#include <cstdint>

namespace leadline::trace {

// Why calls could not be recorded as they should; counters of the process.
enum class LossKind : uint32_t {
  order_lost,          // calls counted and timed, whose order was not kept (budget)
  path_unknown,        // calls whose call site did not fit the table
  threads_unrecorded,  // calls by threads beyond max_threads
  not_crash_safe,      // the file gave no storage: state was kept in memory only
  parameters_coarse,   // calls whose parameters were summed
  vectors_dropped,     // collectives whose count vectors were too long to keep
  requests_unknown,    // completions of requests whose creation was not recorded
  write_failed,        // chunks that could not be written
  local_sites_merged,  // local calls whose caller did not fit the table: counted per function only
  regions_unbalanced,  // named regions with an end but no begin, or a begin but no end
  regions_merged,      // entries of named regions that did not fit: they count for the region around them
  over_disk_budget,    // chunks left out at the end because the budget was spent
  calls_left,          // calls left by an exception or longjmp: counted, without time and data
  count
};

}  // namespace leadline::trace
