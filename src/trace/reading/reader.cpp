#include "trace/reading/reader.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "trace/checksum.hpp"
#include "trace/chunk.hpp"
#include "trace/packing.hpp"
#include "trace/reading/decode.hpp"

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
  // Does not wait for a writer if the path is a pipe, and follows no link: somebody else may have made the directory.
  explicit File(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)) {
    struct stat s{};
    if (fd_ < 0 && errno == ELOOP) {
      error_ = "a link, which is not followed";
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

bool unpack_payload(std::vector<uint8_t>* payload) {
  ByteReader in(payload->data(), payload->size());
  const uint64_t size = in.varint();
  const size_t packed = in.count();
  const ByteReader from = in.bytes(packed);
  if (!in.ok() || size > most_packed) return false;
  std::vector<uint8_t> whole(static_cast<size_t>(size));
  if (!unpack(from.data(), packed, whole.data(), whole.size())) return false;
  whole.insert(whole.end(), in.data(), in.data() + in.left());
  payload->swap(whole);
  return true;
}

// Reads one chunk after the other, as long as they are whole. Returns the reason for stopping, empty at the end chunk.
template <class EachChunk>
std::string read_chunks(const File& file, EachChunk&& each) {
  std::vector<uint8_t> payload;
  uint64_t at = sizeof(FileHeader);
  while (file.size() - at >= sizeof(ChunkHeader)) {
    ChunkHeader h;
    if (!file.read_at(at, &h, sizeof(h))) return "byte " + grouped(at) + ": " + std::strerror(errno);
    if (h.magic != chunk_magic) return "byte " + grouped(at) + ": no chunk begins here";
    if (h.size > file.size() - at - sizeof(h)) break;
    if (h.size > largest_payload) return "byte " + grouped(at) + ": a chunk of " + grouped(h.size) + " bytes";
    payload.resize(h.size);
    if (!file.read_at(at + sizeof(h), payload.data(), h.size)) break;
    if (crc32c(payload.data(), h.size, crc32c(&h.type, 2 * sizeof(uint32_t))) != h.crc) {
      return "byte " + grouped(at) + ": the checksum does not match";
    }
    const auto type = static_cast<ChunkType>(h.type & ~packed_flag);
    if (h.type & packed_flag && !unpack_payload(&payload)) return "byte " + grouped(at) + ": packed data can't be read";
    const std::string wrong = each(type, ByteReader(payload.data(), payload.size()));
    if (!wrong.empty()) return "byte " + grouped(at) + ": " + wrong;
    if (type == ChunkType::end) return "";
    at += sizeof(h) + h.size;
  }
  return "the file ends at byte " + grouped(file.size()) + " in the middle of the trace";
}

std::string check_header(const File& file) {
  if (!file.error().empty()) return file.error();
  FileHeader h;
  if (file.size() < sizeof(h)) return "too short for a trace (" + grouped(file.size()) + " bytes)";
  if (!file.read_at(0, &h, sizeof(h))) return std::strerror(errno);
  if (std::memcmp(h.magic, file_magic, sizeof(h.magic)) != 0) return "not a Leadline trace";
  if (h.version != format_version) {
    return "format version " + std::to_string(h.version) + "; this Leadline reads version " +
           std::to_string(format_version);
  }
  return "";
}

// Reads the chunks in another file, which ranks that behave alike share.
std::string read_shared(const std::string& trace_path, ByteReader in, Process* process) {
  const ByteReader digits = in.bytes(shared_hash_digits);
  if (!in.ok()) return "the name of a shared file ends too early";
  const std::string hash(reinterpret_cast<const char*>(digits.data()), shared_hash_digits);
  if (hash.find_first_not_of("0123456789abcdef") != std::string::npos) return "a shared file has no such name";
  const std::string name = shared_prefix + hash + shared_suffix;
  const size_t slash = trace_path.rfind('/');
  const File file((slash == std::string::npos ? "" : trace_path.substr(0, slash + 1)) + name);
  if (std::string wrong = check_header(file); !wrong.empty()) return name + ": " + wrong;
  const std::string damage = read_chunks(file, [&](ChunkType type, ByteReader chunk) {
    return facts_of(type).shared ? decode_chunk(type, chunk, process) : "a chunk that is not shared";
  });
  return damage.empty() ? "" : name + ": " + damage;
}

}  // namespace

ReadError read_trace(const std::string& path, Process* process) {
  const File file(path);
  if (std::string error = check_header(file); !error.empty()) return {path + ": " + error};
  process->file_bytes = file.size();
  bool has_process = false;
  const std::string damage = read_chunks(file, [&](ChunkType type, ByteReader in) {
    has_process |= type == ChunkType::process;
    return type == ChunkType::shared ? read_shared(path, in, process) : decode_chunk(type, in, process);
  });
  process->complete = damage.empty();
  if (!has_process) {
    return {path + ": " +
            (damage.empty() ? "it does not say whose trace it is" : damage + "; nothing before that can be used")};
  }
  if (!process->complete) add_loss(process, "trace-damaged", 1, damage + "; what comes before was used");
  return {};
}

void read_part(const std::string& path, Process* process) {
  const File part(path);
  if (!check_header(part).empty()) return;
  read_chunks(part, [&](ChunkType type, ByteReader in) {
    return facts_of(type).in_part ? decode_chunk(type, in, process) : std::string();
  });
  process->file_bytes += part.size();
}

}  // namespace leadline::trace
