#include "recorder/trace_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "trace/checksum.hpp"

namespace leadline::recorder {

TraceFile::TraceFile(const char* path) {
  fd_ = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) {
    error_ = errno;
    return;
  }
  if (lseek(fd_, 0, SEEK_END) > 0) return;
  trace::FileHeader header{};
  memcpy(header.magic, trace::file_magic, sizeof(header.magic));
  header.version = trace::format_version;
  write_all(&header, sizeof(header));
}

TraceFile::~TraceFile() {
  if (fd_ >= 0 && close(fd_) != 0) error_ = errno;
}

void TraceFile::chunk(trace::ChunkType type, const trace::ByteSink& payload) {
  if (fd_ < 0) return;
  if (!payload.ok() || payload.size() > UINT32_MAX) {
    error_ = ENOMEM;
    return fail();
  }
  begin_ = lseek(fd_, 0, SEEK_CUR);
  trace::ChunkHeader h{trace::chunk_magic, static_cast<uint32_t>(type), static_cast<uint32_t>(payload.size()), 0};
  h.crc = trace::crc32c(payload.data(), payload.size(), trace::crc32c(&h.type, 2 * sizeof(uint32_t)));
  if (write_all(&h, sizeof(h))) write_all(payload.data(), payload.size());
}

bool TraceFile::write_all(const void* data, size_t size) {
  const char* p = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = write(fd_, p, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ = n < 0 ? errno : ENOSPC;
      fail();
      return false;
    }
    p += n;
    size -= static_cast<size_t>(n);
    written_ += static_cast<uint64_t>(n);
  }
  return true;
}

// Half a chunk helps nobody.
void TraceFile::fail() {
  if (ftruncate(fd_, begin_) != 0) begin_ = 0;
  close(fd_);
  fd_ = -1;
}

}  // namespace leadline::recorder
