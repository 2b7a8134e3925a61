/* A library to preload that wraps file I/O, as I/O profilers do: it passes every call on, counts it and says so at the
   end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long opened, written_calls, written_bytes, stream_bytes;
static char wanted[] = "tool-output"; /* files whose name has this in it */
static char is_wanted[1024];

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int open(const char* path, int flags, ...) {
  static __typeof__(&open) next;
  va_list rest;
  va_start(rest, flags);
  const int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
  va_end(rest);
  if (!next) next = NEXT(open);
  const int fd = next(path, flags, mode);
  if (fd >= 0 && fd < 1024 && strstr(path, wanted)) {
    ++opened;
    is_wanted[fd] = 1;
  }
  return fd;
}

ssize_t write(int fd, const void* from, size_t n) {
  static __typeof__(&write) next;
  if (!next) next = NEXT(write);
  const ssize_t rc = next(fd, from, n);
  if (fd >= 0 && fd < 1024 && is_wanted[fd]) {
    ++written_calls;
    written_bytes += rc;
  }
  return rc;
}

int close(int fd) {
  static __typeof__(&close) next;
  if (!next) next = NEXT(close);
  if (fd >= 0 && fd < 1024) is_wanted[fd] = 0;
  return next(fd);
}

size_t fwrite(const void* from, size_t size, size_t n, FILE* stream) {
  static __typeof__(&fwrite) next;
  if (!next) next = NEXT(fwrite);
  const size_t rc = next(from, size, n, stream);
  if (size == 10) stream_bytes += (long)(rc * size);
  return rc;
}

#ifdef WRAPS_FPRINTF /* and not vfprintf, which the recorder calls */
int fprintf(FILE* stream, const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  const int rc = vfprintf(stream, format, rest);
  va_end(rest);
  return rc;
}
#endif

__attribute__((destructor)) static void say(void) {
  char line[200];
  const int n = snprintf(line, sizeof(line), "tool: opened %ld, %ld writes of %ld bytes, streams %ld bytes\n", opened,
                         written_calls, written_bytes, stream_bytes);
  if (opened) NEXT(write)(2, line, (size_t)n);
}
