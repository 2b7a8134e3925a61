// Writes chunks to a trace file. Failure is remembered, never fatal.
#pragma once

#include "trace/chunk.hpp"
#include "trace/sink.hpp"

namespace leadline::recorder {

class TraceFile {
 public:
  enum class Start {
    appended,  // to the file if it is there
    fresh,     // may begin with the bytes of `part`
    gathered   // the same without `part`; there is a file only if it gets longer than one piece, or by finish()
  };
  explicit TraceFile(const char* path, Start start = Start::appended, const char* part = nullptr);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  // Writes the rest from memory, and closes the file; a network file system reports errors only then.
  // Returns the errno of a failure, 0 on success.
  int finish();
  // What was gathered, if there is no file yet and nothing failed; else null.
  const trace::ByteSink* gathered() const { return is_gathered_ && !error_ ? &pending_ : nullptr; }
  uint64_t written() const { return written_; }
  // From now on, chunks that exceed it are left out, except those without which nothing can be read.
  void set_limit(uint64_t bytes) { limit_ = bytes; }
  bool fits(uint64_t bytes) const { return written_ + bytes + reserve <= limit_; }
  uint32_t left_out() const { return left_out_; }
  // Packs the payload where that makes it smaller.
  void chunk(trace::ChunkType type, const trace::ByteSink& payload);

 private:
  void begin();
  bool open_fresh();
  void write_chunk(trace::ChunkType type, uint32_t flag, const trace::ByteSink& payload);
  bool put(const void* data, size_t size);
  bool flush();
  bool write_all(const void* data, size_t size);
  bool copy(const char* part);
  void fail();

  // A file gets few large pieces: each write is a request where the file system is remote.
  static constexpr size_t piece = 1 << 20;
  trace::ByteSink pending_;

  const char* path_;
  bool is_gathered_ = false;
  int fd_ = -1;
  int error_ = 0;
  long long begin_ = 0;  // start of the chunk being written; complete chunks lie before it
  uint64_t written_ = 0;
  static constexpr uint64_t reserve = 4096;  // for the last chunks
  uint64_t limit_ = UINT64_MAX;
  uint32_t left_out_ = 0;
  bool left_out_structure_ = false;
};

// Writes sites and structure of a thread to the file of the run that is named by their hash, unless another rank
// has done so, and puts a reference to it into `reference`. False: it can't be done; the chunks belong into the trace
// then.
bool share_structure(const char* stem, const trace::ByteSink& sites, const trace::ByteSink& structure,
                     trace::ByteSink* reference);

}  // namespace leadline::recorder
