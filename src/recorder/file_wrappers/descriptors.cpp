// Descriptors: opened, duplicated, closed, moved, mapped.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/file_wrappers/wrap.hpp"

using leadline::recorder::count_characters;
using leadline::recorder::file_of;
using leadline::recorder::FileCall;
using leadline::recorder::FileFn;
using leadline::recorder::open_files;
using leadline::recorder::OpenFile;

namespace {

bool takes_mode(int flags) { return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE; }

template <class Open>
int open_with(leadline::recorder::Caller caller, int flags, Open really_open) {
  if (!open_files.watching()) return really_open();
  FileCall call(FileFn::open, nullptr, caller);
  const int fd = really_open();
  call.end_open(fd < 0 ? nullptr : call.opened(fd, flags), flags, fd < 0);
  return fd;
}

}  // namespace

#define LEADLINE_MODE(last)                        \
  mode_t mode = 0;                                 \
  if (takes_mode(flags)) {                         \
    va_list rest;                                  \
    va_start(rest, last);                          \
    mode = static_cast<mode_t>(va_arg(rest, int)); \
    va_end(rest);                                  \
  }

LEADLINE_FILE_WRAPPER(int, open, const char* path, int flags, ...) {
  LEADLINE_MODE(flags)
  return open_with(LEADLINE_CALLER, flags, [&] { return LEADLINE_REAL(open)(path, flags, mode); });
}
LEADLINE_FILE_WRAPPER(int, open64, const char* path, int flags, ...) {
  LEADLINE_MODE(flags)
  return open_with(LEADLINE_CALLER, flags, [&] { return LEADLINE_REAL(open64)(path, flags, mode); });
}
LEADLINE_FILE_WRAPPER(int, openat, int at, const char* path, int flags, ...) {
  LEADLINE_MODE(flags)
  return open_with(LEADLINE_CALLER, flags, [&] { return LEADLINE_REAL(openat)(at, path, flags, mode); });
}
LEADLINE_FILE_WRAPPER(int, openat64, int at, const char* path, int flags, ...) {
  LEADLINE_MODE(flags)
  return open_with(LEADLINE_CALLER, flags, [&] { return LEADLINE_REAL(openat64)(at, path, flags, mode); });
}
LEADLINE_FILE_WRAPPER(int, __open_2, const char* path, int flags) {
  return open_with(LEADLINE_CALLER, flags, [&] { return LEADLINE_REAL(__open_2)(path, flags); });
}
LEADLINE_FILE_WRAPPER(int, __open64_2, const char* path, int flags) {
  return open_with(LEADLINE_CALLER, flags, [&] { return LEADLINE_REAL(__open64_2)(path, flags); });
}
LEADLINE_FILE_WRAPPER(int, __openat_2, int at, const char* path, int flags) {
  return open_with(LEADLINE_CALLER, flags, [&] { return LEADLINE_REAL(__openat_2)(at, path, flags); });
}
LEADLINE_FILE_WRAPPER(int, __openat64_2, int at, const char* path, int flags) {
  return open_with(LEADLINE_CALLER, flags, [&] { return LEADLINE_REAL(__openat64_2)(at, path, flags); });
}

constexpr int creating = O_CREAT | O_WRONLY | O_TRUNC;
LEADLINE_FILE_WRAPPER(int, creat, const char* path, mode_t mode) {
  return open_with(LEADLINE_CALLER, creating, [&] { return LEADLINE_REAL(creat)(path, mode); });
}
LEADLINE_FILE_WRAPPER(int, creat64, const char* path, mode_t mode) {
  return open_with(LEADLINE_CALLER, creating, [&] { return LEADLINE_REAL(creat64)(path, mode); });
}

constexpr int temporary = O_CREAT | O_RDWR | O_EXCL;
#define LEADLINE_MAKES_TEMPORARY(name, parameters, arguments)                                    \
  LEADLINE_FILE_WRAPPER(int, name, LEADLINE_LIST parameters) {                                   \
    return open_with(LEADLINE_CALLER, temporary, [&] { return LEADLINE_REAL(name) arguments; }); \
  }
#define LEADLINE_LIST(...) __VA_ARGS__
LEADLINE_MAKES_TEMPORARY(mkstemp, (char* path), (path))
LEADLINE_MAKES_TEMPORARY(mkstemp64, (char* path), (path))
LEADLINE_MAKES_TEMPORARY(mkostemp, (char* path, int flags), (path, flags))
LEADLINE_MAKES_TEMPORARY(mkostemp64, (char* path, int flags), (path, flags))
LEADLINE_MAKES_TEMPORARY(mkstemps, (char* path, int suffix), (path, suffix))
LEADLINE_MAKES_TEMPORARY(mkstemps64, (char* path, int suffix), (path, suffix))
LEADLINE_MAKES_TEMPORARY(mkostemps, (char* path, int suffix, int flags), (path, suffix, flags))
LEADLINE_MAKES_TEMPORARY(mkostemps64, (char* path, int suffix, int flags), (path, suffix, flags))

