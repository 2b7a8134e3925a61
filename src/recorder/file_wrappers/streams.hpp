// Streams of libc (FILE): the open file behind one, and the program's position in it.
#pragma once

#include <stdio.h>

#include "recorder/files/open_files.hpp"

namespace leadline::recorder {

// -1: it has none.
inline int descriptor_of(FILE* stream) {
#if defined(__GLIBC__)
  constexpr int on_descriptor = 0x2000;  // _IO_IS_FILEBUF
  return stream->_flags & on_descriptor ? stream->_fileno : -1;
#else
  return -1;
#endif
}

// nullptr if it is not a recorded file: memory, pipes, terminals.
inline OpenFile* file_of(FILE* stream) {
  if (!open_files.watching() || !stream) return nullptr;
  const int fd = descriptor_of(stream);
  return fd >= 0 ? open_files.find(fd) : nullptr;
}

// The position the program is at, from the descriptor's and what the buffer holds. -1: unknown.
int64_t stream_position(FILE* stream);

// Counts what went by since the last call that was seen: getc_unlocked and putc_unlocked are compiled into programs.
void catch_up(FILE* stream, OpenFile* file);

}  // namespace leadline::recorder
