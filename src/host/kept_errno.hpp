// Whatever a preloaded library does before main() or within a call of another function must not change errno: programs
// test it after strtol() without having cleared it.
#pragma once

#include <errno.h>

namespace leadline::host {

class KeptErrno {
 public:
  KeptErrno() = default;
  ~KeptErrno() { errno = saved_; }
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;

 private:
  int saved_ = errno;
};

}  // namespace leadline::host
