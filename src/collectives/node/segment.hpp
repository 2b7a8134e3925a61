// Memory that the ranks of a node share. The first of them makes a file without a name (memfd_create); the others open
// it as /proc/PID/fd/N and check that a random number is there: a process id may mean another process elsewhere. So
// there is never a name that a killed rank could leave behind, and the memory goes with the last process that has it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace leadline::collectives::node {

// What a rank tells the others of a segment that it has made.
struct Offer {
  uint64_t nonce[2];
  int64_t bytes;  // 0: no segment
  pid_t process;
  int32_t file;
};

class Segment {
 public:
  ~Segment();
  Segment() = default;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  // False: not enough memory, or the system has none of these files.
  bool make(int64_t bytes);
  bool open(const Offer& offer);
  Offer offer() const;
  // Once all have it, or it is given up.
  void close_file();
  // Before the memory goes.
  void release();

  char* memory() const { return memory_; }

 private:
  bool map(int file, int64_t bytes);

  char* memory_ = nullptr;
  int64_t bytes_ = 0;
  int file_ = -1;
  uint64_t nonce_[2] = {};
};

}  // namespace leadline::collectives::node
