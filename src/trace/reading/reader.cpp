#include "trace/reading/reader.hpp"

#include <errno.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "trace/checksum.hpp"
#include "trace/chunk.hpp"
#include "trace/end_of_trace.hpp"
#include "trace/reading/decode.hpp"
#include "trace/reading/node_members.hpp"
#include "trace/reading/opened_file.hpp"
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

void add_loss(Process* p, const char* code, uint64_t amount, std::string message) {
  p->losses.push_back({code, amount, std::move(message)});
}

struct RawChunk {
  uint64_t at = 0;  // byte of the file
  ChunkType type = ChunkType::end;
  std::shared_ptr<const Payload> payload;  // all of it, as it lies in the file; or held()
};

// Whether the trace says that its process did not come to write it.
bool was_killed(const Process& p) {
  return std::any_of(p.losses.begin(), p.losses.end(), [](const Loss& loss) { return loss.code == ended_early; });
}

// Whether the payload is decoded whenever it is needed.
bool decoded_again(ChunkType type) {
  return type == ChunkType::generation || type == ChunkType::structure || type == ChunkType::times;
}

std::string at_byte(uint64_t at, const std::string& wrong) { return "byte " + grouped(at) + ": " + wrong; }

// Reads one chunk after the other, as long as they are whole. Returns the reason for stopping, empty at the end chunk.
// each(chunk): an empty string, or what is wrong with it.
template <class EachChunk>
std::string read_chunks(const OpenedFile& file, EachChunk&& each) {
  std::shared_ptr<Payload> payload;
  uint64_t at = sizeof(FileHeader);
  while (file.size() - at >= sizeof(ChunkHeader)) {
    ChunkHeader h;
    if (!file.read_at(at, &h, sizeof(h))) return at_byte(at, std::strerror(errno));
    if (h.magic != chunk_magic) return at_byte(at, "expected the start of a chunk");
    if (h.size > file.size() - at - sizeof(h)) break;
    if (h.size > largest_payload) return at_byte(at, "a chunk of " + grouped(h.size) + " bytes");
    const bool free = payload && payload.use_count() == 1;
    if (!free || payload->bytes.capacity() > 2 * h.size) payload = std::make_shared<Payload>();
    std::vector<uint8_t>& bytes = payload->bytes;
    bytes.resize(h.size);
    if (!file.read_at(at + sizeof(h), bytes.data(), h.size)) break;
    if (crc32c(bytes.data(), h.size, crc32c(&h.type, 2 * sizeof(uint32_t))) != h.crc) {
      return at_byte(at, "checksum mismatch");
    }
    payload->packing = h.type & modelled_flag ? Packing::modelled
                       : h.type & packed_flag ? Packing::deflated
                                              : Packing::none;
    const auto type = static_cast<ChunkType>(h.type & ~(packed_flag | modelled_flag));
    if (const std::string wrong = each(RawChunk{at, type, payload}); !wrong.empty()) return at_byte(at, wrong);
    if (type == ChunkType::end) return "";
    at += sizeof(h) + h.size;
  }
  return "truncated at byte " + grouped(file.size());
}

// each(type, reader): an empty string, or what is wrong.
template <class Each>
std::string with_payload(const RawChunk& chunk, Each&& each) {
  const Unpacked payload(*chunk.payload);
  if (payload.ok()) return each(chunk.type, payload.reader());
  return chunk.payload->rest.size ? "cannot be read again" : "cannot decompress";
}

std::string decode(const RawChunk& chunk, Process* process) {
  return with_payload(chunk,
                      [&](ChunkType type, ByteReader in) { return decode_chunk(type, in, process, chunk.payload); });
}

// Leaves the most of long payloads in their file.
class Holding {
 public:
  explicit Holding(const std::string& path) : path_(path) {}
  RawChunk of(const RawChunk& chunk) {
    if (!file_ && chunk.payload->bytes.size() > most_held) file_ = std::make_shared<const FileReadAgain>(path_);
    return {chunk.at, chunk.type, held(chunk.payload, file_, chunk.at + sizeof(ChunkHeader))};
  }

 private:
  const std::string& path_;
  std::shared_ptr<const FileReadAgain> file_;
};

std::string check_header(const OpenedFile& file) {
  if (!file.error().empty()) return file.error();
  FileHeader h;
  if (file.size() < sizeof(h)) return "too short for a trace (" + grouped(file.size()) + " bytes)";
  if (!file.read_at(0, &h, sizeof(h))) return std::strerror(errno);
  if (std::memcmp(h.magic, file_magic, sizeof(h.magic)) != 0) return "not a Leadline trace";
  if (h.version < oldest_version || h.version > format_version) {
    return "format version " + std::to_string(h.version) + "; this version of Leadline reads versions " +
           std::to_string(oldest_version) + " to " + std::to_string(format_version);
  }
  return "";
}

}  // namespace

// Read when it is first asked for.
struct FilesRead::File {
  // Not std::call_once: its variables of each thread cannot be had if libstdc++ was loaded before, by another module.
  std::mutex reading;
  bool was_read = false;
  uint64_t size = 0;
  std::vector<RawChunk> chunks;  // as long as they are whole
  std::string unusable;          // why there are none
  std::string damage;            // why there are no more; empty at the end chunk

