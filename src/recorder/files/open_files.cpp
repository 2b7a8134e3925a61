#include "recorder/files/open_files.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/begins.hpp"
#include "host/immortal.hpp"
#include "host/kept_errno.hpp"
#include "recorder/clocks/clock.hpp"
#include "recorder/thread.hpp"

namespace leadline::recorder {

namespace {

constexpr host::Immortal<OpenFiles> storage_of_open_files;

constexpr size_t longest_path = 2048;  // may stand on the stack of a signal handler

const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// Whether the path may be that of the MPI file: ROMIO takes "ufs:name" too.
bool has_name(const char* path, const char* mpi_name) {
  const char* name = base_name(mpi_name);
  const char* colon = strchr(name, ':');
  return strcmp(base_name(path), name) == 0 || (colon && strcmp(base_name(path), colon + 1) == 0);
}

// Where the descriptor leads to, "" where that is unknown.
void path_of(int fd, char (&path)[longest_path]) {
  char link[48];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  const long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
  path[n > 0 ? n : 0] = 0;
}

}  // namespace

constinit OpenFiles& open_files = storage_of_open_files.object;

Access OpenFile::transfer(int64_t offset, int64_t n, int64_t* delta) {
  *delta = offset - end;
  end = offset + n;
  if (n <= 0) return Access::unknown;
  if (!any) {
    any = true;
    distance = 0;
    return Access::first;
  }
  if (*delta == 0) return Access::sequential;
  const bool as_before = *delta == distance;
  const bool was_jump = jumped;
  distance = *delta;
  jumped = !as_before;
  return !as_before ? Access::random : was_jump ? Access::random_was_strided : Access::strided;
}

void OpenFiles::begin() {
  lock();
  if (!begun_) watch();
  begun_ = true;
  unlock();
}

void OpenFiles::watch() {
  const char* directory = getenv("LEADLINE_DIR");
  if (!directory || !*directory) return;
  char real[PATH_MAX];
  if (realpath(directory, real)) directory = real;
  snprintf(directory_, sizeof(directory_), "%.1023s", directory);
  directory_length_ = static_cast<uint32_t>(strlen(directory_));
  pid_ = getpid();
  TickRate().begin();  // which clock to use
  pthread_atfork(nullptr, nullptr, [] { open_files.forked(); });
  watching_ = allocate();
}

bool OpenFiles::allocate() {
  const auto pages = [](size_t bytes) {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
  };
  open_ = static_cast<OpenFile*>(pages(max_open * sizeof(OpenFile)));
  void* slots = open_ ? pages(max_descriptors * sizeof(uint32_t)) : nullptr;
  slots_ = static_cast<uint32_t*>(slots);
  return slots_ != nullptr;
}

// We share the parent's descriptors, but not its counts.
void OpenFiles::forked() {
  if (!watching_) return;
  pid_ = getpid();
  locked_ = false;
  early_ = true;
  memset(static_cast<void*>(slots_), 0, sizeof(uint32_t) * 4096);
  used_ = not_a_file + 1;
  free_ = 0;
  table_.forget();
}

void OpenFiles::record(recording::ProcessHeader* header, char* region, recording::Backing backing) {
  if (!slots_) return;
  lock();
  table_.attach(header, region, backing);
  early_ = false;
  watching_ = true;
  unlock();
}

void OpenFiles::lock() {
  while (__atomic_test_and_set(&locked_, __ATOMIC_ACQUIRE)) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

bool OpenFiles::is_own_process() const { return syscall(SYS_getpid) == pid_; }

// Not counted: files of the kernel (/proc, /sys), devices, shared memory, and our own.
bool OpenFiles::is_left_out(const char* path) const {
  if (host::begins(path, "/proc/") || host::begins(path, "/sys/") || host::begins(path, "/dev/") ||
      host::begins(path, "/memfd:"))
    return true;
  return directory_length_ && strncmp(path, directory_, directory_length_) == 0 &&
         (path[directory_length_] == '/' || path[directory_length_] == 0);
}

int64_t OpenFiles::position_of(int fd) {
  const host::KeptErrno kept;
  return syscall(SYS_lseek, fd, 0, SEEK_CUR);
}

int64_t OpenFiles::size_of(int fd) {
  const host::KeptErrno kept;
  struct stat s;
  return syscall(SYS_fstat, fd, &s) == 0 ? static_cast<int64_t>(s.st_size) : -1;
}

OpenFile* OpenFiles::enter(int fd, int flags, bool by_mpi, const char* path, int64_t size) {
  const Inside inside;
  lock();
  uint32_t slot = not_a_file;
  if (table_.begin()) {
    if (free_) {
      slot = free_;
      free_ = open_[slot].references;
    } else if (used_ < max_open) {
      slot = used_++;
    }
  }
  OpenFile* made = nullptr;
  if (slot != not_a_file) {
    made = &open_[slot];
    *made = OpenFile{};
    made->file = table_.intern(path);
    made->references = 1;
    made->taken = true;
    made->by_mpi = by_mpi;
    made->ask = flags & O_APPEND;
    if (by_mpi) table_.flag(made->file, trace::file_opened_by_mpi);
    table_.size_is(made->file, size);
  }
  set(fd, slot);
  unlock();
  return made;
}

OpenFile* OpenFiles::opened(int fd, int flags, const char* mpi_name) {
  if (static_cast<uint32_t>(fd) >= max_descriptors || !slots_) return nullptr;
  const host::KeptErrno kept;
  struct stat s;
  if (inside_recorder || syscall(SYS_fstat, fd, &s) != 0 || !S_ISREG(s.st_mode) || flags & O_PATH ||
      !is_own_process()) {
    if (is_own_process()) set(fd, not_a_file);
    return nullptr;
  }
  char path[longest_path];
  path_of(fd, path);
  if (!*path || is_left_out(path) || (mpi_name && !has_name(path, mpi_name))) {
    set(fd, not_a_file);
    return nullptr;
  }
  return enter(fd, flags, mpi_name != nullptr, path, s.st_size);
}

// A descriptor that no recorded call opened: inherited, or made by libc itself.
OpenFile* OpenFiles::look_at(int fd) {
  if (inside_recorder) return nullptr;
  const host::KeptErrno kept;
  const long flags = syscall(SYS_fcntl, fd, F_GETFL);
  if (flags < 0) return nullptr;
  OpenFile* found = opened(fd, static_cast<int>(flags), nullptr);
  if (found) {
    found->ask = true;
    found->end = found->position = position_of(fd);
  }
  return found;
}

void OpenFiles::duplicated(int from, int to) {
  if (static_cast<uint32_t>(to) >= max_descriptors || static_cast<uint32_t>(from) >= max_descriptors || !slots_) return;
  if (from == to || inside_recorder || !is_own_process()) return;
  const Inside inside;
  lock();
  release(slot_of(to));
  const uint32_t slot = slot_of(from);
  if (slot > not_a_file) ++open_[slot].references;
  set(to, slot);
  unlock();
}

void OpenFiles::release(uint32_t slot) {
  if (slot <= not_a_file || --open_[slot].references) return;
  open_[slot].references = free_;
  open_[slot].taken = false;
  free_ = slot;
}

bool OpenFiles::closing(int fd) {
  if (static_cast<uint32_t>(fd) >= max_descriptors || !slots_ || slot_of(fd) == unknown) return true;
  if (inside_recorder || !is_own_process()) return false;
  const Inside inside;
  lock();
  release(slot_of(fd));
  set(fd, unknown);
  unlock();
  return true;
}

void OpenFiles::closing_range(unsigned first, unsigned last) {
  if (!slots_ || inside_recorder || !is_own_process()) return;
  // A descriptor above the highest one ever seen is unknown, and its page of the table does not exist.
  for (unsigned fd = first; fd <= last && fd < max_descriptors && fd < 65536; ++fd) closing(static_cast<int>(fd));
}

uint32_t OpenFiles::number_of(const char* path) {
  char real[PATH_MAX];
  const host::KeptErrno kept;
  if (!realpath(path, real)) return FileTable::no_file;
  const Inside inside;
  lock();
  const uint32_t number = table_.begin() ? table_.intern(real) : FileTable::no_file;
  unlock();
  return number;
}

void OpenFiles::note_sizes() {
  for (int fd = 0; fd < 4096 && slots_; ++fd) {
    if (slot_of(fd) > not_a_file) table_.size_is(open_[slot_of(fd)].file, size_of(fd));
  }
}

namespace {
// After the real functions were found. A constructor: what the program does with files before it calls MPI counts.
__attribute__((constructor(102))) void begin_watching() {
  const host::KeptErrno kept;
  open_files.begin();
}
}  // namespace

}  // namespace leadline::recorder
