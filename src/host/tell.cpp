#include "host/tell.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <atomic>

#include "host/own_file.hpp"
#include "host/visible_text.hpp"

namespace leadline::host {

void tell(const char* format, ...) {
  static std::atomic_flag told = ATOMIC_FLAG_INIT;
  if (told.test_and_set()) return;
  char text[700];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  static char line[2200] = "leadline: ";  // said once; the program's stack may be small
  const size_t length = n < 0 ? 0 : strlen(text), begin = strlen(line);
  const size_t end = begin + write_visibly(text, length, line + begin, sizeof(line) - begin - 1);
  line[end] = '\n';
  write_to_standard_error(line, end + 1);
}

}  // namespace leadline::host
