// Reading from and writing to streams of libc. The bytes that the program reads and writes count, not those that a
// stream's buffer fetches and flushes.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "recorder/file_wrappers/streams.hpp"
#include "recorder/file_wrappers/wrap.hpp"

using namespace leadline::recorder;

namespace {

int64_t length_of(const char* text) { return text ? static_cast<int64_t>(strlen(text)) : 0; }

}  // namespace

#define LEADLINE_LIST(...) __VA_ARGS__
// `moved`: the bytes, from what the function returned.
#define LEADLINE_MOVES(Result, name, fn, direction, moved, parameters, arguments) \
  LEADLINE_FILE_WRAPPER(Result, name, LEADLINE_LIST parameters) {                 \
    OpenFile* file = file_of(stream);                                             \
    if (__builtin_expect(!file, 0)) return LEADLINE_REAL(name) arguments;         \
    FileCall call(FileFn::fn, file, LEADLINE_CALLER);                             \
    Result const rc = LEADLINE_REAL(name) arguments;                              \
    call.end_transfer(of_stream, moved, direction);                               \
    return rc;                                                                    \
  }

#define LEADLINE_BYTES static_cast<int64_t>(rc * size)
LEADLINE_MOVES(size_t, fread, fread, reads, LEADLINE_BYTES, (void* into, size_t size, size_t n, FILE* stream),
               (into, size, n, stream))
LEADLINE_MOVES(size_t, fread_unlocked, fread, reads, LEADLINE_BYTES, (void* into, size_t size, size_t n, FILE* stream),
               (into, size, n, stream))
LEADLINE_MOVES(size_t, __fread_chk, fread, reads, LEADLINE_BYTES,
               (void* into, size_t room, size_t size, size_t n, FILE* stream), (into, room, size, n, stream))
LEADLINE_MOVES(size_t, __fread_unlocked_chk, fread, reads, LEADLINE_BYTES,
               (void* into, size_t room, size_t size, size_t n, FILE* stream), (into, room, size, n, stream))
LEADLINE_MOVES(size_t, fwrite, fwrite, writes, LEADLINE_BYTES, (const void* from, size_t size, size_t n, FILE* stream),
               (from, size, n, stream))
LEADLINE_MOVES(size_t, fwrite_unlocked, fwrite, writes, LEADLINE_BYTES,
               (const void* from, size_t size, size_t n, FILE* stream), (from, size, n, stream))

LEADLINE_MOVES(char*, fgets, fgets, reads, length_of(rc), (char* into, int n, FILE* stream), (into, n, stream))
LEADLINE_MOVES(char*, fgets_unlocked, fgets, reads, length_of(rc), (char* into, int n, FILE* stream), (into, n, stream))
LEADLINE_MOVES(char*, __fgets_chk, fgets, reads, length_of(rc), (char* into, size_t room, int n, FILE* stream),
               (into, room, n, stream))
LEADLINE_MOVES(char*, __fgets_unlocked_chk, fgets, reads, length_of(rc), (char* into, size_t room, int n, FILE* stream),
               (into, room, n, stream))
LEADLINE_MOVES(int, fputs, fputs, writes, rc < 0 ? -1 : length_of(text), (const char* text, FILE* stream),
               (text, stream))
LEADLINE_MOVES(int, fputs_unlocked, fputs, writes, rc < 0 ? -1 : length_of(text), (const char* text, FILE* stream),
               (text, stream))
LEADLINE_MOVES(ssize_t, getline, getline, reads, rc < 0 ? 0 : rc, (char** line, size_t* room, FILE* stream),
               (line, room, stream))
LEADLINE_MOVES(ssize_t, getdelim, getline, reads, rc < 0 ? 0 : rc, (char** line, size_t* room, int end, FILE* stream),
               (line, room, end, stream))
LEADLINE_MOVES(ssize_t, __getdelim, getline, reads, rc < 0 ? 0 : rc, (char** line, size_t* room, int end, FILE* stream),
               (line, room, end, stream))

