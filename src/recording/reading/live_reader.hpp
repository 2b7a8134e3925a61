// Reads a .live file (recording/live_file.hpp): its layout, and the regions of memory it holds.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "recording/live_file.hpp"

namespace leadline::recording {

// The stretches of a file. Nothing in it is trusted.
class LiveMap {
 public:
  LiveMap(int fd, uint64_t file_bytes);
  const std::string& error() const { return error_; }
  const std::string& damage() const { return damage_; }
  const std::vector<LiveStretch>& stretches() const { return stretches_; }

 private:
  bool add(const LiveStretch& stretch, uint64_t* pages_left);

  uint64_t file_pages_;
  std::vector<LiveStretch> stretches_;
  std::string error_, damage_;
};

// One region, in memory of its full size: parts that the file does not hold are zero.
class RegionMemory {
 public:
  RegionMemory(int fd, const LiveMap& map, uint64_t at, size_t bytes);
  ~RegionMemory();
  RegionMemory(const RegionMemory&) = delete;
  RegionMemory& operator=(const RegionMemory&) = delete;
  char* base() const { return base_; }  // nullptr: no memory

 private:
  char* base_ = nullptr;
  size_t bytes_;
};

}  // namespace leadline::recording
