#include "recorder/memory/budgets.hpp"

#include <stdlib.h>
#include <string.h>

#include "recording/series_state.hpp"

namespace leadline::recorder {
namespace {

// "64kB", "64KiB": python/leadline/text/sizes.py says how sizes are read.
uint64_t bytes_from(const char* text, uint64_t otherwise) {
  if (!text || !*text) return otherwise;
  char* end = nullptr;
  double n = strtod(text, &end);
  if (end == text || !(n >= 0)) return otherwise;
  while (*end == ' ') ++end;
  const char* prefixes = "kmgt";
  const char* found = *end ? strchr(prefixes, *end | 0x20) : nullptr;
  const double base = found && (end[1] | 0x20) == 'i' ? 1024 : 1000;
  for (; found && found >= prefixes; --found) n *= base;
  constexpr double most = uint64_t{1} << 62;
  return static_cast<uint64_t>(n < most ? n : most);
}

// Entries of the series that fit: a call takes about five quarters of a byte.
void read_series(const char* text, uint64_t* entries, bool* automatic) {
  constexpr uint64_t everything = uint64_t{1} << 50;
  *automatic = !text || !*text || strcmp(text, "auto") == 0;
  if (*automatic) {
    *entries = recording::series_probe;
  } else if (strcmp(text, "all") == 0) {
    *entries = everything;
  } else if (strcmp(text, "none") == 0) {
    *entries = 0;
  } else {
    *entries = bytes_from(text, recording::series_probe * 5 / 4) / 5 * 4;
  }
}

}  // namespace

void Budgets::read() {
  // If the variable was set by hand, nothing has rejected a budget that is too small even for the call sites.
  constexpr uint64_t least_files = 64'000;
  files = bytes_from(getenv("LEADLINE_BUDGET"), 64'000'000);
  if (files < least_files) files = least_files;
  files_given = getenv("LEADLINE_BUDGET") != nullptr;
  memory = bytes_from(getenv("LEADLINE_MEMORY"), 0);
  read_series(getenv("LEADLINE_SERIES"), &series_entries, &series_automatic);
  kept_code = bytes_from(getenv("LEADLINE_TEST_KEPT_CODE"), 0);  // for tests: routines are read again and again
  series_in_memory = trace::capacity::series_entries / 2;
  if (memory && series_in_memory > memory / 128) series_in_memory = memory / 128;
}

uint64_t Budgets::room_of_thread(uint32_t threads) const {
  const uint64_t disk = files < (uint64_t{16} << 20) ? files / 2 : 2 * files;
  if (!memory) return disk;
  constexpr uint64_t needed = uint64_t{2} << 20, least = 1 << 17;
  const uint64_t tables = memory > needed ? memory - needed : 0;
  const uint32_t halvings = threads + 2 < 63 ? threads + 2 : 63;
  const uint64_t left = tables >> halvings;
  const uint64_t room = left < disk ? left : disk;
  return room > least ? room : least;
}

}  // namespace leadline::recorder