LEADLINE_FILE_WRAPPER(int, puts, const char* text) {
  OpenFile* file = file_of(stdout);
  if (!file) return LEADLINE_REAL(puts)(text);
  FileCall call(FileFn::fputs, file, LEADLINE_CALLER);
  const int rc = LEADLINE_REAL(puts)(text);
  call.end_transfer(of_stream, rc < 0 ? -1 : length_of(text) + 1, writes);
  return rc;
}

// One character.
#define LEADLINE_CHARACTER(name, fn, stream, direction, parameters, arguments) \
  LEADLINE_FILE_WRAPPER(int, name, LEADLINE_LIST parameters) {                 \
    OpenFile* file = file_of(stream);                                          \
    if (__builtin_expect(!file, 0)) return LEADLINE_REAL(name) arguments;      \
    CharacterCall call(FileFn::fn, file, LEADLINE_CALLER);                     \
    const int rc = LEADLINE_REAL(name) arguments;                              \
    call.end(rc != EOF, direction);                                            \
    return rc;                                                                 \
  }
LEADLINE_CHARACTER(fgetc, fgetc, stream, reads, (FILE * stream), (stream))
LEADLINE_CHARACTER(getc, fgetc, stream, reads, (FILE * stream), (stream))
LEADLINE_CHARACTER(_IO_getc, fgetc, stream, reads, (FILE * stream), (stream))
LEADLINE_CHARACTER(fgetc_unlocked, fgetc, stream, reads, (FILE * stream), (stream))
LEADLINE_CHARACTER(getc_unlocked, fgetc, stream, reads, (FILE * stream), (stream))
LEADLINE_CHARACTER(fputc, fputc, stream, writes, (int c, FILE* stream), (c, stream))
LEADLINE_CHARACTER(putc, fputc, stream, writes, (int c, FILE* stream), (c, stream))
LEADLINE_CHARACTER(_IO_putc, fputc, stream, writes, (int c, FILE* stream), (c, stream))
LEADLINE_CHARACTER(fputc_unlocked, fputc, stream, writes, (int c, FILE* stream), (c, stream))
LEADLINE_CHARACTER(putc_unlocked, fputc, stream, writes, (int c, FILE* stream), (c, stream))
LEADLINE_CHARACTER(putchar, fputc, stdout, writes, (int c), (c))
LEADLINE_CHARACTER(putchar_unlocked, fputc, stdout, writes, (int c), (c))

// Formatted output: what was printed is what the function returns.
#define LEADLINE_PRINTS(name, stream, parameters, arguments)                 \
  LEADLINE_FILE_WRAPPER(int, name, LEADLINE_LIST parameters, va_list rest) { \
    OpenFile* file = file_of(stream);                                        \
    if (!file) return LEADLINE_REAL(name) arguments;                         \
    FileCall call(FileFn::fprintf, file, LEADLINE_CALLER);                   \
    const int rc = LEADLINE_REAL(name) arguments;                            \
    call.end_transfer(of_stream, rc, writes);                                \
    return rc;                                                               \
  }
LEADLINE_PRINTS(vfprintf, stream, (FILE * stream, const char* format), (stream, format, rest))
LEADLINE_PRINTS(__vfprintf_chk, stream, (FILE * stream, int flag, const char* format), (stream, flag, format, rest))
LEADLINE_PRINTS(vprintf, stdout, (const char* format), (format, rest))
LEADLINE_PRINTS(__vprintf_chk, stdout, (int flag, const char* format), (flag, format, rest))

LEADLINE_FILE_WRAPPER(int, vdprintf, int fd, const char* format, va_list rest) {
  OpenFile* file = file_of(fd);
  if (!file) return LEADLINE_REAL(vdprintf)(fd, format, rest);
  FileCall call(FileFn::fprintf, file, LEADLINE_CALLER);
  const int rc = LEADLINE_REAL(vdprintf)(fd, format, rest);
  call.end_transfer(fd, rc, writes);
  return rc;
}
LEADLINE_FILE_WRAPPER(int, __vdprintf_chk, int fd, int flag, const char* format, va_list rest) {
  OpenFile* file = file_of(fd);
  if (!file) return LEADLINE_REAL(__vdprintf_chk)(fd, flag, format, rest);
  FileCall call(FileFn::fprintf, file, LEADLINE_CALLER);
  const int rc = LEADLINE_REAL(__vdprintf_chk)(fd, flag, format, rest);
  call.end_transfer(fd, rc, writes);
  return rc;
}

