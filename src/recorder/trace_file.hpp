// Writes chunks to a trace file. Failure is remembered, never fatal.
#pragma once

#include "trace/chunk.hpp"
#include "trace/sink.hpp"

namespace leadline::recorder {

class TraceFile {
 public:
  // Appends to the file if it is there, else begins it.
  explicit TraceFile(const char* path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  bool ok() const { return fd_ >= 0; }
  int error() const { return error_; }  // errno of what went wrong
  uint64_t written() const { return written_; }
  void chunk(trace::ChunkType type, const trace::ByteSink& payload);

 private:
  bool write_all(const void* data, size_t size);
  void fail();

  int fd_ = -1;
  int error_ = 0;
  long long begin_ = 0;  // of the chunk being written
  uint64_t written_ = 0;
};

// Writes sites and structure of a thread to the file of the run that is named by their hash, unless another rank
// has done so, and puts a reference to it into `reference`. False: it can't be done; the chunks belong into the trace
// then.
bool share_structure(const char* stem, const trace::ByteSink& sites, const trace::ByteSink& structure,
                     trace::ByteSink* reference);

}  // namespace leadline::recorder