LEADLINE_FILE_WRAPPER(int, close, int fd) {
  if (!open_files.watching()) return LEADLINE_REAL(close)(fd);
  OpenFile* file = open_files.find_known(fd);
  if (!file || !open_files.is_own_process()) {
    open_files.closing(fd);
    return LEADLINE_REAL(close)(fd);
  }
  FileCall call(FileFn::close, file, LEADLINE_CALLER);
  count_characters(file);
  open_files.table().size_is(file->file, open_files.size_of(fd));
  const uint32_t number = file->file;
  const int32_t place = open_files.number_of(file);
  open_files.closing(fd);  // before: another thread may get the number at once
  const int rc = LEADLINE_REAL(close)(fd);
  call.end_close(number, place);
  return rc;
}

LEADLINE_FILE_WRAPPER(int, close_range, unsigned first, unsigned last, int flags) {
  constexpr int on_exec = 4;  // CLOSE_RANGE_CLOEXEC: they stay open
  if (open_files.watching() && !(flags & on_exec)) open_files.closing_range(first, last);
  return LEADLINE_REAL(close_range)(first, last, flags);
}
LEADLINE_FILE_WRAPPER(void, closefrom, int first) {
  if (open_files.watching() && first >= 0) open_files.closing_range(static_cast<unsigned>(first), ~0u);
  LEADLINE_REAL(closefrom)(first);
}

LEADLINE_FILE_WRAPPER(int, dup, int fd) {
  const int copy = LEADLINE_REAL(dup)(fd);
  if (copy >= 0 && open_files.watching()) open_files.duplicated(fd, copy);
  return copy;
}
LEADLINE_FILE_WRAPPER(int, dup2, int fd, int to) {
  const int copy = LEADLINE_REAL(dup2)(fd, to);
  if (copy >= 0 && open_files.watching()) open_files.duplicated(fd, copy);
  return copy;
}
LEADLINE_FILE_WRAPPER(int, dup3, int fd, int to, int flags) {
  const int copy = LEADLINE_REAL(dup3)(fd, to, flags);
  if (copy >= 0 && open_files.watching()) open_files.duplicated(fd, copy);
  return copy;
}

#define LEADLINE_SEEKS(name, Offset)                                       \
  LEADLINE_FILE_WRAPPER(Offset, name, int fd, Offset offset, int whence) { \
    OpenFile* file = file_of(fd);                                          \
    if (!file) return LEADLINE_REAL(name)(fd, offset, whence);             \
    FileCall call(FileFn::lseek, file, LEADLINE_CALLER);                   \
    const Offset rc = LEADLINE_REAL(name)(fd, offset, whence);             \
    call.end_seek(rc);                                                     \
    return rc;                                                             \
  }
LEADLINE_SEEKS(lseek, off_t)
LEADLINE_SEEKS(lseek64, off64_t)

#define LEADLINE_MAPS(name, Offset)                                                                          \
  LEADLINE_FILE_WRAPPER(void*, name, void* at, size_t n, int protection, int flags, int fd, Offset offset) { \
    OpenFile* file = fd >= 0 ? file_of(fd) : nullptr;                                                        \
    if (!file) return LEADLINE_REAL(name)(at, n, protection, flags, fd, offset);                             \
    FileCall call(FileFn::mmap, file, LEADLINE_CALLER);                                                      \
    void* mapped = LEADLINE_REAL(name)(at, n, protection, flags, fd, offset);                                \
    if (mapped != MAP_FAILED) open_files.table().flag(file->file, leadline::trace::file_mapped);             \
    call.end_other(offset, static_cast<int64_t>(n), mapped == MAP_FAILED);                                   \
    return mapped;                                                                                           \
  }
LEADLINE_MAPS(mmap, off_t)
LEADLINE_MAPS(mmap64, off64_t)

// `value`: what the event says besides the file.
#define LEADLINE_DOES(name, fn, value, parameters, arguments)  \
  LEADLINE_FILE_WRAPPER(int, name, LEADLINE_LIST parameters) { \
    OpenFile* file = file_of(fd);                              \
    if (!file) return LEADLINE_REAL(name) arguments;           \
    FileCall call(FileFn::fn, file, LEADLINE_CALLER);          \
    const int rc = LEADLINE_REAL(name) arguments;              \
    call.end_other(0, value, rc != 0);                         \
    return rc;                                                 \
  }
LEADLINE_DOES(fsync, fsync, 0, (int fd), (fd))
LEADLINE_DOES(fdatasync, fdatasync, 0, (int fd), (fd))
LEADLINE_DOES(ftruncate, ftruncate, length, (int fd, off_t length), (fd, length))
LEADLINE_DOES(ftruncate64, ftruncate, length, (int fd, off64_t length), (fd, length))
LEADLINE_DOES(fallocate, fallocate, n, (int fd, int mode, off_t at, off_t n), (fd, mode, at, n))
LEADLINE_DOES(fallocate64, fallocate, n, (int fd, int mode, off64_t at, off64_t n), (fd, mode, at, n))
LEADLINE_DOES(posix_fallocate, fallocate, n, (int fd, off_t at, off_t n), (fd, at, n))
LEADLINE_DOES(posix_fallocate64, fallocate, n, (int fd, off64_t at, off64_t n), (fd, at, n))
