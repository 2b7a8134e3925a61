// Wide characters to and from streams of libc. What they take in the file depends on the locale: the bytes are how far
// the stream moved, as ftello() tells it. They count under the names of the functions for bytes.
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "host/kept_errno.hpp"
#include "recorder/file_wrappers/streams.hpp"
#include "recorder/file_wrappers/wrap.hpp"

using namespace leadline::recorder;

namespace {

// A transfer of a stream that may be wide.
class WideCall {
 public:
  WideCall(FileFn fn, FILE* stream, OpenFile* file, Caller caller)
      : stream_(stream), before_(position_before(stream, file)), call_(fn, file, caller) {}

  void end(bool failed, bool direction) {
    const int64_t after = position(stream_);
    const int64_t moved = after > before_ && before_ >= 0 ? after - before_ : 0;
    call_.end_transfer(of_stream, failed && !moved ? -1 : moved, direction);
  }

 private:
  static int64_t position(FILE* stream) {
    const leadline::host::KeptErrno kept;
    return real_call<off64_t(FILE*)>(Real::ftello64_)(stream);
  }
  static int64_t position_before(FILE* stream, OpenFile* file) {
    count_characters(file);
    return position(stream);
  }

  FILE* stream_;
  int64_t before_;
  FileCall call_;
};

}  // namespace

#define LEADLINE_LIST(...) __VA_ARGS__
#define LEADLINE_MOVES(Result, name, fn, direction, stream, failed, parameters, arguments) \
  LEADLINE_FILE_WRAPPER(Result, name, LEADLINE_LIST parameters) {                          \
    OpenFile* file = file_of(stream);                                                      \
    if (__builtin_expect(!file, 0)) return LEADLINE_REAL(name) arguments;                  \
    WideCall call(FileFn::fn, stream, file, LEADLINE_CALLER);                              \
    Result const rc = LEADLINE_REAL(name) arguments;                                       \
    call.end(failed, direction);                                                           \
    return rc;                                                                             \
  }

LEADLINE_MOVES(wchar_t*, fgetws, fgets, reads, stream, false, (wchar_t * into, int n, FILE* stream), (into, n, stream))
LEADLINE_MOVES(wchar_t*, fgetws_unlocked, fgets, reads, stream, false, (wchar_t * into, int n, FILE* stream),
               (into, n, stream))
LEADLINE_MOVES(wchar_t*, __fgetws_chk, fgets, reads, stream, false, (wchar_t * into, size_t room, int n, FILE* stream),
               (into, room, n, stream))
LEADLINE_MOVES(wchar_t*, __fgetws_unlocked_chk, fgets, reads, stream, false,
               (wchar_t * into, size_t room, int n, FILE* stream), (into, room, n, stream))
LEADLINE_MOVES(int, fputws, fputs, writes, stream, rc < 0, (const wchar_t* text, FILE* stream), (text, stream))
LEADLINE_MOVES(int, fputws_unlocked, fputs, writes, stream, rc < 0, (const wchar_t* text, FILE* stream), (text, stream))
LEADLINE_MOVES(wint_t, fgetwc, fgetc, reads, stream, false, (FILE * stream), (stream))
LEADLINE_MOVES(wint_t, getwc, fgetc, reads, stream, false, (FILE * stream), (stream))
LEADLINE_MOVES(wint_t, fgetwc_unlocked, fgetc, reads, stream, false, (FILE * stream), (stream))
LEADLINE_MOVES(wint_t, getwc_unlocked, fgetc, reads, stream, false, (FILE * stream), (stream))
LEADLINE_MOVES(wint_t, fputwc, fputc, writes, stream, rc == WEOF, (wchar_t c, FILE* stream), (c, stream))
LEADLINE_MOVES(wint_t, putwc, fputc, writes, stream, rc == WEOF, (wchar_t c, FILE* stream), (c, stream))
LEADLINE_MOVES(wint_t, fputwc_unlocked, fputc, writes, stream, rc == WEOF, (wchar_t c, FILE* stream), (c, stream))
LEADLINE_MOVES(wint_t, putwc_unlocked, fputc, writes, stream, rc == WEOF, (wchar_t c, FILE* stream), (c, stream))
LEADLINE_MOVES(wint_t, putwchar, fputc, writes, stdout, rc == WEOF, (wchar_t c), (c))
LEADLINE_MOVES(wint_t, putwchar_unlocked, fputc, writes, stdout, rc == WEOF, (wchar_t c), (c))

