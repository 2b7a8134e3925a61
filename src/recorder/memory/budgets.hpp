// The user's limits for a recording: on files, on memory, on series of times.
#pragma once

#include <stdint.h>

namespace leadline::recorder {

struct Budgets {
  uint64_t files = 0;             // bytes
  bool files_given = false;       // by the user: the series of times count for it too
  uint64_t memory = 0;            // bytes; 0: as the tables' sizes allow
  uint64_t series_entries = 0;    // that a thread may keep
  uint64_t series_in_memory = 0;  // of these: more than that are written out as they come
  uint64_t kept_code = 0;         // bytes of what is known of routines; 0: as usual
  bool series_automatic = true;   // the limit follows the loop that is found

  void read();  // from the environment

  // Bytes of tables that calls without order may fill; a generation in order may fill an eighth of that. Their data
  // take a fifth of it in the file. From the budget for memory, it is half of the rest that other threads have left,
  // because tables grow by doubling.
  uint64_t room_of_thread(uint32_t threads) const;
};

}  // namespace leadline::recorder
