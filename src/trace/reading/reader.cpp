#include "trace/reading/reader.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "trace/checksum.hpp"
#include "trace/chunk.hpp"
#include "trace/reading/decode.hpp"
#include "trace/reading/payloads.hpp"

namespace leadline::trace {

namespace {

std::string grouped(uint64_t n) {
  std::string s = std::to_string(n);
  for (size_t i = s.size(); i > 3; i -= 3) s.insert(i - 3, ",");
  return s;
}

// Chunks larger than any table can make are damage.
constexpr uint32_t largest_payload = 1u << 28;

class File {
 public:
  // Does not wait for a writer if the path is a pipe, and follows no link: another user may have made the directory.
  explicit File(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)) {
    struct stat s{};
    if (fd_ < 0 && errno == ELOOP) {
      error_ = "symbolic link, not followed";
    } else if (fd_ < 0 || fstat(fd_, &s) != 0) {
      error_ = std::strerror(errno);
    } else if (!S_ISREG(s.st_mode)) {
      error_ = "not a file";
    } else {
      size_ = static_cast<uint64_t>(s.st_size);
    }
  }
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& error() const { return error_; }
  uint64_t size() const { return size_; }
  bool read_at(uint64_t at, void* into, size_t bytes) const {
    for (auto* p = static_cast<char*>(into); bytes > 0;) {
      const ssize_t n = pread(fd_, p, bytes, static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      p += n;
      at += static_cast<uint64_t>(n);
      bytes -= static_cast<size_t>(n);
    }
    return true;
  }

 private:
  int fd_;
  uint64_t size_ = 0;
  std::string error_;
};

void add_loss(Process* p, const char* code, uint64_t amount, std::string message) {
  p->losses.push_back({code, amount, std::move(message)});
}

// A chunk as it lies in the file.
struct RawChunk {
  uint64_t at = 0;  // byte of the file
  ChunkType type = ChunkType::end;
  std::shared_ptr<Payload> payload;
};

// Whether the payload is kept, and decoded whenever it is needed.
bool decoded_again(ChunkType type) {
  return type == ChunkType::generation || type == ChunkType::structure || type == ChunkType::times;
}

std::string at_byte(uint64_t at, const std::string& wrong) { return "byte " + grouped(at) + ": " + wrong; }

// Reads one chunk after the other, as long as they are whole. Returns the reason for stopping, empty at the end chunk.
// each(chunk): an empty string, or what is wrong with it.
template <class EachChunk>
std::string read_chunks(const File& file, EachChunk&& each) {
  RawChunk chunk;
  uint64_t at = sizeof(FileHeader);
  while (file.size() - at >= sizeof(ChunkHeader)) {
    ChunkHeader h;
    if (!file.read_at(at, &h, sizeof(h))) return at_byte(at, std::strerror(errno));
    if (h.magic != chunk_magic) return at_byte(at, "expected the start of a chunk");
    if (h.size > file.size() - at - sizeof(h)) break;
    if (h.size > largest_payload) return at_byte(at, "a chunk of " + grouped(h.size) + " bytes");
    const bool free = chunk.payload && chunk.payload.use_count() == 1;
    if (!free || chunk.payload->bytes.capacity() > 2 * h.size) chunk.payload = std::make_shared<Payload>();
    std::vector<uint8_t>& bytes = chunk.payload->bytes;
    bytes.resize(h.size);
    if (!file.read_at(at + sizeof(h), bytes.data(), h.size)) break;
    if (crc32c(bytes.data(), h.size, crc32c(&h.type, 2 * sizeof(uint32_t))) != h.crc) {
      return at_byte(at, "checksum mismatch");
    }
    chunk.type = static_cast<ChunkType>(h.type & ~packed_flag);
    chunk.payload->packed = h.type & packed_flag;
    chunk.at = at;
    const ChunkType type = chunk.type;
    if (decoded_again(type)) chunk.payload = unpacked(std::move(chunk.payload));
    if (const std::string wrong = each(chunk); !wrong.empty()) return at_byte(at, wrong);
    if (type == ChunkType::end) return "";
    at += sizeof(h) + h.size;
  }
  return "truncated at byte " + grouped(file.size());
}

// each(type, reader): an empty string, or what is wrong.
template <class Each>
std::string with_payload(const RawChunk& chunk, Each&& each) {
  const Unpacked payload(*chunk.payload);
  return payload.ok() ? each(chunk.type, payload.reader()) : "cannot decompress";
}

std::string decode(const RawChunk& chunk, Process* process) {
  return with_payload(chunk,
                      [&](ChunkType type, ByteReader in) { return decode_chunk(type, in, process, chunk.payload); });
}

std::string check_header(const File& file) {
  if (!file.error().empty()) return file.error();
  FileHeader h;
  if (file.size() < sizeof(h)) return "too short for a trace (" + grouped(file.size()) + " bytes)";
  if (!file.read_at(0, &h, sizeof(h))) return std::strerror(errno);
  if (std::memcmp(h.magic, file_magic, sizeof(h.magic)) != 0) return "not a Leadline trace";
  if (h.version != format_version) {
    return "format version " + std::to_string(h.version) + "; this version of Leadline reads version " +
           std::to_string(format_version);
  }
  return "";
}

}  // namespace

// Read when it is first asked for.
struct FilesRead::File {
  std::once_flag once;
  uint64_t size = 0;
  std::vector<RawChunk> chunks;  // as long as they are whole
  std::string unusable;          // why there are none
  std::string damage;            // why there are no more; empty at the end chunk

