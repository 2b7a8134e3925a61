// How a text of C begins: without the standard library's strings, which allocate.
#pragma once

#include <string.h>

namespace leadline::host {

inline bool begins(const char* text, const char* with) { return strncmp(text, with, strlen(with)) == 0; }

}  // namespace leadline::host
