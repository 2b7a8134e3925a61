#include <cerrno>
#include <cstring>

#include "interchange/importing/recorded_process.hpp"
#include "trace/checksum.hpp"
#include "trace/packing.hpp"

namespace leadline::interchange::importing {

ChunkFile::ChunkFile(const std::string& path) : file_(std::fopen(path.c_str(), "wxb")) {
  if (!file_) {
    error_ = errno;
    return;
  }
  trace::FileHeader header{};
  std::memcpy(header.magic, trace::file_magic, sizeof(header.magic));
  header.version = trace::format_version;
  write(&header, sizeof(header));
}

void ChunkFile::put(trace::ChunkType type, const trace::ByteSink& payload) {
  trace::ByteSink packed;
  const bool smaller = trace::pack_payload(payload, &packed);
  const trace::ByteSink& written = smaller ? packed : payload;
  if (!written.ok() || written.size() > UINT32_MAX) {
    error_ = error_ ? error_ : ENOMEM;
    return;
  }
  trace::ChunkHeader h{trace::chunk_magic, static_cast<uint32_t>(type) | (smaller ? trace::packed_flag : 0),
                       static_cast<uint32_t>(written.size()), 0};
  h.crc = trace::crc32c(written.data(), written.size(), trace::crc32c(&h.type, 2 * sizeof(uint32_t)));
  write(&h, sizeof(h));
  write(written.data(), written.size());
}

void ChunkFile::write(const void* data, size_t size) {
  if (!file_ || error_ || !size) return;
  if (std::fwrite(data, 1, size, file_) != size) error_ = errno ? errno : EIO;
}

int ChunkFile::close() {
  if (file_ && std::fclose(file_) != 0 && !error_) error_ = errno;
  file_ = nullptr;
  return error_;
}

}  // namespace leadline::interchange::importing
