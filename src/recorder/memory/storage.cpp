#include "recorder/memory/storage.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recorder/job/run_files.hpp"
#include "recording/live.hpp"
#include "recording/long_work.hpp"

namespace leadline::recorder {

namespace {

constexpr size_t page = recording::page;

// Whether `bytes` are a small part of the address space left to the program: if that is limited, we must not cause its
// own requests to fail.
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

// Pages that the file is extended by. A program of few calls makes do with the first.
constexpr uint64_t first_pages = 160, least_pages = 64, most_pages = 1024;

bool write_zeros(int fd, off_t at, size_t bytes) {
  static char zeros[16 * page] = {};
  constexpr size_t most = 16;
  while (bytes > 0) {
    iovec pieces[most];
    size_t count = 0;
    for (size_t left = bytes; left > 0 && count < most; left -= pieces[count++].iov_len) {
      pieces[count] = {zeros, left < sizeof(zeros) ? left : sizeof(zeros)};
    }
    const ssize_t n = pwritev(fd, pieces, static_cast<int>(count), at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

// Pages of zeros at the end of a file. File systems that can't allocate (NFS before 4.2, some of FUSE) are written to.
// On a local disk they are written too: the first touch of a page would ask the file system for its block, which takes
// 4 us, but 1.5 if the page was written before, which takes 0.5. Of memory that is not so, and to a server the zeros
// would have to travel.
bool allocate(int fd, off_t at, size_t bytes, bool on_local_disk) {
  if (fallocate(fd, 0, at, static_cast<off_t>(bytes)) == 0) {
    if (on_local_disk) write_zeros(fd, at, bytes);  // what fails only makes touching slower
    return true;
  }
  if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
  return write_zeros(fd, at, bytes);
}

// By the system call: communication layers stand before mremap() to see what becomes of registered memory, and some of
// them drop its last argument.
bool move_pages(char* from, size_t bytes, char* to) {
  return syscall(SYS_mremap, from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == reinterpret_cast<long>(to);
}

// Shortening the file would take what is recorded (lost_pages.hpp). No user but its owner may write to it, and with
// these rights not even the owner, by mistake: `: > *.live` is refused. Root can always.
void forbid_writing(int fd, mode_t mode) {
  if (fchmod(fd, mode & (S_IRUSR | S_IRGRP | S_IROTH)) != 0) return;
}

int open_to_extend(const char* path, const FileIdentity& ours) {
  const int fd = open_in_run(path, O_RDWR);
  if (fd >= 0 || errno != EACCES) return fd;
  const int readable = open_in_run(path, O_RDONLY);
  struct stat s;
  int writable = -1;
  if (readable >= 0 && fstat(readable, &s) == 0 && FileIdentity{s.st_dev, s.st_ino} == ours &&
      fchmod(readable, s.st_mode | S_IRUSR | S_IWUSR) == 0) {
    writable = open_in_run(path, O_RDWR);
    forbid_writing(readable, s.st_mode);
  }
  if (readable >= 0) close(readable);
  return writable;
}

}  // namespace

bool Storage::create(const char* path) {
  const int fd = open_in_run(path, O_RDWR | O_CREAT | O_EXCL);
  if (fd < 0) return false;
  const HeldSignals held;
  struct stat s;
  if (fstat(fd, &s) == 0) {
    identity_ = {s.st_dev, s.st_ino};
    path_ = path;
  }
  if (path_ && extend_by(fd, first_pages)) {
    directory_ = reinterpret_cast<recording::LiveDirectory*>(free_);
    free_ += page, --free_pages_, ++first_free_;
    memcpy(directory_->magic, recording::live_directory_magic, sizeof(directory_->magic));
    directory_->version = recording::live_version;
  }
  if (path_) forbid_writing(fd, s.st_mode);
  close(fd);
  return true;
}

bool Storage::extend_by(int fd, uint64_t pages) {
  if ((file_pages_ + pages) * page > file_limit) return false;
  const auto from = static_cast<off_t>(file_pages_ * page);
  const size_t bytes = pages * page;
  if (!allocate(fd, from, bytes, on_local_disk)) {
    if (ftruncate(fd, from) != 0) return false;  // the part that was allocated is freed
    return false;
  }
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, from);
  if (p == MAP_FAILED) return false;
  madvise(p, bytes, MADV_RANDOM);  // the page beside it belongs to another table
  free_ = static_cast<char*>(p);
  free_pages_ = pages;
  first_free_ = file_pages_;
  file_pages_ += pages;
  return true;
}

// When no page is left: by a quarter of the file at least, where there is room for that.
bool Storage::extend(uint64_t pages) {
  if (!path_ || !directory_) return false;
  recording::begin_long_work();
  const int fd = open_to_extend(path_, identity_);
  if (fd < 0) return false;
  uint64_t more = file_pages_ / 4;
  more = more < least_pages ? least_pages : more > most_pages ? most_pages : more;
  FileIdentity now;  // another run's, in a new directory?
  const bool extended =
      now.of(fd) && now == identity_ && (extend_by(fd, more > pages ? more : pages) || extend_by(fd, pages));
  close(fd);
  return extended;
}

bool Storage::list(uint64_t at, uint64_t pages) {
  if (directory_->count == recording::LiveDirectory::room) {
    if (free_pages_ < 2) return false;
    auto* next = reinterpret_cast<recording::LiveDirectory*>(free_);
    memcpy(next->magic, recording::live_directory_magic, sizeof(next->magic));
    next->version = recording::live_version;
    __atomic_store_n(&directory_->next, static_cast<uint32_t>(first_free_), __ATOMIC_RELEASE);
    directory_ = next;
    free_ += page, --free_pages_, ++first_free_;
  }
  directory_->stretches[directory_->count] = {at, static_cast<uint32_t>(first_free_), static_cast<uint32_t>(pages)};
  return true;
}

// Moves pages of the file to where they are wanted. Returns how many.
uint64_t Storage::place(char* target, uint64_t at, uint64_t pages) {
  uint64_t placed = 0;
  while (placed < pages) {
    const bool new_directory = directory_ && directory_->count == recording::LiveDirectory::room;
    if (free_pages_ < (new_directory ? 2u : 1u) && !extend(pages - placed + new_directory)) break;
    uint64_t n = pages - placed < free_pages_ ? pages - placed : free_pages_;
    if (new_directory && n == free_pages_) --n;
    if (!list(at + placed * page, n)) break;
    char* const to = target + placed * page;
    if (!move_pages(free_, n * page, to)) break;
    __atomic_store_n(&directory_->count, directory_->count + 1, __ATOMIC_RELEASE);
    free_ += n * page, free_pages_ -= n, first_free_ += n;
    placed += n;
  }
  return placed;
}

char* Storage::region(size_t bytes) {
  const int number = count_.load(std::memory_order_relaxed);
  if (number == max_regions || !may_take(bytes)) return nullptr;
  void* p = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  regions_[number] = {static_cast<char*>(p), bytes, end_};
  end_ += bytes;  // readers find the regions by their number
  count_.store(number + 1, std::memory_order_release);
  return static_cast<char*>(p);
}

bool Storage::back(char* begin, char* end) {
  const int count = count_.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    const Region& r = regions_[i];
    if (begin < r.base || end > r.base + r.bytes) continue;
    const uint64_t from = (static_cast<uint64_t>(begin - r.base) + page - 1) / page;
    const uint64_t to = (static_cast<uint64_t>(end - r.base) + page - 1) / page;
    if (from >= to) return true;
    uint64_t placed = 0;
    {
      const int saved = errno;
      const HeldSignals held;
      while (busy_.test_and_set(std::memory_order_acquire)) {
      }
      placed = place(r.base + from * page, r.at + from * page, to - from);
      busy_.clear(std::memory_order_release);
      errno = saved;
    }
    if (placed == to - from) return true;
    if (not_crash_safe) __atomic_fetch_add(not_crash_safe, 1, __ATOMIC_RELAXED);
    return mprotect(r.base + (from + placed) * page, (to - from - placed) * page, PROT_READ | PROT_WRITE) == 0;
  }
  return false;
}

bool Storage::replace_lost(uint64_t address) {
  const auto within = [address](const void* begin, size_t bytes) {
    return begin && address - reinterpret_cast<uint64_t>(begin) < bytes;
  };
  bool ours = within(directory_, page) || within(free_, free_pages_ * page);
  const int count = count_.load(std::memory_order_acquire);
  for (int i = 0; i < count && !ours; ++i) ours = within(regions_[i].base, regions_[i].bytes);
  return ours && mmap(reinterpret_cast<void*>(address & -page), page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

recording::Backing Storage::backing() {
  return {[](void* self, char* begin, char* end) { return static_cast<Storage*>(self)->back(begin, end); }, this};
}

}  // namespace leadline::recorder
