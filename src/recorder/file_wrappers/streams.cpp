// Streams of libc: opened, closed, moved, flushed.
#include "recorder/file_wrappers/streams.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "recorder/file_wrappers/wrap.hpp"

namespace leadline::recorder {

namespace {
bool is_writing(FILE* stream) {
#if defined(__GLIBC__)
  return stream->_flags & 0x800;  // _IO_CURRENTLY_PUTTING
#else
  return false;
#endif
}
}  // namespace

int64_t stream_position(FILE* stream) {
#if defined(__GLIBC__)
  constexpr int in_backup = 0x100;  // _IO_IN_BACKUP: after ungetc
  if ((stream->_flags & in_backup) || stream->_mode > 0) return -1;
  const int64_t at = OpenFiles::position_of(descriptor_of(stream));
  if (at < 0) return -1;
  if (is_writing(stream)) return at + (stream->_IO_write_ptr - stream->_IO_write_base);
  return at - (stream->_IO_read_end - stream->_IO_read_ptr);
#else
  return -1;
#endif
}

void catch_up(FILE* stream, OpenFile* file) {
  count_characters(file);
  const int64_t position = stream_position(stream);
  if (position <= file->position) return;
  // Where a stream appends, what others have appended lies before what it writes.
  if (file->appends && is_writing(stream)) {
    file->position = position;
  } else {
    count_unseen(file, position - file->position, !is_writing(stream));
  }
}

namespace {

int flags_of(const char* mode) {
  const bool plus = strchr(mode, '+') != nullptr;
  switch (*mode) {
    case 'w':
      return O_CREAT | O_TRUNC | (plus ? O_RDWR : O_WRONLY);
    case 'a':
      return O_CREAT | O_APPEND | (plus ? O_RDWR : O_WRONLY);
    default:
      return plus ? O_RDWR : O_RDONLY;
  }
}

template <class Open>
FILE* open_with(Caller caller, FileFn fn, int flags, Open really_open) {
  if (!open_files.watching()) return really_open();
  FileCall call(fn, nullptr, caller);
  FILE* stream = really_open();
  OpenFile* file = stream ? call.opened(descriptor_of(stream), flags & ~O_APPEND) : nullptr;
  if (file && (flags & O_APPEND)) {
    file->appends = true;
    file->position = file->end = open_files.size_of(descriptor_of(stream));
  }
  call.end_open(file, flags, !stream);
  return stream;
}

// The old stream is gone, and so is its descriptor.
void leave_stream(FILE* stream, OpenFile* file) {
  catch_up(stream, file);
  open_files.table().size_is(file->file, open_files.size_of(descriptor_of(stream)));
  if (file->wrote) open_files.table().size_is(file->file, file->position);  // not all of it is in the file yet
  open_files.closing(descriptor_of(stream));
}

}  // namespace

}  // namespace leadline::recorder

using namespace leadline::recorder;

LEADLINE_FILE_WRAPPER(FILE*, fopen, const char* path, const char* mode) {
  return open_with(LEADLINE_CALLER, FileFn::fopen, flags_of(mode), [&] { return LEADLINE_REAL(fopen)(path, mode); });
}
LEADLINE_FILE_WRAPPER(FILE*, fopen64, const char* path, const char* mode) {
  return open_with(LEADLINE_CALLER, FileFn::fopen, flags_of(mode), [&] { return LEADLINE_REAL(fopen64)(path, mode); });
}
LEADLINE_FILE_WRAPPER(FILE*, tmpfile, void) {
  return open_with(LEADLINE_CALLER, FileFn::fopen, flags_of("w+"), [&] { return LEADLINE_REAL(tmpfile)(); });
}
LEADLINE_FILE_WRAPPER(FILE*, tmpfile64, void) {
  return open_with(LEADLINE_CALLER, FileFn::fopen, flags_of("w+"), [&] { return LEADLINE_REAL(tmpfile64)(); });
}

#define LEADLINE_OPENS_AGAIN(name)                                                       \
  LEADLINE_FILE_WRAPPER(FILE*, name, const char* path, const char* mode, FILE* stream) { \
    if (OpenFile* file = file_of(stream)) {                                              \
      leave_stream(stream, file);                                                        \
    } else if (open_files.watching() && stream && descriptor_of(stream) >= 0) {          \
      open_files.closing(descriptor_of(stream));                                         \
    }                                                                                    \
    return open_with(LEADLINE_CALLER, FileFn::freopen, flags_of(mode),                   \
                     [&] { return LEADLINE_REAL(name)(path, mode, stream); });           \
  }
