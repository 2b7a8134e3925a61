#include "exec/program.hpp"

#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "leadline/exec_tables.hpp"

namespace leadline::exec {

namespace {

constexpr size_t most_bytes = 1 << 20;
constexpr size_t most_segments = 256;

bool is_executable(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

const Wrapper* wrapper_called(const char* word) {
  const char* slash = strrchr(word, '/');
  const char* name = slash ? slash + 1 : word;
  for (const Wrapper& wrapper : wrappers) {
    if (!strcmp(name, wrapper.name)) return &wrapper;
  }
  return nullptr;
}

bool is_assignment(const char* word) {
  if (!isalpha(static_cast<unsigned char>(*word)) && *word != '_') return false;
  while (isalnum(static_cast<unsigned char>(*word)) || *word == '_') ++word;
  return *word == '=';
}

bool takes_value(const Wrapper& wrapper, std::string_view option) {
  const std::string all = std::string(" ") + wrapper.options_with_value + " ";
  return all.find(" " + std::string(option) + " ") != std::string::npos;
}

// The index after the wrapper's own words, as launch/wrappers.py finds it.
size_t after_wrapper(const std::vector<char*>& words, size_t at, const Wrapper& wrapper) {
  for (++at; at < words.size();) {
    const std::string_view word = words[at];
    if (word == "--") {
      ++at;
      break;
    }
    if (word.empty() || word[0] != '-' || word == "-") {
      if (!wrapper.assignments || (word != "-" && !is_assignment(words[at]))) break;
      ++at;
      continue;
    }
    at += takes_value(wrapper, word) ? 2 : 1;
  }
  while (wrapper.assignments && at < words.size() && is_assignment(words[at])) ++at;
  return at + wrapper.positional;
}

// Whether an `env` clears or changes what we set.
bool changes_ours(const std::vector<char*>& words, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    const std::string_view word = words[i];
    if (word == "-" || word == "-i" || word == "--ignore-environment" || word.starts_with("-u") ||
        word.starts_with("--unset") || word.starts_with("LD_PRELOAD=")) {
      return true;
    }
  }
  return false;
}

bool is_sanitizer(std::string_view name) {
  for (const char* runtime : {"libasan.so", "libhwasan.so", "libtsan.so", "libclang_rt."}) {
    if (name.find(runtime) != std::string_view::npos) return true;
  }
  return false;
}

class File {
 public:
  explicit File(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  bool read_at(uint64_t offset, void* out, size_t size) const {
    return fd_ >= 0 && pread(fd_, out, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
  }

 private:
  int fd_;
};

// Whether a 64-bit ELF file of this machine names a sanitizer's library (DT_NEEDED).
bool wants_sanitizer(const std::string& path) {
  const File file(path);
  Elf64_Ehdr header;
  if (!file.read_at(0, &header, sizeof(header)) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr) ||
      header.e_phnum > most_segments) {
    return false;
  }
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!file.read_at(header.e_phoff, segments.data(), segments.size() * sizeof(Elf64_Phdr))) return false;
  std::vector<Elf64_Dyn> entries;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_DYNAMIC || segment.p_filesz > most_bytes) continue;
    entries.resize(segment.p_filesz / sizeof(Elf64_Dyn));
    if (!file.read_at(segment.p_offset, entries.data(), entries.size() * sizeof(Elf64_Dyn))) return false;
    break;
  }
  uint64_t strings = 0, size = 0;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
    if (entry.d_tag == DT_STRSZ) size = entry.d_un.d_val;
  }
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_LOAD || strings < segment.p_vaddr || strings >= segment.p_vaddr + segment.p_filesz)
      continue;
    std::string text(size < 64 * most_bytes ? size : 0, '\0');
    if (!file.read_at(segment.p_offset + strings - segment.p_vaddr, text.data(), text.size())) return false;
    for (const Elf64_Dyn& entry : entries) {
      if (entry.d_tag == DT_NEEDED && entry.d_un.d_val < text.size() && is_sanitizer(text.c_str() + entry.d_un.d_val)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::string executable(const char* word) {
  if (strchr(word, '/')) return is_executable(word) ? word : "";
  const char* variable = getenv("PATH");
  if (variable && !*variable) return "";
  const std::string_view path = variable ? variable : "/bin:/usr/bin";
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = path.find(':', begin) == std::string_view::npos ? path.size() : path.find(':', begin);
    std::string file(path.substr(begin, end - begin));
    if (!file.empty() && file.back() != '/') file += '/';
    file += word;
    if (is_executable(file)) return file;
    begin = end + 1;
  }
  return "";
}

bool needs_a_closer_look(const std::vector<char*>& words, const std::string& first) {
  size_t at = 0;
  while (at < words.size()) {
    const Wrapper* wrapper = wrapper_called(words[at]);
    if (!wrapper) break;
    const size_t end = std::min(after_wrapper(words, at, *wrapper), words.size());
    if (!strcmp(wrapper->name, "env") && changes_ours(words, at + 1, end)) return true;
    at = end;
  }
  if (at == words.size()) return false;
  const std::string file = at ? executable(words[at]) : first;
  return !file.empty() && wants_sanitizer(file);
}

}  // namespace leadline::exec