LEADLINE_MOVES(int, vfwprintf, fprintf, writes, stream, rc < 0, (FILE * stream, const wchar_t* format, va_list rest),
               (stream, format, rest))
LEADLINE_MOVES(int, __vfwprintf_chk, fprintf, writes, stream, rc < 0,
               (FILE * stream, int flag, const wchar_t* format, va_list rest), (stream, flag, format, rest))
LEADLINE_MOVES(int, vwprintf, fprintf, writes, stdout, rc < 0, (const wchar_t* format, va_list rest), (format, rest))
LEADLINE_MOVES(int, __vwprintf_chk, fprintf, writes, stdout, rc < 0, (int flag, const wchar_t* format, va_list rest),
               (flag, format, rest))
LEADLINE_MOVES(int, vfwscanf, fscanf, reads, stream, false, (FILE * stream, const wchar_t* format, va_list rest),
               (stream, format, rest))
LEADLINE_MOVES(int, __isoc99_vfwscanf, fscanf, reads, stream, false,
               (FILE * stream, const wchar_t* format, va_list rest), (stream, format, rest))
LEADLINE_MOVES(int, __isoc23_vfwscanf, fscanf, reads, stream, false,
               (FILE * stream, const wchar_t* format, va_list rest), (stream, format, rest))

// The forms with `...` go to those with a list of arguments, as in stream_transfers.cpp.
#define LEADLINE_MOVES_REST(name, real, fn, direction, stream, failed, parameters, arguments) \
  LEADLINE_FILE_WRAPPER(int, name, LEADLINE_LIST parameters, ...) {                           \
    va_list rest;                                                                             \
    va_start(rest, format);                                                                   \
    OpenFile* file = file_of(stream);                                                         \
    int rc;                                                                                   \
    if (!file) {                                                                              \
      rc = LEADLINE_REAL(real) arguments;                                                     \
    } else {                                                                                  \
      WideCall call(FileFn::fn, stream, file, LEADLINE_CALLER);                               \
      rc = LEADLINE_REAL(real) arguments;                                                     \
      call.end(failed, direction);                                                            \
    }                                                                                         \
    va_end(rest);                                                                             \
    return rc;                                                                                \
  }
LEADLINE_MOVES_REST(fwprintf, vfwprintf, fprintf, writes, stream, rc < 0, (FILE * stream, const wchar_t* format),
                    (stream, format, rest))
LEADLINE_MOVES_REST(__fwprintf_chk, __vfwprintf_chk, fprintf, writes, stream, rc < 0,
                    (FILE * stream, int flag, const wchar_t* format), (stream, flag, format, rest))
LEADLINE_MOVES_REST(wprintf, vwprintf, fprintf, writes, stdout, rc < 0, (const wchar_t* format), (format, rest))
LEADLINE_MOVES_REST(__wprintf_chk, __vwprintf_chk, fprintf, writes, stdout, rc < 0, (int flag, const wchar_t* format),
                    (flag, format, rest))
LEADLINE_MOVES_REST(fwscanf, vfwscanf, fscanf, reads, stream, false, (FILE * stream, const wchar_t* format),
                    (stream, format, rest))
LEADLINE_MOVES_REST(__isoc99_fwscanf, __isoc99_vfwscanf, fscanf, reads, stream, false,
                    (FILE * stream, const wchar_t* format), (stream, format, rest))
LEADLINE_MOVES_REST(__isoc23_fwscanf, __isoc23_vfwscanf, fscanf, reads, stream, false,
                    (FILE * stream, const wchar_t* format), (stream, format, rest))