  void read(const std::string& path) {
    const OpenedFile file(path);
    size = file.size();
    unusable = check_header(file);
    if (!unusable.empty()) return;
    Holding holding(path);
    damage = read_chunks(file, [&](const RawChunk& chunk) {
      const bool small = chunk.payload->bytes.size() <= most_held;
      chunks.push_back(small && !decoded_again(chunk.type) ? chunk : holding.of(chunk));
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
  const std::lock_guard locked(file->reading);
  if (!file->was_read) file->read(path);
  file->was_read = true;
  return file;
}

namespace {

// Decodes the chunks of another file, which ranks that behave alike share.
// generations: false: the process has them already.
std::string read_shared(const std::string& trace_path, ByteReader in, FilesRead* files, bool generations,
                        Process* process) {
  const ByteReader digits = in.bytes(shared_hash_digits);
  if (!in.ok()) return "truncated name of a shared file";
  const std::string hash(reinterpret_cast<const char*>(digits.data()), shared_hash_digits);
  if (hash.find_first_not_of("0123456789abcdef") != std::string::npos) return "invalid name of a shared file";
  const std::string name = shared_prefix + hash + shared_suffix;
  const auto file = files->at(directory_of_trace(trace_path) + name);
  if (!file->unusable.empty()) return name + ": " + file->unusable;
  for (const RawChunk& chunk : file->chunks) {
    if (!generations && decoded_again(chunk.type)) continue;
    const std::string wrong =
        facts_of(chunk.type).shared ? decode(chunk, process) : "unexpected chunk in a shared file";
    if (!wrong.empty()) return name + ": " + at_byte(chunk.at, wrong);
  }
  return file->damage.empty() ? "" : name + ": " + file->damage;
}

// Takes the chunks of one trace.
class TraceReading {
 public:
  TraceReading(const std::string& path, Process* process, FilesRead* files)
      : path_(path), process_(process), files_(files) {}

  bool has_process() const { return has_process_; }
  // The trace was read before, and these are its generations.
  void recall(const std::vector<KnownGeneration>& known) {
    for (const KnownGeneration& g : known) stream_of(process_, g.thread).generations.push_back(g.generation);
    generations_ = false;
  }
  std::string take(const RawChunk& chunk) {
    has_process_ |= chunk.type == ChunkType::process;
    if (!generations_ && decoded_again(chunk.type)) return "";
    return with_payload(chunk, [&](ChunkType type, ByteReader in) {
      return type == ChunkType::shared ? read_shared(path_, in, files_, generations_, process_)
                                       : decode_chunk(type, in, process_, chunk.payload);
    });
  }

 private:
  const std::string& path_;
  Process* process_;
  FilesRead* files_;
  bool has_process_ = false, generations_ = true;
};

}  // namespace

void FilesRead::remember(const std::string& path, const Process& process) {
  auto known = std::make_shared<std::vector<KnownGeneration>>();
  for (const Stream& s : process.streams) {
    for (const WrittenGeneration& g : s.generations) known->push_back({s.thread, g});
  }
  const std::lock_guard locked(mutex_);
  generations_.try_emplace(path, std::move(known));
}

std::shared_ptr<const std::vector<KnownGeneration>> FilesRead::known(const std::string& path) {
  const std::lock_guard locked(mutex_);
  const auto found = generations_.find(path);
  return found == generations_.end() ? nullptr : found->second;
}

ReadError read_trace(const std::string& path, Process* process, FilesRead* files, bool keep) {
  FilesRead own;
  TraceReading reading(path, process, files ? files : &own);
  std::string damage;
  if (keep && files) {
    if (const auto known = files->known(path)) reading.recall(*known);
    const auto file = files->at(path);
    if (!file->unusable.empty()) return {path + ": " + file->unusable};
    process->file_bytes = file->size;
    damage = file->damage;
    for (const RawChunk& chunk : file->chunks) {
      if (const std::string wrong = reading.take(chunk); !wrong.empty()) {
        damage = at_byte(chunk.at, wrong);
        break;
      }
    }
  } else {
    const OpenedFile file(path);
    if (std::string error = check_header(file); !error.empty()) return {path + ": " + error};
    process->file_bytes = file.size();
    Holding holding(path);
    damage = read_chunks(file, [&](const RawChunk& chunk) {
      return reading.take(decoded_again(chunk.type) ? holding.of(chunk) : chunk);
    });
  }
  process->complete = damage.empty() && !was_killed(*process);
  if (!reading.has_process()) {
    return {path + ": " +
            (damage.empty() ? "the process that wrote it is missing" : damage + "; nothing could be read before that")};
  }
  if (!damage.empty()) add_loss(process, "trace-damaged", 1, damage + "; everything before it was used");
  return {};
}

void read_part(const std::string& path, Process* process) {
  const OpenedFile part(path);
  if (!check_header(part).empty()) return;
  read_chunks(part, [&](const RawChunk& chunk) {
    return facts_of(chunk.type).in_part ? decode(chunk, process) : std::string();
  });
  process->file_bytes += part.size();
}

}  // namespace leadline::trace