// Formatted input returns how many fields it read: the bytes are how far the stream moved.
#define LEADLINE_SCANS(name)                                                                        \
  LEADLINE_FILE_WRAPPER(int, name, FILE* stream, const char* format, va_list rest) {                \
    OpenFile* file = file_of(stream);                                                               \
    if (!file) return LEADLINE_REAL(name)(stream, format, rest);                                    \
    count_characters(file);                                                                         \
    FileCall call(FileFn::fscanf, file, LEADLINE_CALLER);                                           \
    const int rc = LEADLINE_REAL(name)(stream, format, rest);                                       \
    const int64_t position = stream_position(stream);                                               \
    call.end_transfer(of_stream, position > file->position ? position - file->position : 0, reads); \
    return rc;                                                                                      \
  }
LEADLINE_SCANS(vfscanf)
LEADLINE_SCANS(__isoc99_vfscanf)
LEADLINE_SCANS(__isoc23_vfscanf)

// The forms with `...` go to those with a list of arguments, of the next library too: another preloaded library sees
// vfprintf where the program called fprintf. The call site is that of fprintf, so its body is repeated here.
#define LEADLINE_PRINTS_REST(name, real, opened, channel, parameters, arguments) \
  LEADLINE_FILE_WRAPPER(int, name, LEADLINE_LIST parameters, ...) {              \
    va_list rest;                                                                \
    va_start(rest, format);                                                      \
    OpenFile* file = opened;                                                     \
    int rc;                                                                      \
    if (!file) {                                                                 \
      rc = LEADLINE_REAL(real) arguments;                                        \
    } else {                                                                     \
      FileCall call(FileFn::fprintf, file, LEADLINE_CALLER);                     \
      rc = LEADLINE_REAL(real) arguments;                                        \
      call.end_transfer(channel, rc, writes);                                    \
    }                                                                            \
    va_end(rest);                                                                \
    return rc;                                                                   \
  }
LEADLINE_PRINTS_REST(fprintf, vfprintf, file_of(stream), of_stream, (FILE * stream, const char* format),
                     (stream, format, rest))
LEADLINE_PRINTS_REST(__fprintf_chk, __vfprintf_chk, file_of(stream), of_stream,
                     (FILE * stream, int flag, const char* format), (stream, flag, format, rest))
LEADLINE_PRINTS_REST(printf, vprintf, file_of(stdout), of_stream, (const char* format), (format, rest))
LEADLINE_PRINTS_REST(__printf_chk, __vprintf_chk, file_of(stdout), of_stream, (int flag, const char* format),
                     (flag, format, rest))

LEADLINE_PRINTS_REST(dprintf, vdprintf, file_of(fd), fd, (int fd, const char* format), (fd, format, rest))
LEADLINE_PRINTS_REST(__dprintf_chk, __vdprintf_chk, file_of(fd), fd, (int fd, int flag, const char* format),
                     (fd, flag, format, rest))

#define LEADLINE_SCANS_REST(name, real)                                                               \
  LEADLINE_FILE_WRAPPER(int, name, FILE* stream, const char* format, ...) {                           \
    va_list rest;                                                                                     \
    va_start(rest, format);                                                                           \
    OpenFile* file = file_of(stream);                                                                 \
    int rc;                                                                                           \
    if (!file) {                                                                                      \
      rc = LEADLINE_REAL(real)(stream, format, rest);                                                 \
    } else {                                                                                          \
      count_characters(file);                                                                         \
      FileCall call(FileFn::fscanf, file, LEADLINE_CALLER);                                           \
      rc = LEADLINE_REAL(real)(stream, format, rest);                                                 \
      const int64_t position = stream_position(stream);                                               \
      call.end_transfer(of_stream, position > file->position ? position - file->position : 0, reads); \
    }                                                                                                 \
    va_end(rest);                                                                                     \
    return rc;                                                                                        \
  }
LEADLINE_SCANS_REST(fscanf, vfscanf)
LEADLINE_SCANS_REST(__isoc99_fscanf, __isoc99_vfscanf)
LEADLINE_SCANS_REST(__isoc23_fscanf, __isoc23_vfscanf)
