#include "recorder/files/real_calls.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/kept_errno.hpp"
#include "host/loaded_object.hpp"
#include "host/symbol_lookup.hpp"
#include "recorder/memory/lost_pages.hpp"

namespace leadline::recorder {

void* real_file_functions[static_cast<int>(Real::count)];

namespace {

constexpr const char* names[] = {
#define X(name) #name,
    LEADLINE_EARLY_FILE_NAMES(X) LEADLINE_LATE_FILE_NAMES(X)
#undef X
};

thread_local constinit bool looking_up = false;

long not_there() {
  errno = ENOSYS;
  return -1;
}

// For calls made while the dynamic linker looks something up: it may call an allocator that calls us.
int open_directly(const char* path, int flags, mode_t mode) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int close_directly(int fd) { return static_cast<int>(syscall(SYS_close, fd)); }
ssize_t read_directly(int fd, void* into, size_t n) { return syscall(SYS_read, fd, into, n); }
ssize_t write_directly(int fd, const void* from, size_t n) { return syscall(SYS_write, fd, from, n); }
void* mmap_directly(void* at, size_t n, int protection, int flags, int fd, off_t offset) {
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, n, protection, flags, fd, offset));
}

void* without_looking_up(Real which) {
  if (which == Real::open_ || which == Real::open64_) return reinterpret_cast<void*>(open_directly);
  if (which == Real::close_) return reinterpret_cast<void*>(close_directly);
  if (which == Real::read_) return reinterpret_cast<void*>(read_directly);
  if (which == Real::write_) return reinterpret_cast<void*>(write_directly);
  if (which == Real::mmap_ || which == Real::mmap64_) return reinterpret_cast<void*>(mmap_directly);
  return reinterpret_cast<void*>(not_there);
}

#define X(name) +1
constexpr int early_count = 0 LEADLINE_EARLY_FILE_NAMES(X);
#undef X

__attribute__((constructor(101))) void find_early_functions() {
  const host::KeptErrno kept;
  for (int i = 0; i < early_count; ++i) find_real_file_function(static_cast<Real>(i));
  find_signal_functions();
}

}  // namespace

const char* passed_by(const char** name) {
  constexpr const char* pairs[][2] = {{"fprintf", "vfprintf"},
                                      {"printf", "vprintf"},
                                      {"fscanf", "vfscanf"},
                                      {"dprintf", "vdprintf"},
                                      {"__fprintf_chk", "__vfprintf_chk"},
                                      {"__isoc99_fscanf", "__isoc99_vfscanf"}};
  static Dl_info with_dots;
  for (const auto& pair : pairs) {
    void* const dots = host::next_dlsym()(RTLD_NEXT, pair[0]);
    void* const list = host::next_dlsym()(RTLD_NEXT, pair[1]);
    if (!dots || !list || host::in_one_object(dots, list)) continue;
    if (!dladdr(dots, &with_dots)) continue;
    *name = pair[0];
    return with_dots.dli_fname;
  }
  return nullptr;
}

void* find_real_file_function(Real which) {
  if (looking_up) return without_looking_up(which);
  const int saved = errno;
  looking_up = true;
  void* found = host::next_dlsym()(RTLD_NEXT, names[static_cast<int>(which)]);
  looking_up = false;
  if (!found) found = reinterpret_cast<void*>(not_there);
  __atomic_store_n(&real_file_functions[static_cast<int>(which)], found, __ATOMIC_RELAXED);
  errno = saved;
  return found;
}

}  // namespace leadline::recorder
