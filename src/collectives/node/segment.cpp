#include "collectives/node/segment.hpp"

#include <fcntl.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace leadline::collectives::node {

Segment::~Segment() { release(); }

void Segment::release() {
  close_file();
  if (memory_) munmap(memory_, static_cast<size_t>(bytes_));
  memory_ = nullptr;
}

void Segment::close_file() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

namespace {

// The system ends a process that makes a file longer than it may.
bool may_be_so_long(int64_t bytes) {
  rlimit most{};
  return getrlimit(RLIMIT_FSIZE, &most) == 0 &&
         (most.rlim_cur == RLIM_INFINITY || most.rlim_cur >= static_cast<rlim_t>(bytes));
}

}  // namespace

// A child that the program forks is no rank.
bool Segment::map(int file, int64_t bytes) {
  void* const at = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) return false;
  madvise(at, static_cast<size_t>(bytes), MADV_DONTFORK);
  memory_ = static_cast<char*>(at);
  bytes_ = bytes;
  return true;
}

// By numbers of system calls: functions for them came with glibc 2.25 and 2.27, and this also runs with older ones.
// The pages are there from the beginning: a page that the system lacks later would be a signal in the program.
bool Segment::make(int64_t bytes) {
  if (!may_be_so_long(bytes) || syscall(SYS_getrandom, nonce_, sizeof(nonce_), 0) != sizeof(nonce_)) return false;
  file_ = static_cast<int>(syscall(SYS_memfd_create, "leadline", MFD_CLOEXEC));
  if (file_ < 0 || posix_fallocate(file_, 0, bytes) != 0 || !map(file_, bytes)) {
    close_file();
    return false;
  }
  memcpy(memory_, nonce_, sizeof(nonce_));
  return true;
}

Offer Segment::offer() const {
  Offer offer{};
  memcpy(offer.nonce, nonce_, sizeof(nonce_));
  offer.bytes = memory_ ? bytes_ : 0;
  offer.process = getpid();
  offer.file = file_;
  return offer;
}

bool Segment::open(const Offer& offer) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", static_cast<int>(offer.process), static_cast<int>(offer.file));
  struct stat about{};  // before it is opened: to open what is no file may have effects
  const auto is_it = [&] { return S_ISREG(about.st_mode) && about.st_size == offer.bytes; };
  if (stat(path, &about) != 0 || !is_it()) return false;
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  const bool fits = fstat(file, &about) == 0 && is_it() && map(file, offer.bytes);
  close(file);
  if (!fits) return false;
  if (memcmp(memory_, offer.nonce, sizeof(offer.nonce)) == 0) return true;
  release();
  return false;
}

}  // namespace leadline::collectives::node
