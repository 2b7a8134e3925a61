// Memory for the routines that were read: many of a few kilobytes, each of which would else be a mapping of its own, to
// be made, touched and removed by the kernel.
#pragma once

#include <sys/mman.h>

#include <cstdint>

namespace leadline::recording {

// Pieces are taken from the newest chunk; a chunk goes when its last piece is given back.
class RoutineMemory {
 public:
  // For anything; nullptr: there is none.
  void* take(uint64_t bytes) {
    bytes = rounded(bytes);
    if ((!newest_ || newest_->bytes - newest_->used < bytes) && !add_chunk(bytes)) return nullptr;
    char* const piece = reinterpret_cast<char*>(newest_) + newest_->used;
    newest_->used += bytes;
    ++newest_->pieces;
    return piece;
  }

  void give(void* piece) {
    const auto address = reinterpret_cast<uint64_t>(piece);
    for (Chunk** at = &newest_; *at; at = &(*at)->older) {
      Chunk* const chunk = *at;
      if (address - reinterpret_cast<uint64_t>(chunk) >= chunk->bytes) continue;
      if (--chunk->pieces) return;
      *at = chunk->older;
      munmap(static_cast<void*>(chunk), chunk->bytes);
      return;
    }
  }

 private:
  struct Chunk {
    Chunk* older;
    uint64_t bytes, used, pieces;
  };
  static constexpr uint64_t chunk_bytes = uint64_t{1} << 18;

  static uint64_t rounded(uint64_t bytes) { return (bytes + 15) & ~uint64_t{15}; }

  bool add_chunk(uint64_t piece) {
    const uint64_t least = sizeof(Chunk) + piece, bytes = least > chunk_bytes ? least : chunk_bytes;
    void* const p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    auto* const chunk = static_cast<Chunk*>(p);
    *chunk = {newest_, bytes, sizeof(Chunk), 0};
    newest_ = chunk;
    return true;
  }

  Chunk* newest_ = nullptr;
};

}  // namespace leadline::recording
