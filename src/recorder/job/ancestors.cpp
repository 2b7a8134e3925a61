#include "recorder/job/ancestors.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/own_file.hpp"

namespace leadline::recorder {

bool read_of_process(char* into, size_t size, size_t* length, const char* format, int pid) {
  char path[64];
  snprintf(path, sizeof(path), format, pid, pid);
  const int fd = host::open_own(path, O_RDONLY);
  if (fd < 0) return false;
  *length = 0;
  ssize_t got = 0;
  while (*length + 1 < size && (got = read(fd, into + *length, size - 1 - *length)) > 0) {
    *length += static_cast<size_t>(got);
  }
  close(fd);
  into[*length] = 0;
  return true;
}

bool read_state(int pid, ProcessState* state) {
  char text[1024];
  size_t length = 0;
  if (!read_of_process(text, sizeof(text), &length, "/proc/%d/stat", pid)) return false;
  const char* name = strchr(text, '(');
  const char* after = strrchr(text, ')');  // the name may have brackets itself
  if (!name || !after || after < name) return false;
  snprintf(state->name, sizeof(state->name), "%.*s", static_cast<int>(after - name - 1), name + 1);
  long long started = 0;
  const int fields =
      sscanf(after + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lld",
             &state->parent, &started);
  state->started = static_cast<uint64_t>(started);
  return fields == 2;
}

const char* word_after(const char* line, size_t length, const char* option) {
  for (size_t at = 0; at < length; at += strlen(line + at) + 1) {
    if (strcmp(line + at, option) != 0) continue;
    at += strlen(line + at) + 1;
    return at < length ? line + at : nullptr;
  }
  return nullptr;
}

}  // namespace leadline::recorder
