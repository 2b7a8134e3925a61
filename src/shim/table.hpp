// The table of rules: the algorithm for each operation, number of processes and bytes. `leadline apply` writes it, a
// rule a line (docs/tune/shim.md):
//     operation first_processes last_processes first_bytes last_bytes algorithm segment_bytes radix
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/algorithm.hpp"

namespace leadline::shim {

struct Rule {
  collectives::Operation operation;
  int32_t first_processes, last_processes;
  int64_t first_bytes, last_bytes;
  const collectives::Algorithm* algorithm;  // nullptr: the library's own
  char name[48];                            // of the algorithm, as in the table
  int64_t segment_bytes;
  int32_t radix;  // 0: the algorithm's usual one

  bool fits(int64_t bytes) const { return bytes >= first_bytes && bytes <= last_bytes; }
};

struct Table {
  std::vector<Rule> rules;
  uint64_t hash = 0;       // of the text
  char problem[256] = {};  // why it can't be used; "" if it can
};

// Reads the file at `path`, which may be nullptr. If anything is wrong with it, there are no rules.
void read_table(const char* path, Table* table);

}  // namespace leadline::shim
