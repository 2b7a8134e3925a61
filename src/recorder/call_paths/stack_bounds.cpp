#include "recorder/call_paths/stack_bounds.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/own_file.hpp"
#include "host/readable_memory.hpp"
#include "recorder/memory/inside.hpp"

namespace leadline::recorder {

namespace {

// Lines of /proc/self/maps as they come, without a descriptor that stays, memory that is allocated, or the program's
// locale.
class Mappings {
 public:
  struct Mapping {
    uint64_t begin, end;
    bool readable_and_writable, stack;
    uint64_t inode;
  };

  Mappings() : fd_(host::open_own("/proc/self/maps", O_RDONLY)) {}
  ~Mappings() {
    if (fd_ >= 0) close(fd_);
  }
  Mappings(const Mappings&) = delete;
  Mappings& operator=(const Mappings&) = delete;

  // "begin-end rwxp offset device inode name"
  bool next(Mapping* mapping) {
    if (!more()) return false;
    *mapping = {};
    mapping->begin = number(16);
    ++at_;
    mapping->end = number(16);
    char rights[2] = {};
    skip_blanks();
    for (char& right : rights) right = take();
    mapping->readable_and_writable = rights[0] == 'r' && rights[1] == 'w';
    for (int field = 0; field < 3; ++field) {  // to the end of the rights, over offset and device
      while (more() && text_[at_] != ' ' && text_[at_] != '\n') ++at_;
      skip_blanks();
    }
    mapping->inode = number(10);
    skip_blanks();
    constexpr char of_process[] = "[stack]";
    unsigned same = 0;
    bool is_stack = true;
    for (char c = 0; (c = take()) != 0 && c != '\n'; ++same) {
      is_stack = is_stack && same < sizeof(of_process) - 1 && c == of_process[same];
    }
    mapping->stack = is_stack && same == sizeof(of_process) - 1;
    return mapping->begin < mapping->end;
  }

 private:
  bool more() {
    if (at_ < count_) return true;
    if (fd_ < 0) return false;
    ssize_t got = 0;
    do {
      got = read(fd_, text_, sizeof(text_));
    } while (got < 0 && errno == EINTR);
    at_ = 0;
    count_ = got > 0 ? static_cast<size_t>(got) : 0;
    return count_ > 0;
  }
  char take() { return more() ? text_[at_++] : '\0'; }
  void skip_blanks() {
    while (more() && text_[at_] == ' ') ++at_;
  }
  uint64_t number(unsigned base) {
    uint64_t value = 0;
    for (; more(); ++at_) {
      const char c = text_[at_];
      const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                             : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                                                    : base;
      if (digit >= base) break;
      value = value * base + digit;
    }
    return value;
  }

  int fd_;
  size_t at_ = 0, count_ = 0;
  char text_[1024];  // the program's stack may be small
};

// The kernel keeps this much below the process's first stack free for it to grow, or what the limit allows.
uint64_t room_to_grow() {
  constexpr uint64_t kept_free = uint64_t{128} << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > kept_free) return kept_free;
  return limit.rlim_cur;
}

// The process's first stack, if sp is in it: the kernel puts the path of the program at the end of it, and maps nothing
// in the room below. So the list, whose reading takes half a millisecond or more with a hundred libraries, is not
// needed.
bool is_first_stack(uint64_t sp, StackBounds::Range* range) {
  constexpr uint64_t page = 4096;  // of any size: its end is further, and all below is readable
  const char* path = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (!path) return false;
  const auto last = reinterpret_cast<uint64_t>(path) + strlen(path);
  const uint64_t room = room_to_grow();
  if (sp >= last || last - sp >= room) return false;
  const uint64_t end = (last | (page - 1)) + 1;
  *range = {end > room ? end - room : 0, end};
  return true;
}

// Where nothing tells what is mapped (no /proc): as far as the memory can be read, and not far.
StackBounds::Range readable_around(uint64_t sp) {
  constexpr uint64_t step = 4096, most = 64 * step;
  host::ReadableMemory memory;
  const uint64_t begin = sp & -step;
  uint64_t end = begin;
  while (end - begin < most && memory.has(end, 1)) end += step;
  return {begin, end};
}

}  // namespace

// Mappings that follow one another are one stack: rights or advice given to a part of it split them.
bool StackBounds::read_mappings(uint64_t sp, Range* range) {
  Mappings mappings;
  Mappings::Mapping m{};
  while (mappings.next(&m)) {
    if (sp >= m.end) continue;
    if (sp < m.begin) return false;
    *range = {m.begin, m.end};
    if (m.stack) range->begin = m.end > room_to_grow() ? m.end - room_to_grow() : 0;
    if (range->begin > m.begin) range->begin = m.begin;
    const uint64_t inode = m.inode;
    while (mappings.next(&m) && m.begin == range->end && m.readable_and_writable && m.inode == inode) {
      range->end = m.end;
    }
    return true;
  }
  return false;
}

StackBounds::Range StackBounds::around(uint64_t sp, bool anew) {
  for (Range& r : known_) {
    if (sp < r.begin || sp >= r.end) continue;
    if (!anew) return r;
    r = {};
  }
  const Inside inside;  // reading the list is no file I/O of the program
  const int saved = errno;
  Range range{};
  const bool listed = (!anew && is_first_stack(sp, &range)) || read_mappings(sp, &range);
  errno = saved;
  if (!listed) return readable_around(sp);
  known_[next_] = range;
  next_ = (next_ + 1) % most;
  return range;
}

}  // namespace leadline::recorder
