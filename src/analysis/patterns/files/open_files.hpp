// The files that a process has open, with a log of what changed, so that whoever follows a loop can see that an
// iteration left everything as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace leadline::analysis {

class OpenFiles {
 public:
  enum class By : uint8_t { libc, mpi, highest };

  // Files by the number of the open file, and by that of the MPI file.
  std::optional<uint32_t> file(By by, int64_t number) const {
    const auto at = files_.find({by, number});
    return at == files_.end() ? std::nullopt : std::optional(at->second);
  }
  void set(By by, int64_t number, uint32_t file) {
    std::optional<uint32_t> before = this->file(by, number);
    if (before == file) return;
    files_[{by, number}] = file;
    log_.push_back({{by, number}, before});
    ++state_;
  }

  // The highest number of a file that the thread has opened.
  uint64_t highest() const { return file(By::highest, 0).value_or(0); }
  void reach(uint32_t file) {
    if (file > highest()) set(By::highest, 0, file);
  }
  void begin_thread() {
    files_.erase({By::highest, 0});
    ++state_;
  }

  // A number that any change makes higher; not 0.
  uint64_t state() const { return state_; }

  // The number of changes so far; and whether the open files are those after that many changes.
  size_t changes() const { return log_.size(); }
  bool same_as_at(size_t changes) const {
    std::map<Key, std::optional<uint32_t>> before;
    for (size_t i = changes; i < log_.size(); ++i) before.emplace(log_[i].key, log_[i].before);
    for (const auto& [key, value] : before) {
      if (file(key.first, key.second) != value) return false;
    }
    return true;
  }

 private:
  using Key = std::pair<By, int64_t>;
  struct Change {
    Key key;
    std::optional<uint32_t> before;
  };
  std::map<Key, uint32_t> files_;
  std::vector<Change> log_;
  uint64_t state_ = 1;
};

}  // namespace leadline::analysis
