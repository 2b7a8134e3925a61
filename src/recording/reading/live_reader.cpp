#include "recording/reading/live_reader.hpp"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace leadline::recording {

namespace {

// As much of it as the file has.
void read_at(int fd, char* into, size_t bytes, uint64_t at) {
  while (bytes > 0) {
    const ssize_t n = pread(fd, into, bytes, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    into += n;
    at += static_cast<uint64_t>(n);
    bytes -= static_cast<size_t>(n);
  }
}

}  // namespace

LiveMap::LiveMap(int fd, uint64_t file_bytes) : file_pages_((file_bytes + page - 1) / page) {
  uint64_t pages_left = file_pages_;  // each belongs to one stretch or is a directory
  uint64_t at = 0;
  do {
    LiveDirectory directory{};
    read_at(fd, reinterpret_cast<char*>(&directory), sizeof(directory), at * page);
    const bool whole = std::memcmp(directory.magic, live_directory_magic, sizeof(live_directory_magic)) == 0 &&
                       directory.version == live_version && directory.count <= LiveDirectory::room;
    if (!whole || !pages_left) {
      if (!at && std::memcmp(directory.magic, live_magic, sizeof(live_magic)) == 0) {
        error_ = "written by another version of Leadline";
      } else if (!at) {
        error_ = directory.version && directory.version != live_version ? "written by another version of Leadline"
                                                                        : "not the state of a recorded process";
      } else {
        damage_ = "invalid block directory";
      }
      return;
    }
    --pages_left;
    for (uint32_t i = 0; i < directory.count; ++i) {
      if (!add(directory.stretches[i], &pages_left)) damage_ = "block beyond the end of the file";
    }
    at = directory.next;
  } while (at);
}

bool LiveMap::add(const LiveStretch& s, uint64_t* pages_left) {
  constexpr uint64_t everything = process_at::end + uint64_t{trace::max_threads} * thread_at::end;
  const bool fits = s.pages <= *pages_left && s.at % page == 0 && s.at <= everything &&
                    s.pages <= (everything - s.at) / page && s.file_page <= file_pages_ &&
                    s.pages <= file_pages_ - s.file_page;
  if (!fits) return false;
  *pages_left -= s.pages;
  stretches_.push_back(s);
  return true;
}

RegionMemory::RegionMemory(int fd, const LiveMap& map, uint64_t at, size_t bytes) : bytes_(bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return;
  base_ = static_cast<char*>(p);
  const uint64_t end = at + bytes;
  for (const LiveStretch& s : map.stretches()) {
    const uint64_t from = std::max(at, s.at), to = std::min(end, s.at + uint64_t{s.pages} * page);
    if (from < to) read_at(fd, base_ + (from - at), to - from, uint64_t{s.file_page} * page + (from - s.at));
  }
}

RegionMemory::~RegionMemory() {
  if (base_) munmap(base_, bytes_);
}

}  // namespace leadline::recording
