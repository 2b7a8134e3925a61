// Text that a terminal must only show, not obey: names and paths in our messages come from elsewhere. As in
// python/leadline/text/visible.py: control characters, marks of direction and layout without a width, and bytes that
// are no UTF-8 are shown by their numbers (\x1b, \u202e, \xff).
#pragma once

#include <cstddef>

namespace leadline::host {

// Writes one line of text, without an end of its own, and returns its length. What `room` does not hold is left out.
size_t write_visibly(const char* text, size_t bytes, char* into, size_t room);

}  // namespace leadline::host
