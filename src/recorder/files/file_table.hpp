// The data kept for each file: its path, totals, and which parts of it were read. Any thread may use it: a path is
// entered under a lock, and counting is atomic.
//
// Before the first MPI call the tables are plain memory, taken when the first file is opened. Then they move into the
// process's live memory.
#pragma once

#include <cstdint>

#include "recording/live.hpp"
#include "recording/position_map.hpp"

namespace leadline::recorder {

using trace::FileCount;
using trace::FileLayer;

// A file and how a transfer began, as the descriptor or MPI handle knows it.
enum class Access : uint8_t { first, sequential, strided, random, random_was_strided, unknown };

class FileTable {
 public:
  static constexpr uint32_t no_file = 0;  // stands for those that do not fit

  // Plain memory. False: there is none.
  bool begin();
  // Moves to the live memory of a process.
  void attach(recording::ProcessHeader* header, char* region, recording::Backing backing);
  bool ready() const { return files_ != nullptr; }
  // After fork, in the child: nothing of the parent's counts.
  void forget();

  // Number of the file with this absolute path. The caller holds the lock of the open files.
  uint32_t intern(const char* path);

  void count(uint32_t file, FileLayer layer, FileCount what, uint64_t n) {
    if (files_ && n) add(&files_[file].counts[static_cast<uint32_t>(layer)][static_cast<uint32_t>(what)], n);
  }
  void count_access(uint32_t file, FileLayer layer, Access access, uint64_t n = 1);
  void flag(uint32_t file, uint32_t flags) {
    if (files_) __atomic_fetch_or(&files_[file].flags, flags, __ATOMIC_RELAXED);
  }
  void size_is(uint32_t file, int64_t size);
  // [begin, begin + length) was read. False: it could not be kept.
  void was_read(uint32_t file, FileLayer layer, uint64_t begin, uint64_t length);

 private:
  static void add(uint64_t* counter, uint64_t n) { __atomic_fetch_add(counter, n, __ATOMIC_RELAXED); }
  recording::FileRun* new_run(recording::FileRuns* runs);
  uint32_t take_runs(uint32_t n);

  recording::LiveFile* files_ = nullptr;
  recording::FileRun* runs_ = nullptr;
  recording::Table<recording::LiveFile> file_table_;
  recording::Table<recording::FileRun> run_table_;
  recording::ByteTable text_;
  recording::TableState early_states_[3] = {};
  char* early_ = nullptr;
  recording::PositionMap map_{1u << 16};
  uint64_t lost_ = 0;
  bool runs_lock_ = false;
};

}  // namespace leadline::recorder
