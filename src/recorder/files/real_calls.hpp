// The functions behind our wrappers: the next ones in the order of the dynamic linker, so that another preloaded
// library that wraps file I/O still sees the calls.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace leadline::recorder {

// clang-format off
// Every name that is wrapped. Those of the first list are needed where look-ups are forbidden (in signal handlers,
// inside the dynamic linker or malloc), so they are found when the library is loaded.
#define LEADLINE_EARLY_FILE_NAMES(X) \
  X(open) X(open64) X(openat) X(openat64) X(creat) X(creat64) X(__open_2) X(__open64_2) X(__openat_2) \
  X(__openat64_2) X(close) X(close_range) X(closefrom) X(dup) X(dup2) X(dup3) X(read) X(write) X(pread) X(pread64) \
  X(pwrite) X(pwrite64) X(readv) X(writev) X(preadv) X(preadv64) X(pwritev) X(pwritev64) X(lseek) X(lseek64) \
  X(mmap) X(mmap64) X(fsync) X(fdatasync) X(ftruncate) X(ftruncate64) X(__read_chk) X(__pread_chk) X(__pread64_chk) \
  LEADLINE_PRINTING_NAMES(X)
// What a program says a failed look-up with: ours would overwrite the text that dlerror() gave it.
#define LEADLINE_PRINTING_NAMES(X) \
  X(fwrite) X(fwrite_unlocked) X(fputs) X(fputs_unlocked) X(puts) X(fputc) X(putc) X(_IO_putc) X(putchar) \
  X(vfprintf) X(__vfprintf_chk) X(vprintf) X(__vprintf_chk) X(vdprintf) X(__vdprintf_chk) X(fflush)
#define LEADLINE_LATE_FILE_NAMES(X) \
  X(preadv2) X(preadv64v2) X(pwritev2) X(pwritev64v2) X(fallocate) X(fallocate64) X(posix_fallocate) \
  X(posix_fallocate64) X(sendfile) X(sendfile64) X(splice) X(copy_file_range) X(mkstemp) X(mkstemp64) X(mkostemp) \
  X(mkostemp64) X(mkstemps) X(mkstemps64) X(mkostemps) X(mkostemps64) X(fopen) X(fopen64) X(freopen) X(freopen64) \
  X(fdopen) X(tmpfile) X(tmpfile64) X(fclose) X(fread) X(fread_unlocked) X(__fread_chk) X(__fread_unlocked_chk) \
  X(fseek) X(fseeko) X(fseeko64) X(rewind) X(fsetpos) X(fsetpos64) X(ftell) X(ftello) X(ftello64) \
  X(fflush_unlocked) X(fgetc) X(getc) X(_IO_getc) X(fgetc_unlocked) X(getc_unlocked) X(fputc_unlocked) \
  X(putc_unlocked) X(putchar_unlocked) X(fgets) X(fgets_unlocked) X(__fgets_chk) X(__fgets_unlocked_chk) X(getline) \
  X(getdelim) X(__getdelim) X(vfscanf) X(__isoc99_vfscanf) X(__isoc23_vfscanf) \
  LEADLINE_WIDE_NAMES(X)
#define LEADLINE_WIDE_NAMES(X)                                                                                         \
  X(fgetws)                                                                                                            \
  X(fgetws_unlocked) X(__fgetws_chk) X(__fgetws_unlocked_chk) X(fputws) X(fputws_unlocked) X(fgetwc) X(getwc)          \
      X(fgetwc_unlocked) X(getwc_unlocked) X(fputwc) X(putwc) X(fputwc_unlocked) X(putwc_unlocked) X(putwchar)         \
          X(putwchar_unlocked) X(vfwprintf) X(__vfwprintf_chk) X(vwprintf) X(__vwprintf_chk) X(vfwscanf)               \
              X(__isoc99_vfwscanf) X(__isoc23_vfwscanf)
// clang-format on
enum class Real : uint16_t {
#define X(name) name##_,
  LEADLINE_EARLY_FILE_NAMES(X) LEADLINE_LATE_FILE_NAMES(X)
#undef X
      count
};

extern void* real_file_functions[static_cast<int>(Real::count)];

// Looks it up. If there is none, returns a function that fails with ENOSYS.
void* find_real_file_function(Real which);

// A library behind us that wraps fprintf and the like, but not vfprintf, which our fprintf calls: its path, and in
// `name` a function whose calls it does not see. nullptr: there is none.
const char* passed_by(const char** name);

template <class Function>
inline Function* real_call(Real which) {
  void* found = __atomic_load_n(&real_file_functions[static_cast<int>(which)], __ATOMIC_RELAXED);
  if (__builtin_expect(!found, 0)) found = find_real_file_function(which);
  return reinterpret_cast<Function*>(found);
}

}  // namespace leadline::recorder
