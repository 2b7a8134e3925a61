// The files behind this process's descriptors. Most descriptors are not files of the program (sockets, pipes,
// terminals, the MPI library's and our own); one look into a table shows that.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "recorder/files/file_table.hpp"

namespace leadline::recorder {

// One open file, as the kernel has it: descriptors made by dup share it. The position is the one that the program's
// calls imply; for streams that of the stream, not of its buffer.
struct OpenFile {
  uint32_t file;        // number in the table of files
  uint32_t references;  // descriptors
  bool taken;           // false: this place is free
  bool by_mpi;          // opened by the library for MPI_File_open
  bool appends;         // a stream that does
  bool ask;             // its position must be asked for: appends, or another process may move it
  bool wrote;           // through this open file
  bool any;             // something was transferred
  bool jumped;          // the last transfer was the first at its distance
  int64_t position;
  int64_t end;       // of the last transfer
  int64_t distance;  // from the one before to the last one
  // By functions of one character, not counted yet; at_end: those that moved nothing.
  uint64_t characters_read, characters_written, characters_at_end, character_ticks;

  // A transfer of n bytes: how it begins, and how far from the end of the one before.
  Access transfer(int64_t offset, int64_t n, int64_t* delta);
};

class OpenFiles {
 public:
  // Begins to watch, if the run is recorded; the first time only. Calls are counted only until `record`.
  void begin();
  bool watching() const { return watching_; }
  bool early() const { return early_; }
  // Recorder has begun: calls are events, and the table moves to the live memory.
  void record(recording::ProcessHeader* header, char* region, recording::Backing backing);
  void stop() { watching_ = false; }
  void forked();

  FileTable& table() { return table_; }

  // The open file of a descriptor; nullptr if it is not recorded.
  OpenFile* find(int fd) {
    if (static_cast<uint32_t>(fd) >= max_descriptors || !slots_) return nullptr;
    const uint32_t slot = slot_of(fd);
    if (__builtin_expect(slot == not_a_file, 1)) return nullptr;
    return slot > not_a_file ? &open_[slot] : look_at(fd);
  }
  // The same without looking at one that is not known yet.
  OpenFile* find_known(int fd) {
    if (static_cast<uint32_t>(fd) >= max_descriptors || !slots_) return nullptr;
    const uint32_t slot = slot_of(fd);
    return slot > not_a_file ? &open_[slot] : nullptr;
  }

  // The file behind a new descriptor. `mpi_name`: the name given to MPI_File_open; if set, only that file counts.
  OpenFile* opened(int fd, int flags, const char* mpi_name);
  void not_recorded(int fd) {
    if (static_cast<uint32_t>(fd) < max_descriptors && slots_ && is_own_process()) set(fd, not_a_file);
  }
  void duplicated(int from, int to);
  // The descriptor is about to be closed. Returns false in a child that shares our memory (vfork): nothing may be
  // touched.
  bool closing(int fd);
  void closing_range(unsigned first, unsigned last);
  bool is_own_process() const;

  // Number of the open file in events: used again when it is closed, as descriptors are.
  int32_t number_of(const OpenFile* file) const { return static_cast<int32_t>(file - open_) - not_a_file; }

  // Number of the file an absolute or relative path names, links followed.
  uint32_t number_of(const char* path);
  template <class Visit>
  void for_each(Visit visit) {
    for (uint32_t slot = not_a_file + 1; open_ && slot < used_; ++slot) {
      if (open_[slot].taken) visit(&open_[slot]);
    }
  }
  // Notes the sizes of files that are still open.
  void note_sizes();

  static int64_t position_of(int fd);
  int64_t size_of(int fd);

 private:
  static constexpr uint32_t max_descriptors = 1u << 20, max_open = 1u << 16;
  static constexpr uint32_t unknown = 0, not_a_file = 1;

  OpenFile* look_at(int fd);
  OpenFile* enter(int fd, int flags, bool by_mpi, const char* path, int64_t size);
  bool is_left_out(const char* path) const;
  // Other threads open and close at any time.
  uint32_t slot_of(int fd) const { return __atomic_load_n(&slots_[fd], __ATOMIC_ACQUIRE); }
  void set(int fd, uint32_t slot) { __atomic_store_n(&slots_[fd], slot, __ATOMIC_RELEASE); }
  void release(uint32_t slot);
  void watch();
  bool allocate();
  void lock();
  void unlock() { __atomic_clear(&locked_, __ATOMIC_RELEASE); }

  bool begun_ = false, watching_ = false, early_ = true, locked_ = false;
  int pid_ = 0;
  uint32_t* slots_ = nullptr;  // by descriptor
  OpenFile* open_ = nullptr;
  uint32_t used_ = not_a_file + 1, free_ = 0;  // a list of free ones through `references`
  FileTable table_;
  char directory_[1024] = {};  // of the run; files in it are ours
  uint32_t directory_length_ = 0;
};

extern constinit OpenFiles& open_files;

// nullptr if it is not a recorded file.
inline OpenFile* file_of(int fd) { return open_files.watching() ? open_files.find(fd) : nullptr; }

}  // namespace leadline::recorder
