#include "recorder/storage.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/live.hpp"

namespace leadline::recorder {

namespace {

constexpr size_t page = trace::page;

// Allocation beyond RLIMIT_FSIZE raises SIGXFSZ, which would end the host: hold it back and take it away again.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() {
    sigemptyset(&only_);
    sigaddset(&only_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  ~NoFileSizeSignal() {
    const timespec at_once = {0, 0};
    const int saved = errno;
    if (!was_pending_) sigtimedwait(&only_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = saved;
  }

 private:
  sigset_t only_, before_;
  bool was_pending_;
};

}  // namespace

void Storage::open(const char* path) {
  if (path) fd_ = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
}

void Storage::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

char* Storage::region(size_t bytes) {
  if (count_ == max_regions) return nullptr;
  void* p = MAP_FAILED;
  if (fd_ >= 0) {
    NoFileSizeSignal quiet;
    if (ftruncate(fd_, end_ + static_cast<off_t>(bytes)) == 0) {
      p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, end_);
    }
    if (p == MAP_FAILED) close();
  }
  if (p == MAP_FAILED) {
    p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  if (p == MAP_FAILED) return nullptr;
  regions_[count_++] = {static_cast<char*>(p), bytes, fd_ >= 0 ? end_ : -1};
  end_ += static_cast<off_t>(bytes);
  return static_cast<char*>(p);
}

bool Storage::back(char* begin, char* end) {
  for (int i = 0; i < count_; ++i) {
    const Mapping& r = regions_[i];
    if (begin < r.base || end > r.base + r.bytes) continue;
    if (r.offset < 0) return true;
    const size_t from = static_cast<size_t>(begin - r.base) / page * page;
    const size_t to = (static_cast<size_t>(end - r.base) + page - 1) / page * page;
    NoFileSizeSignal quiet;
    if (fd_ >= 0 && posix_fallocate(fd_, r.offset + static_cast<off_t>(from), static_cast<off_t>(to - from)) == 0) {
      return true;
    }
    // What the first page holds already moves along.
    const size_t fresh = (static_cast<size_t>(begin - r.base) + page - 1) / page * page;
    if (not_crash_safe) ++*not_crash_safe;
    if (fresh >= to) return true;  // within a page that has storage
    return mmap(r.base + fresh, to - fresh, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
           MAP_FAILED;
  }
  return false;
}

trace::Backing Storage::backing() {
  return {[](void* self, char* begin, char* end) { return static_cast<Storage*>(self)->back(begin, end); }, this};
}

}  // namespace leadline::recorder
