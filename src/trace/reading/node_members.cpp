#include "trace/reading/node_members.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "trace/checksum.hpp"
#include "trace/node_file.hpp"

namespace leadline::trace {
namespace {

class File {
 public:
  File(int fd, uint64_t size) : fd_(fd), size_(size) {}

  uint64_t size() const { return size_; }
  bool read(uint64_t at, void* into, size_t bytes) const {
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
  uint64_t size_;
};

bool is_name(const std::string& name) {
  constexpr size_t suffix = 6;  // ".trace"
  return name.size() > suffix && name[0] != '.' && name.compare(name.size() - suffix, suffix, ".trace") == 0 &&
         std::none_of(name.begin(), name.end(), [](char c) { return c == '/' || (c >= 0 && c < ' ') || c == 0x7f; });
}

std::optional<NodeMember> member_at(const File& file, uint64_t at) {
  MemberHeader h;
  if (file.size() - at < sizeof(h) || !file.read(at, &h, sizeof(h))) return {};
  if (std::memcmp(h.magic, member_magic, sizeof(h.magic)) != 0 || h.version != member_version) return {};
  const uint64_t left = file.size() - at - sizeof(h);
  if (h.name_size > longest_member_name || h.name_size > left) return {};
  NodeMember found{std::string(h.name_size, '\0'), at + sizeof(h) + h.name_size, h.trace_size, true};
  if (!file.read(at + sizeof(h), found.name.data(), h.name_size)) return {};
  const uint32_t crc = crc32c(&h.version, offsetof(MemberHeader, crc) - offsetof(MemberHeader, version));
  if (crc32c(found.name.data(), h.name_size, crc) != h.crc || !is_name(found.name)) return {};
  return found;
}

// The first member at or after that byte; the file's end if there is none.
uint64_t next_member(const File& file, uint64_t at) {
  constexpr size_t block = 1 << 16;
  const auto memory = std::make_unique<char[]>(block);
  while (file.size() - at >= sizeof(MemberHeader)) {
    const auto n = static_cast<size_t>(std::min<uint64_t>(block, file.size() - at));
    if (!file.read(at, memory.get(), n)) break;
    for (const char* from = memory.get(); const void* hit = memmem(from, static_cast<size_t>(memory.get() + n - from),
                                                                   member_magic, sizeof(member_magic));) {
      const auto* found = static_cast<const char*>(hit);
      const uint64_t place = at + static_cast<uint64_t>(found - memory.get());
      if (member_at(file, place)) return place;
      from = found + 1;
    }
    if (n < block) break;
    at += n - sizeof(member_magic) + 1;
  }
  return file.size();
}

// Gives the second trace of a name another one, as the recorder does to files.
void tell_apart(std::vector<NodeMember>* members) {
  std::map<std::string, int> seen;
  for (NodeMember& member : *members) {
    const int again = ++seen[member.name];
    if (again > 1) member.name.insert(member.name.size() - std::strlen(".trace"), "-" + std::to_string(again));
  }
}

}  // namespace

std::vector<NodeMember> node_members(int fd, uint64_t file_size) {
  const File file(fd, file_size);
  std::vector<NodeMember> members;
  for (uint64_t at = 0; at < file.size();) {
    std::optional<NodeMember> member = member_at(file, at);
    if (!member) {
      at = next_member(file, at + 1);
      continue;
    }
    const uint64_t left = file.size() - member->begin;
    const uint64_t end = member->begin + std::min(member->size, left);
    member->whole = member->size <= left;
    if (!member->whole || (end != file.size() && !member_at(file, end))) {
      // One of the two was cut short: by a full disk, after which others went on, or by the end of the machine.
      at = next_member(file, member->begin);
      member->whole = member->whole && at >= end;
      member->size = std::min(member->size, at - member->begin);
    } else {
      at = end;
    }
    members.push_back(std::move(*member));
  }
  tell_apart(&members);
  return members;
}

namespace {

// Of a file by its path, remembered as long as the file does not change.
std::shared_ptr<const std::vector<NodeMember>> known_members(const std::string& path) {
  struct Known {
    dev_t device;
    ino_t inode;
    off_t size;
    timespec changed;
    std::shared_ptr<const std::vector<NodeMember>> members;
  };
  static std::mutex mutex;
  static std::map<std::string, Known> known;
  constexpr size_t most_known = 4096;

  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  if (fd < 0) return nullptr;
  struct stat s{};
  std::shared_ptr<const std::vector<NodeMember>> members;
  if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode)) {
    const std::lock_guard locked(mutex);
    const auto found = known.find(path);
    if (found != known.end() && found->second.device == s.st_dev && found->second.inode == s.st_ino &&
        found->second.size == s.st_size && found->second.changed.tv_sec == s.st_mtim.tv_sec &&
        found->second.changed.tv_nsec == s.st_mtim.tv_nsec) {
      members = found->second.members;
    } else {
      members = std::make_shared<const std::vector<NodeMember>>(node_members(fd, static_cast<uint64_t>(s.st_size)));
      if (known.size() >= most_known) known.clear();
      known[path] = {s.st_dev, s.st_ino, s.st_size, s.st_mtim, members};
    }
  }
  close(fd);
  return members;
}

}  // namespace

std::vector<NodeMember> node_members(const std::string& path) {
  const auto members = known_members(path);
  return members ? *members : std::vector<NodeMember>{};
}

std::optional<NodeMember> node_member(const std::string& path, std::string_view name) {
  const auto members = known_members(path);
  if (!members) return {};
  const auto found =
      std::find_if(members->begin(), members->end(), [&](const NodeMember& m) { return m.name == name; });
  return found == members->end() ? std::nullopt : std::optional(*found);
}

size_t node_file_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  constexpr size_t suffix = sizeof(node_file_suffix) - 1;
  const bool named =
      slash != std::string::npos && slash > suffix && path.compare(slash - suffix, suffix, node_file_suffix) == 0;
  struct stat s{};  // a run's directory may have such a name
  return named && lstat(path.substr(0, slash).c_str(), &s) == 0 && S_ISREG(s.st_mode) ? slash : 0;
}

std::string directory_of_trace(const std::string& path) {
  const size_t file = node_file_of(path);
  const size_t slash = file ? path.rfind('/', file - 1) : path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

}  // namespace leadline::trace
