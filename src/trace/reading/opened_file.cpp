#include "trace/reading/opened_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <utility>

namespace leadline::trace {

OpenedFile::OpenedFile(const std::string& path)
    : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)) {
  struct stat s{};
  if (fd_ < 0 && errno == ELOOP) {
    error_ = "symbolic link, not followed";
  } else if (fd_ < 0 || fstat(fd_, &s) != 0) {
    error_ = std::strerror(errno);
  } else if (!S_ISREG(s.st_mode)) {
    error_ = "not a file";
  } else {
    size_ = static_cast<uint64_t>(s.st_size);
  }
}

OpenedFile::~OpenedFile() {
  if (fd_ >= 0) close(fd_);
}

bool OpenedFile::read_at(uint64_t at, void* into, size_t bytes) const {
  for (auto* p = static_cast<char*>(into); bytes > 0;) {
    const ssize_t n = pread(fd_, p, bytes, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    at += static_cast<uint64_t>(n);
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

namespace {
constexpr int most_open = 128;
std::atomic<int> open_files{0};
}  // namespace

FileReadAgain::FileReadAgain(std::string path) : path_(std::move(path)) {
  if (open_files.fetch_add(1) < most_open) {
    open_ = std::make_unique<const OpenedFile>(path_);
  } else {
    --open_files;
  }
}

FileReadAgain::~FileReadAgain() {
  if (open_) --open_files;
}

bool FileReadAgain::read_at(uint64_t at, void* into, size_t bytes) const {
  return open_ ? open_->read_at(at, into, bytes) : OpenedFile(path_).read_at(at, into, bytes);
}

}  // namespace leadline::trace
