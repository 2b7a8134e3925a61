// The shim's actions on the program's collectives, counted if LEADLINE_SHIM_REPORT asks for it (docs/tune/shim.md).
#pragma once

#include <cstdint>
#include <vector>

#include "shim/table.hpp"

namespace leadline::shim {

// Why the library's own algorithm was used.
enum class Reason : uint8_t {
  no_rule,
  table_says,
  nothing_to_send,
  one_process,
  between_groups,
  other_world,
  not_commutative,
  operation,
  arguments,
  too_large,
  refused,
  no_communicator,
  no_memory,
  device,
  nonblocking,
  persistent,
  off,
  count
};

// The communicators of one number of processes: the rules for them, and what was done.
class Population {
 public:
  Population(int32_t processes, const Table& table, bool counts);

  const int32_t processes;
  std::vector<const Rule*> rules[collectives::operation_count];  // by operation, in the table's order

  // rule: nullptr where the library's own algorithm served. bytes: negative: unknown.
  void count(collectives::Operation operation, int64_t bytes, const Rule* rule, Reason reason);
  void write(int fd) const;

 private:
  static constexpr int buckets = 65;  // 0 bytes, 1, 2 and 3, 4 to 7, ...
  uint64_t* cell(int operation, int bucket, uint32_t outcome) const {
    return counts_ + (static_cast<size_t>(operation * buckets + bucket) * outcomes_ + outcome);
  }

  const Table& table_;
  uint32_t outcomes_;
  uint64_t* counts_ = nullptr;
};

// The one of that size; made when it is first asked for. nullptr: no memory.
Population* population_of(int32_t processes);

// The report of this rank, if one is wanted: who writes it, and then what was done. A report without an end is of a
// rank that did not reach MPI_Finalize.
void begin_report();
void end_report();

}  // namespace leadline::shim
