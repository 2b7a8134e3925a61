// The one message of a preloaded library on standard error.
#pragma once

namespace leadline::host {

// "leadline: " and the text, in one line; names in it show control characters. Only the first message of a process
// and library is printed: ranks would say the same again.
void tell(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace leadline::host
