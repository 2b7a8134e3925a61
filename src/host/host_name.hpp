// This host's name as it stands in the names of our files. The system lets a name have any bytes, but not these: a
// slash would make it a path, and control characters are obeyed by a terminal that lists the files.
// python/leadline/nodes.py does the same.
#pragma once

#include <stdio.h>
#include <sys/utsname.h>

namespace leadline::host {

struct NameInFiles {
  char text[65] = "";

  NameInFiles() {
    utsname host{};
    uname(&host);
    snprintf(text, sizeof(text), "%.64s", host.nodename);
    for (char* c = text; *c; ++c) {
      if (*c == '/' || *c == 0x7f || (*c > 0 && *c < ' ')) *c = '_';
    }
  }
};

}  // namespace leadline::host
