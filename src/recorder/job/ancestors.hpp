// The processes above this one, according to /proc. The process that started a rank shows which job the rank belongs
// to.
#pragma once

#include <stddef.h>

#include <cstdint>

namespace leadline::recorder {

inline constexpr int most_ancestors = 32;

struct ProcessState {
  int parent = 0;
  uint64_t started = 0;  // in ticks since the host started
  char name[32] = {};    // of the executable, as the kernel cuts it off
};

bool read_state(int pid, ProcessState* state);

// Of a file of /proc whose path has the process's number at %d once or twice, with a zero after it. False: it is not
// there.
bool read_of_process(char* into, size_t size, size_t* length, const char* format, int pid);

// The text after a word of a command line, whose words each end with a zero; nullptr: none.
const char* word_after(const char* line, size_t length, const char* option);

}  // namespace leadline::recorder
