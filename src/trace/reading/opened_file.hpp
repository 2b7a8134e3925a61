// A file of a run, as the reader opens it: one of its own, or a trace in a node's file (node_members.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace leadline::trace {

class OpenedFile {
 public:
  // Does not wait for a writer if the path is a pipe, and follows no link: another user may have made the directory.
  explicit OpenedFile(const std::string& path);
  ~OpenedFile();
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;

  const std::string& error() const { return error_; }
  uint64_t size() const { return size_; }
  bool read_at(uint64_t at, void* into, size_t bytes) const;

 private:
  void find_member(const std::string& path, size_t node_file);

  int fd_ = -1;
  uint64_t begin_ = 0, size_ = 0;
  std::string error_;
};

// A file whose parts are read whenever they are needed. It stays open, so that they can be read after it was removed or
// replaced; beyond some number of such files it is opened each time.
class FileReadAgain {
 public:
  explicit FileReadAgain(std::string path);
  ~FileReadAgain();
  FileReadAgain(const FileReadAgain&) = delete;
  FileReadAgain& operator=(const FileReadAgain&) = delete;

  bool read_at(uint64_t at, void* into, size_t bytes) const;

 private:
  std::string path_;
  std::unique_ptr<const OpenedFile> open_;
};

}  // namespace leadline::trace
