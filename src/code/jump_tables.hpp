// The tables of addresses that the jumps of a `switch` go by.
//
// Compilers write a table of 32-bit distances from the table itself, whose address an instruction computes, or a table
// of 64-bit addresses that the jump itself names. A comparison before it tells the number of entries. A table counts
// only if all entries lie in the routine, so that other data is not mistaken for one.
#pragma once

#include <cstdint>

#include "code/code_map.hpp"

namespace leadline::code {

class JumpTables {
 public:
  // Takes note of an instruction on the way to a jump.
  void note(uint64_t address, unsigned length);
  // Straight-line code begins: nothing that was compared before holds.
  void forget_bound() { bound_ = 0; }

  // Calls visit(target) for each entry of the table that the indirect jump goes by, and returns their number; 0: it
  // can't be told. has(target): whether it lies in the routine.
  template <class Has, class Visit>
  uint32_t read(const CodeMap& code, uint64_t address, unsigned length, Has has, Visit visit) const {
    if (bound_ < least_entries) return 0;
    Table table{};
    for (uint32_t i = count(address, length); i-- > 0;) {
      if (!at(code, address, length, i, &table)) continue;
      uint32_t n = 0;
      while (n < table.room && has(entry(table, n))) ++n;
      if (n + 1 < bound_) continue;  // "below 6" and "at most 6" look alike
      for (uint32_t e = 0; e < n; ++e) visit(entry(table, e));
      return n;
    }
    return 0;
  }

 private:
  static constexpr uint32_t most_tables = 16, most_entries = 512, least_entries = 3;
  struct Table {
    uint64_t address;
    uint32_t room;  // entries that there may be
    bool absolute;
  };
  // Of the tables that the jump may go by; the most likely one is the last.
  static uint64_t named(uint64_t address, unsigned length);
  uint32_t count(uint64_t address, unsigned length) const { return named(address, length) ? 1 : tables_; }
  bool at(const CodeMap& code, uint64_t address, unsigned length, uint32_t index, Table* table) const;
  static uint64_t entry(const Table& table, uint32_t index);

  uint64_t table_[most_tables];
  uint32_t tables_ = 0;
  uint32_t bound_ = 0;  // entries
};

}  // namespace leadline::code
