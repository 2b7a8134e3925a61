// What the recorder says to the user.
#pragma once

namespace leadline::recorder {

// Says something to the user, once per process, on standard error.
void tell(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace leadline::recorder
