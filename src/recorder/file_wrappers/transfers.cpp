// Reading and writing through descriptors.
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recorder/file_wrappers/wrap.hpp"

using leadline::recorder::file_of;
using leadline::recorder::FileCall;
using leadline::recorder::FileFn;
using leadline::recorder::OpenFile;
using leadline::recorder::reads;
using leadline::recorder::writes;

// Where the descriptor stands.
#define LEADLINE_MOVES(name, fn, direction, parameters, arguments)        \
  LEADLINE_FILE_WRAPPER(ssize_t, name, LEADLINE_LIST parameters) {        \
    OpenFile* file = file_of(fd);                                         \
    if (__builtin_expect(!file, 1)) return LEADLINE_REAL(name) arguments; \
    FileCall call(FileFn::fn, file, LEADLINE_CALLER);                     \
    const ssize_t rc = LEADLINE_REAL(name) arguments;                     \
    call.end_transfer(fd, rc, direction);                                 \
    return rc;                                                            \
  }
#define LEADLINE_LIST(...) __VA_ARGS__
LEADLINE_MOVES(read, read, reads, (int fd, void* into, size_t n), (fd, into, n))
LEADLINE_MOVES(__read_chk, read, reads, (int fd, void* into, size_t n, size_t room), (fd, into, n, room))
LEADLINE_MOVES(write, write, writes, (int fd, const void* from, size_t n), (fd, from, n))
LEADLINE_MOVES(readv, readv, reads, (int fd, const iovec* into, int parts), (fd, into, parts))
LEADLINE_MOVES(writev, writev, writes, (int fd, const iovec* from, int parts), (fd, from, parts))

// At an offset of their own; -1 in preadv2 and pwritev2: where the descriptor stands.
#define LEADLINE_MOVES_AT(name, fn, direction, parameters, arguments)     \
  LEADLINE_FILE_WRAPPER(ssize_t, name, LEADLINE_LIST parameters) {        \
    OpenFile* file = file_of(fd);                                         \
    if (__builtin_expect(!file, 1)) return LEADLINE_REAL(name) arguments; \
    FileCall call(FileFn::fn, file, LEADLINE_CALLER);                     \
    const ssize_t rc = LEADLINE_REAL(name) arguments;                     \
    if (at == -1 && rc >= 0) {                                            \
      call.end_transfer(fd, rc, direction);                               \
    } else {                                                              \
      call.end_transfer_at(at, rc, direction);                            \
    }                                                                     \
    return rc;                                                            \
  }
LEADLINE_MOVES_AT(pread, pread, reads, (int fd, void* into, size_t n, off_t at), (fd, into, n, at))
LEADLINE_MOVES_AT(pread64, pread, reads, (int fd, void* into, size_t n, off64_t at), (fd, into, n, at))
LEADLINE_MOVES_AT(__pread_chk, pread, reads, (int fd, void* into, size_t n, off_t at, size_t room),
                  (fd, into, n, at, room))
LEADLINE_MOVES_AT(__pread64_chk, pread, reads, (int fd, void* into, size_t n, off64_t at, size_t room),
                  (fd, into, n, at, room))
LEADLINE_MOVES_AT(pwrite, pwrite, writes, (int fd, const void* from, size_t n, off_t at), (fd, from, n, at))
LEADLINE_MOVES_AT(pwrite64, pwrite, writes, (int fd, const void* from, size_t n, off64_t at), (fd, from, n, at))
LEADLINE_MOVES_AT(preadv, preadv, reads, (int fd, const iovec* into, int parts, off_t at), (fd, into, parts, at))
LEADLINE_MOVES_AT(preadv64, preadv, reads, (int fd, const iovec* into, int parts, off64_t at), (fd, into, parts, at))
LEADLINE_MOVES_AT(pwritev, pwritev, writes, (int fd, const iovec* from, int parts, off_t at), (fd, from, parts, at))
LEADLINE_MOVES_AT(pwritev64, pwritev, writes, (int fd, const iovec* from, int parts, off64_t at), (fd, from, parts, at))
LEADLINE_MOVES_AT(preadv2, preadv, reads, (int fd, const iovec* into, int parts, off_t at, int flags),
                  (fd, into, parts, at, flags))
LEADLINE_MOVES_AT(preadv64v2, preadv, reads, (int fd, const iovec* into, int parts, off64_t at, int flags),
                  (fd, into, parts, at, flags))
LEADLINE_MOVES_AT(pwritev2, pwritev, writes, (int fd, const iovec* from, int parts, off_t at, int flags),
                  (fd, from, parts, at, flags))
LEADLINE_MOVES_AT(pwritev64v2, pwritev, writes, (int fd, const iovec* from, int parts, off64_t at, int flags),
                  (fd, from, parts, at, flags))

namespace {

// From one descriptor to another, within the kernel: a read of the one, counted as an event, and a write to the other.
template <class Offset, class Move>
ssize_t move_between(leadline::recorder::Caller caller, FileFn fn, int from, Offset* from_at, int to, Offset* to_at,
                     Move really_move) {
  OpenFile* source = file_of(from);
  OpenFile* target = file_of(to);
  if (!source && !target) return really_move();
  const int64_t source_at = from_at ? *from_at : -1, target_at = to_at ? *to_at : -1;
  FileCall call(source ? fn : FileFn::write, source ? source : target, caller);
  const ssize_t rc = really_move();
  const auto end = [&](FileCall& part, int fd, int64_t at, bool direction) {
    if (at < 0) {
      part.end_transfer(fd, rc, direction);
    } else {
      part.end_transfer_at(at, rc, direction);
    }
  };
  if (source) {
    end(call, from, source_at, reads);
  } else {
    end(call, to, target_at, writes);
  }
  if (source && target) {
    FileCall second(FileFn::write, target, caller);
    end(second, to, target_at, writes);
  }
  return rc;
}

}  // namespace

LEADLINE_FILE_WRAPPER(ssize_t, sendfile, int to, int from, off_t* at, size_t n) {
  return move_between(LEADLINE_CALLER, FileFn::sendfile, from, at, to, static_cast<off_t*>(nullptr),
                      [&] { return LEADLINE_REAL(sendfile)(to, from, at, n); });
}
LEADLINE_FILE_WRAPPER(ssize_t, sendfile64, int to, int from, off64_t* at, size_t n) {
  return move_between(LEADLINE_CALLER, FileFn::sendfile, from, at, to, static_cast<off64_t*>(nullptr),
                      [&] { return LEADLINE_REAL(sendfile64)(to, from, at, n); });
}
// To or from a pipe, which is no file. It counts as what it resembles most.
LEADLINE_FILE_WRAPPER(ssize_t, splice, int from, off64_t* from_at, int to, off64_t* to_at, size_t n, unsigned flags) {
  return move_between(LEADLINE_CALLER, FileFn::sendfile, from, from_at, to, to_at,
                      [&] { return LEADLINE_REAL(splice)(from, from_at, to, to_at, n, flags); });
}
LEADLINE_FILE_WRAPPER(ssize_t, copy_file_range, int from, off64_t* from_at, int to, off64_t* to_at, size_t n,
                      unsigned flags) {
  return move_between(LEADLINE_CALLER, FileFn::copy_file_range, from, from_at, to, to_at,
                      [&] { return LEADLINE_REAL(copy_file_range)(from, from_at, to, to_at, n, flags); });
}
