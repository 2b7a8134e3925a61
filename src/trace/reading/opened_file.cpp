#include "trace/reading/opened_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <optional>
#include <utility>

#include "trace/reading/node_members.hpp"

namespace leadline::trace {

OpenedFile::OpenedFile(const std::string& path) {
  const size_t node_file = node_file_of(path);
  fd_ = open(node_file ? path.substr(0, node_file).c_str() : path.c_str(),
             O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  struct stat s{};
  if (fd_ < 0 && errno == ELOOP) {
    error_ = "symbolic link, not followed";
  } else if (fd_ < 0 || fstat(fd_, &s) != 0) {
    error_ = std::strerror(errno);
  } else if (!S_ISREG(s.st_mode)) {
    error_ = "not a file";
  } else {
    size_ = static_cast<uint64_t>(s.st_size);
    if (node_file) find_member(path, node_file);
  }
}

void OpenedFile::find_member(const std::string& path, size_t node_file) {
  const std::optional<NodeMember> found = node_member(path.substr(0, node_file), path.substr(node_file + 1));
  if (!found) {
    error_ = "no such trace in the node's file";
    size_ = 0;
    return;
  }
  begin_ = found->begin;
  size_ = found->size;
}

OpenedFile::~OpenedFile() {
  if (fd_ >= 0) close(fd_);
}

bool OpenedFile::read_at(uint64_t at, void* into, size_t bytes) const {
  if (begin_ && (at > size_ || bytes > size_ - at)) return false;
  at += begin_;
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
