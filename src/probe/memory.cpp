#include "probe/memory.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace leadline::probe {

namespace {

// Whether the mapping that holds the address has MADV_HUGEPAGE: "hg" among its flags in /proc/self/smaps.
bool has_large_pages(const void* address) {
  FILE* maps = std::fopen("/proc/self/smaps", "r");
  if (maps == nullptr) return false;
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  char line[4096];
  bool within = false, found = false;
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    if (std::sscanf(line, "%lx-%lx ", &begin, &end) == 2) within = begin <= wanted && wanted < end;
    if (within && std::strncmp(line, "VmFlags:", 8) == 0) found = std::strstr(line, " hg") != nullptr;
  }
  std::fclose(maps);
  return found;
}

}  // namespace

Memory memory_of(long bytes) {
  const auto size = static_cast<size_t>(bytes);
  auto* block = static_cast<char*>(std::malloc(size));
  if (block == nullptr) return {};
  std::memset(block, 1, size);
  // The heap of the main thread ends at the program break. Other memory was mapped.
  const char* end = static_cast<char*>(sbrk(0));
  Memory found{};
  found.mapped = block >= end || block + size > end;
  found.large_pages = has_large_pages(block + size / 2);
  std::free(block);
  found.returned = !found.mapped && static_cast<char*>(sbrk(0)) < end;
  return found;
}

}  // namespace leadline::probe
