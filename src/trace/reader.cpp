#include "trace/reader.hpp"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

#include "trace/checksum.hpp"
#include "trace/chunk.hpp"
#include "trace/decode.hpp"
#include "trace/salvage.hpp"

namespace leadline::trace {

namespace {

std::string grouped(uint64_t n) {
  std::string s = std::to_string(n);
  for (size_t i = s.size(); i > 3; i -= 3) s.insert(i - 3, ",");
  return s;
}

bool ends_with(const std::string& s, const char* end) {
  const size_t n = std::strlen(end);
  return s.size() >= n && s.compare(s.size() - n, n, end) == 0;
}

std::string read_file(const std::string& path, std::vector<uint8_t>* bytes) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return path + ": " + std::strerror(errno);
  struct stat s{};
  std::string error;
  if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) {
    error = path + ": not a file";
  } else {
    bytes->resize(static_cast<size_t>(s.st_size));
    size_t at = 0;
    while (at < bytes->size()) {
      const ssize_t n = read(fd, bytes->data() + at, bytes->size() - at);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      at += static_cast<size_t>(n);
    }
    bytes->resize(at);
  }
  close(fd);
  return error;
}

void add_loss(Process* p, const char* code, uint64_t amount, std::string message) {
  p->losses.push_back({code, amount, std::move(message)});
}

// Chunks one after the other, as far as they are whole. `damage`: what ended the reading, empty at the end chunk.
bool read_chunks(const std::vector<uint8_t>& bytes, Process* process, std::string* damage, bool* has_process) {
  size_t at = sizeof(FileHeader);
  while (at < bytes.size()) {
    ChunkHeader h;
    if (bytes.size() - at < sizeof(h)) break;
    std::memcpy(&h, bytes.data() + at, sizeof(h));
    const size_t payload = at + sizeof(h);
    if (h.magic != chunk_magic) {
      *damage = "byte " + grouped(at) + ": no chunk begins here";
      return false;
    }
    if (h.size > bytes.size() - payload) break;
    if (crc32c(bytes.data() + payload, h.size, crc32c(&h.type, 2 * sizeof(uint32_t))) != h.crc) {
      *damage = "byte " + grouped(at) + ": the checksum does not match";
      return false;
    }
    const std::string wrong = decode_chunk(static_cast<ChunkType>(h.type), ByteReader(bytes.data() + payload, h.size), process);
    if (!wrong.empty()) {
      *damage = "byte " + grouped(at) + ": " + wrong;
      return false;
    }
    *has_process |= h.type == static_cast<uint32_t>(ChunkType::process);
    if (h.type == static_cast<uint32_t>(ChunkType::end)) return true;
    at = payload + h.size;
  }
  *damage = "the file ends at byte " + grouped(bytes.size()) + " in the middle of the trace";
  return false;
}

std::string check_header(const std::vector<uint8_t>& bytes) {
  FileHeader h;
  if (bytes.size() < sizeof(h)) return "too short for a trace (" + grouped(bytes.size()) + " bytes)";
  std::memcpy(&h, bytes.data(), sizeof(h));
  if (std::memcmp(h.magic, file_magic, sizeof(h.magic)) != 0) return "not a Leadline trace";
  if (h.version != format_version) {
    return "format version " + std::to_string(h.version) + "; this Leadline reads version " + std::to_string(format_version);
  }
  return "";
}

ReadError read_trace(const std::string& path, Process* process) {
  std::vector<uint8_t> bytes;
  if (std::string error = read_file(path, &bytes); !error.empty()) return {error};
  if (std::string error = check_header(bytes); !error.empty()) return {path + ": " + error};
  process->file_bytes = bytes.size();
  std::string damage;
  bool has_process = false;
  process->complete = read_chunks(bytes, process, &damage, &has_process);
  if (!has_process) return {path + ": " + damage + "; nothing before that can be used"};
  if (!process->complete) {
    add_loss(process, "trace-damaged", 1, damage + "; what comes before was used");
  }
  return {};
}

ReadError read_live(const std::string& path, Process* process) {
  std::vector<uint8_t> bytes;
  // Generations that were written before the end.
  const std::string part = path.substr(0, path.size() - 5) + ".part";
  std::string damage;
  bool has_process = false;
  if (access(part.c_str(), R_OK) == 0 && read_file(part, &bytes).empty() && check_header(bytes).empty()) {
    read_chunks(bytes, process, &damage, &has_process);
    process->file_bytes += bytes.size();
  }
  const std::string wrong = salvage(path, process);
  if (!wrong.empty()) return {path + ": " + wrong};
  process->complete = false;
  return {};
}

}  // namespace

ReadError read_process(const std::string& path, Process* process) {
  *process = Process{};
  process->file = path;
  ReadError error = ends_with(path, ".live") ? read_live(path, process) : read_trace(path, process);
  if (error.message.empty()) finish_process(process);
  return error;
}

std::vector<std::string> trace_files(const std::string& directory, ReadError* error) {
  std::vector<std::string> traces, lives;
  DIR* dir = opendir(directory.c_str());
  if (!dir) {
    error->message = directory + ": " + std::strerror(errno);
    return {};
  }
  while (const dirent* entry = readdir(dir)) {
    const std::string name = entry->d_name;
    if (ends_with(name, ".trace")) traces.push_back(name);
    if (ends_with(name, ".live")) lives.push_back(name);
  }
  closedir(dir);
  // rank-00003-<stem>.trace replaces <stem>.live.
  for (const std::string& live : lives) {
    const std::string finished = "-" + live.substr(0, live.size() - 5) + ".trace";
    if (std::none_of(traces.begin(), traces.end(), [&](const std::string& t) { return ends_with(t, finished.c_str()); })) {
      traces.push_back(live);
    }
  }
  std::sort(traces.begin(), traces.end());
  for (std::string& t : traces) t = directory + "/" + t;
  return traces;
}

}  // namespace leadline::trace
