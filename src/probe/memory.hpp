// Where the C library takes memory from: what settings of malloc (MALLOC_*, GLIBC_TUNABLES) change.
#pragma once

namespace leadline::probe {

struct Memory {
  bool mapped;       // from the system, for this allocation alone: it goes back when it is freed
  bool returned;     // to the system when it was freed, from the heap
  bool large_pages;  // the system was advised to give large pages
};

// Of an allocation of so many bytes, which is freed again.
Memory memory_of(long bytes);

}  // namespace leadline::probe