  void read(const std::string& path) {
    const trace::File file(path);
    size = file.size();
    unusable = check_header(file);
    if (!unusable.empty()) return;
    damage = read_chunks(file, [&](const RawChunk& chunk) {
      chunks.push_back(chunk);
      return "";
    });
  }
};

FilesRead::FilesRead() = default;
FilesRead::~FilesRead() = default;

std::shared_ptr<FilesRead::File> FilesRead::at(const std::string& path) {
  std::shared_ptr<File> file;
  {
    const std::lock_guard locked(mutex_);
    std::shared_ptr<File>& known = files_[path];
    if (!known) known = std::make_shared<File>();
    file = known;
  }
  std::call_once(file->once, [&] { file->read(path); });
  return file;
}

namespace {

// Decodes the chunks of another file, which ranks that behave alike share.
std::string read_shared(const std::string& trace_path, ByteReader in, FilesRead* files, Process* process) {
  const ByteReader digits = in.bytes(shared_hash_digits);
  if (!in.ok()) return "truncated name of a shared file";
  const std::string hash(reinterpret_cast<const char*>(digits.data()), shared_hash_digits);
  if (hash.find_first_not_of("0123456789abcdef") != std::string::npos) return "invalid name of a shared file";
  const std::string name = shared_prefix + hash + shared_suffix;
  const size_t slash = trace_path.rfind('/');
  const auto file = files->at((slash == std::string::npos ? "" : trace_path.substr(0, slash + 1)) + name);
  if (!file->unusable.empty()) return name + ": " + file->unusable;
  for (const RawChunk& chunk : file->chunks) {
    const std::string wrong =
        facts_of(chunk.type).shared ? decode(chunk, process) : "unexpected chunk in a shared file";
    if (!wrong.empty()) return name + ": " + at_byte(chunk.at, wrong);
  }
  return file->damage.empty() ? "" : name + ": " + file->damage;
}

}  // namespace

ReadError read_trace(const std::string& path, Process* process, FilesRead* files, bool keep) {
  FilesRead own;
  FilesRead* const all = files ? files : &own;
  bool has_process = false;
  const auto each = [&](const RawChunk& chunk) {
    has_process |= chunk.type == ChunkType::process;
    return with_payload(chunk, [&](ChunkType type, ByteReader in) {
      return type == ChunkType::shared ? read_shared(path, in, all, process)
                                       : decode_chunk(type, in, process, chunk.payload);
    });
  };
  std::string damage;
  if (keep && files) {
    const auto file = files->at(path);
    if (!file->unusable.empty()) return {path + ": " + file->unusable};
    process->file_bytes = file->size;
    damage = file->damage;
    for (const RawChunk& chunk : file->chunks) {
      if (const std::string wrong = each(chunk); !wrong.empty()) {
        damage = at_byte(chunk.at, wrong);
        break;
      }
    }
  } else {
    const File file(path);
    if (std::string error = check_header(file); !error.empty()) return {path + ": " + error};
    process->file_bytes = file.size();
    damage = read_chunks(file, each);
  }
  process->complete = damage.empty();
  if (!has_process) {
    return {path + ": " +
            (damage.empty() ? "the process that wrote it is missing" : damage + "; nothing could be read before that")};
  }
  if (!process->complete) add_loss(process, "trace-damaged", 1, damage + "; everything before it was used");
  return {};
}

void read_part(const std::string& path, Process* process) {
  const File part(path);
  if (!check_header(part).empty()) return;
  read_chunks(part, [&](const RawChunk& chunk) {
    return facts_of(chunk.type).in_part ? decode(chunk, process) : std::string();
  });
  process->file_bytes += part.size();
}

}  // namespace leadline::trace