LEADLINE_OPENS_AGAIN(freopen)
LEADLINE_OPENS_AGAIN(freopen64)

LEADLINE_FILE_WRAPPER(FILE*, fdopen, int fd, const char* mode) {
  OpenFile* file = file_of(fd);
  if (!file) return LEADLINE_REAL(fdopen)(fd, mode);
  FileCall call(FileFn::fdopen, file, LEADLINE_CALLER);
  FILE* stream = LEADLINE_REAL(fdopen)(fd, mode);
  if (stream && *mode == 'a') {
    file->appends = true;
    file->position = open_files.size_of(fd);
  }
  call.end_other(0, 0, !stream);
  return stream;
}

LEADLINE_FILE_WRAPPER(int, fclose, FILE* stream) {
  OpenFile* file = file_of(stream);
  if (!file || !open_files.is_own_process()) {
    if (open_files.watching() && stream && descriptor_of(stream) >= 0) open_files.closing(descriptor_of(stream));
    return LEADLINE_REAL(fclose)(stream);
  }
  FileCall call(FileFn::fclose, file, LEADLINE_CALLER);
  const uint32_t number = file->file;
  const int32_t place = open_files.number_of(file);
  leave_stream(stream, file);
  const int rc = LEADLINE_REAL(fclose)(stream);
  call.end_close(number, place);
  return rc;
}

#define LEADLINE_SEEKS(Result, name, parameters, arguments)       \
  LEADLINE_FILE_WRAPPER(Result, name, LEADLINE_LIST parameters) { \
    OpenFile* file = file_of(stream);                             \
    if (!file) return LEADLINE_REAL(name) arguments;              \
    catch_up(stream, file);                                       \
    FileCall call(FileFn::fseek, file, LEADLINE_CALLER);          \
    Result const rc = LEADLINE_REAL(name) arguments;              \
    call.end_seek(rc == 0 ? stream_position(stream) : -1);        \
    return rc;                                                    \
  }
#define LEADLINE_LIST(...) __VA_ARGS__
LEADLINE_SEEKS(int, fseek, (FILE * stream, long offset, int whence), (stream, offset, whence))
LEADLINE_SEEKS(int, fseeko, (FILE * stream, off_t offset, int whence), (stream, offset, whence))
LEADLINE_SEEKS(int, fseeko64, (FILE * stream, off64_t offset, int whence), (stream, offset, whence))
LEADLINE_SEEKS(int, fsetpos, (FILE * stream, const fpos_t* to), (stream, to))
LEADLINE_SEEKS(int, fsetpos64, (FILE * stream, const fpos64_t* to), (stream, to))

LEADLINE_FILE_WRAPPER(void, rewind, FILE* stream) {
  OpenFile* file = file_of(stream);
  if (!file) return LEADLINE_REAL(rewind)(stream);
  catch_up(stream, file);
  FileCall call(FileFn::fseek, file, LEADLINE_CALLER);
  LEADLINE_REAL(rewind)(stream);
  call.end_seek(0);
}

#define LEADLINE_TELLS(Result, name)                     \
  LEADLINE_FILE_WRAPPER(Result, name, FILE* stream) {    \
    OpenFile* file = file_of(stream);                    \
    if (!file) return LEADLINE_REAL(name)(stream);       \
    FileCall call(FileFn::ftell, file, LEADLINE_CALLER); \
    Result const rc = LEADLINE_REAL(name)(stream);       \
    call.end_other(0, 0, rc < 0);                        \
    return rc;                                           \
  }
LEADLINE_TELLS(long, ftell)
LEADLINE_TELLS(off_t, ftello)
LEADLINE_TELLS(off64_t, ftello64)

#define LEADLINE_FLUSHES(name)                            \
  LEADLINE_FILE_WRAPPER(int, name, FILE* stream) {        \
    OpenFile* file = file_of(stream);                     \
    if (!file) return LEADLINE_REAL(name)(stream);        \
    catch_up(stream, file);                               \
    FileCall call(FileFn::fflush, file, LEADLINE_CALLER); \
    const int rc = LEADLINE_REAL(name)(stream);           \
    call.end_other(0, 0, rc != 0);                        \
    return rc;                                            \
  }
LEADLINE_FLUSHES(fflush)
LEADLINE_FLUSHES(fflush_unlocked)
