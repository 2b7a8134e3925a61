#include "recorder/storage.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "trace/live.hpp"

namespace leadline::recorder {

namespace {

constexpr size_t page = trace::page;

thread_local constinit int open_here = -1;  // the file, while this thread keeps it open

// Whether `bytes` are a small part of the address space that is left to the program: where that is limited, it must
// not be us who make its own requests fail.
bool may_take(size_t bytes) {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  const int fd = open_own("/proc/self/statm", O_RDONLY);
  if (fd < 0) return false;
  char text[64] = {};
  const ssize_t n = read(fd, text, sizeof(text) - 1);
  close(fd);
  if (n <= 0) return false;
  const uint64_t used = strtoull(text, nullptr, 10) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  constexpr uint64_t part = 6;
  return used < limit.rlim_cur && bytes <= (limit.rlim_cur - used) / part;
}

}  // namespace

Storage::Open::Open(const Storage& storage) {
  if (!storage.path_) return;
  if (open_here < 0) {
    open_here = open_own(storage.path_, O_RDWR | O_NOFOLLOW);
    FileIdentity now;
    if (open_here >= 0 && !(now.of(open_here) && now == storage.identity_)) {  // another run's, in a new directory
      close(open_here);
      open_here = -1;
    }
    outermost_ = open_here >= 0;
  }
  fd_ = open_here;
}

Storage::Open::~Open() {
  if (!outermost_) return;
  close(open_here);
  open_here = -1;
}

bool Storage::create(const char* path) {
  const int fd = open_own(path, O_RDWR | O_CREAT | O_EXCL);
  if (fd < 0) return false;
  if (identity_.of(fd)) path_ = path;
  close(fd);
  return true;
}

char* Storage::region(size_t bytes) {
  const int number = count_.load(std::memory_order_relaxed);
  if (number == max_regions || !may_take(bytes)) return nullptr;
  void* p = MAP_FAILED;
  const Open file(*this);
  if (file.fd() >= 0) {
    const HeldSignals held;
    if (ftruncate(file.fd(), end_ + static_cast<off_t>(bytes)) == 0) {
      p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.fd(), end_);
    }
  }
  const bool mapped = p != MAP_FAILED;
  // Tables are far apart and used from their begin: what the kernel reads ahead around a fault, up to megabytes, is
  // holes that it zeroes for nobody.
  if (mapped) madvise(p, bytes, MADV_RANDOM);
  if (!mapped) p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  regions_[number] = {static_cast<char*>(p), bytes, mapped ? end_ : -1};
  end_ += static_cast<off_t>(bytes);  // readers find the regions by their number
  if (!mapped && not_crash_safe) __atomic_fetch_add(not_crash_safe, 1, __ATOMIC_RELAXED);
  count_.store(number + 1, std::memory_order_release);
  return static_cast<char*>(p);
}

bool Storage::back(char* begin, char* end) {
  const int count = count_.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    const Mapping& r = regions_[i];
    if (begin < r.base || end > r.base + r.bytes) continue;
    if (r.offset < 0) return true;
    const size_t from = static_cast<size_t>(begin - r.base) / page * page;
    const size_t to = (static_cast<size_t>(end - r.base) + page - 1) / page * page;
    {
      const int saved = errno;
      const Open file(*this);
      const HeldSignals held;
      const bool within = file_bytes_.fetch_add(to - from, std::memory_order_relaxed) + (to - from) <= file_limit;
      const bool given =
          within && file.fd() >= 0 &&
          posix_fallocate(file.fd(), r.offset + static_cast<off_t>(from), static_cast<off_t>(to - from)) == 0;
      errno = saved;
      if (given) return true;
    }
    // What the first page holds already moves along.
    const size_t fresh = (static_cast<size_t>(begin - r.base) + page - 1) / page * page;
    if (not_crash_safe) __atomic_fetch_add(not_crash_safe, 1, __ATOMIC_RELAXED);
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
