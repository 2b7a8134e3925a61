#include "recorder/process/trace_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/own_file.hpp"
#include "recorder/job/run_directory.hpp"
#include "recorder/job/run_files.hpp"
#include "recorder/library/functions.hpp"
#include "trace/checksum.hpp"
#include "trace/hash.hpp"
#include "trace/packing.hpp"

namespace leadline::recorder {

TraceFile::TraceFile(const char* path, Start start, const char* part) : path_(path) {
  if (start == Start::gathered) {
    is_gathered_ = true;
    begin();
    return;
  }
  if (start == Start::fresh) {
    if (!open_fresh()) return;
    if (part) {
      copy(part);
      return;
    }
  } else {
    fd_ = open_in_run(path, O_WRONLY | O_CREAT);
    if (fd_ < 0) {
      error_ = errno;
      return;
    }
    begin_ = lseek(fd_, 0, SEEK_END);
  }
  if (begin_ <= 0) begin();
}

TraceFile::~TraceFile() {
  if (fd_ >= 0) finish();
}

void TraceFile::begin() {
  trace::FileHeader header{};
  memcpy(header.magic, trace::file_magic, sizeof(header.magic));
  header.version = trace::format_version;
  put(&header, sizeof(header));
}

bool TraceFile::open_fresh() {
  fd_ = open_fresh_in_run(path_, O_WRONLY);
  if (fd_ < 0) error_ = errno;
  return fd_ >= 0;
}

int TraceFile::finish() {
  if (fd_ < 0 && !is_gathered_) return error_;
  flush();
  if (fd_ >= 0 && close(fd_) != 0) error_ = errno;
  fd_ = -1;
  return error_;
}

bool TraceFile::copy(const char* part) {
  const HeldSignals held;
  const int from = open_in_run(part, O_RDONLY);
  static char memory[1 << 16];  // the program's stack may be small
  ssize_t n = from < 0 ? -1 : 0;
  while (from >= 0 && (n = read(from, memory, sizeof(memory))) > 0) {
    if (!put(memory, static_cast<size_t>(n))) break;
    if (pending_.size() >= piece && !flush()) break;
  }
  const int error = n < 0 ? errno : 0;
  if (from >= 0) close(from);
  if (error) error_ = error, fail();
  return !error_;
}

void TraceFile::chunk(trace::ChunkType type, const trace::ByteSink& payload) {
  if (fd_ < 0 && !is_gathered_) return;
  trace::ByteSink packed;
  if (trace::pack_payload(payload, &packed)) return write_chunk(type, trace::packed_flag, packed);
  write_chunk(type, 0, payload);
}

void TraceFile::write_chunk(trace::ChunkType type, uint32_t flag, const trace::ByteSink& payload) {
  if (!payload.ok() || payload.size() > UINT32_MAX) {
    error_ = ENOMEM;
    return fail();
  }
  if (!fits(payload.size()) && !trace::facts_of(type).essential) {
    ++left_out_;
    left_out_structure_ |= type == trace::ChunkType::structure;
    return;
  }
  const bool belongs = type == trace::ChunkType::times || type == trace::ChunkType::series;
  if (belongs && left_out_structure_) return;
  if (type == trace::ChunkType::structure || type == trace::ChunkType::shared) left_out_structure_ = false;
  trace::ChunkHeader h{trace::chunk_magic, static_cast<uint32_t>(type) | flag, static_cast<uint32_t>(payload.size()),
                       0};
  h.crc = trace::crc32c(payload.data(), payload.size(), trace::crc32c(&h.type, 2 * sizeof(uint32_t)));
  if (!put(&h, sizeof(h)) || !put(payload.data(), payload.size())) return;
  written_ += sizeof(h) + payload.size();
  if (pending_.size() >= piece) flush();
}

bool TraceFile::put(const void* data, size_t size) {
  pending_.bytes(data, size);
  if (pending_.ok()) return true;
  error_ = ENOMEM;
  fail();
  return false;
}

// Whole chunks only.
bool TraceFile::flush() {
  if (is_gathered_) {
    is_gathered_ = false;
    if (!error_) open_fresh();
  }
  if (fd_ < 0) return false;
  const HeldSignals held;
  const bool written = write_all(pending_.data(), pending_.size());
  if (written) begin_ += static_cast<long long>(pending_.size());
  pending_.clear();
  return written;
}

bool TraceFile::write_all(const void* data, size_t size) {
  const char* p = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = write(fd_, p, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ = n < 0 ? errno : ENOSPC;
      fail();
      return false;
    }
    p += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

// A partial chunk cannot be read.
void TraceFile::fail() {
  is_gathered_ = false;
  if (fd_ < 0) return;
  if (ftruncate(fd_, begin_) != 0) begin_ = 0;
  close(fd_);
  fd_ = -1;
}

namespace {

uint64_t hash_bytes(const trace::ByteSink& bytes, uint64_t seed) {
  uint64_t h = trace::mix(seed, bytes.size());
  for (size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    const size_t left = bytes.size() - at;
    memcpy(&word, bytes.data() + at, left < sizeof(word) ? left : sizeof(word));
    h = trace::mix(h, word);
  }
  return h;
}

}  // namespace

bool share_structure(const char* stem, const trace::ByteSink& sites, const trace::ByteSink& structure,
                     trace::ByteSink* reference) {
  char hash[trace::shared_hash_digits + 1];
  snprintf(hash, sizeof(hash), "%016llx%016llx",
           static_cast<unsigned long long>(hash_bytes(structure, hash_bytes(sites, 0x6c656164))),
           static_cast<unsigned long long>(hash_bytes(structure, hash_bytes(sites, 0x6c696e65))));
  static FilePath path_memory, own_memory;  // the program's stack may be small
  file_in_run(&path_memory, "%s%s%s", trace::shared_prefix, hash, trace::shared_suffix);
  const char *const path = path_memory.text, *const own = own_memory.text;
  if (!is_in_run(path)) {
    // Others may be writing the same file: each writes its own, and renaming leaves one of them.
    file_in_run(&own_memory, "%s.shared", stem);
    {
      TraceFile file(own, TraceFile::Start::fresh);  // a process with our number may have left one, long ago
      file.chunk(trace::ChunkType::sites, sites);
      file.chunk(trace::ChunkType::structure, structure);
      file.chunk(trace::ChunkType::end, trace::ByteSink());
      if (file.finish() != 0) {
        unlink_in_run(own);
        return false;
      }
    }
    if (rename_in_run(own, path) != 0) {
      unlink_in_run(own);
      return false;
    }
  }
  reference->bytes(hash, trace::shared_hash_digits);
  return reference->ok();
}

}  // namespace leadline::recorder
