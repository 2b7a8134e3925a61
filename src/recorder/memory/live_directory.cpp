#include "recorder/memory/live_directory.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "host/own_file.hpp"
#include "recorder/job/run_files.hpp"
#include "recorder/library/functions.hpp"
#include "trace/file_systems.hpp"

namespace leadline::recorder {

namespace {

// A rank takes some megabytes, and in memory these are taken from the program: much more than that must be free.
constexpr uint64_t least_free = uint64_t{256} << 20;

uint64_t hash_of(const char* text) {
  uint64_t h = 14695981039346656037u;
  for (const char* c = text; *c; ++c) h = (h ^ static_cast<unsigned char>(*c)) * 1099511628211u;
  return h;
}

// Replaces the file in one step, since others may read it at any time.
bool write_file(const char* path, const char* text) {
  const int fd = open_in_run(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (fd < 0) return false;
  const size_t n = strlen(text);
  const bool written = write(fd, text, n) == static_cast<ssize_t>(n);
  return close(fd) == 0 && written;
}

}  // namespace

// The directory that another rank of the job has taken, if it still is there.
bool LiveDirectory::take_over(const NodeRecord& record, const char* host) {
  struct stat s;
  if (lstat(record.live, &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != geteuid()) return false;
  snprintf(directory_.text, sizeof(directory_.text), "%s", record.live);
  file_in_run(&pointer_, "%.64s.away", host);
  kind_ = record.live_kind;
  file_system_ = record.file_system;
  live_file_system_ = record.live_file_system;
  return true;
}

void LiveDirectory::choose(const char* host) {
  using Kind = trace::LiveMemoryKind;
  using Reason = trace::LiveMemoryReason;
  const NodeRecord* known = node_record();
  if (known && take_over(*known, host)) {
    away_ = true;
    return;
  }
  struct statfs of;
  if (statfs(run_directory(), &of) != 0) return;  // creating the file will say why
  file_system_ = live_file_system_ = static_cast<uint64_t>(of.f_type) & 0xffffffff;
  const char* given = getenv("LEADLINE_LIVE");
  const bool chosen = given && given[0] == '/';
  if (given && strcmp(given, "run") == 0) {
    if (!trace::is_local(file_system_)) reason_ = Reason::asked_for;
    return;
  }
  if (!chosen && trace::is_local(file_system_)) return;
  file_in_run(&pointer_, "%.64s.away", host);
  const HeldSignals held;
  const int saved = errno;
  const char* temporary = getenv("TMPDIR");
  if (chosen) {
    away_ = take(given, Kind::chosen);
  } else {
    away_ = take("/dev/shm", Kind::memory) || (temporary && temporary[0] == '/' && take(temporary, Kind::disk)) ||
            take("/tmp", Kind::disk) || take("/var/tmp", Kind::disk);
  }
  if (away_) {
    reason_ = Reason::none;
    if (is_new_) tell_node(directory_.text, kind_, file_system_, live_file_system_);
  }
  errno = saved;
}

// A directory of ours in `base`. The process that makes it records its place.
bool LiveDirectory::take(const char* base, trace::LiveMemoryKind kind) {
  using Reason = trace::LiveMemoryReason;
  struct statfs of;
  if (statfs(base, &of) != 0) return reason_ = reason_ == Reason::none ? Reason::nowhere : reason_, false;
  const uint64_t file_system = static_cast<uint64_t>(of.f_type) & 0xffffffff;
  if (kind != trace::LiveMemoryKind::chosen) {
    if (!trace::is_local(file_system)) {
      return reason_ = reason_ == Reason::none ? Reason::nowhere : reason_, false;
    }
    if (static_cast<uint64_t>(of.f_bavail) * static_cast<uint64_t>(of.f_bsize) < least_free) {
      return reason_ = Reason::too_little, false;
    }
  }
  const int n = snprintf(directory_.text, sizeof(directory_.text), "%s/leadline-%u-%016llx", base,
                         static_cast<unsigned>(geteuid()), static_cast<unsigned long long>(hash_of(run_directory())));
  if (n < 0 || static_cast<size_t>(n) + longest_file_name + 1 >= sizeof(directory_.text)) return false;
  const bool made = mkdir(directory_.text, S_IRWXU) == 0;
  struct stat s;
  if (!made && (errno != EEXIST || lstat(directory_.text, &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != geteuid())) {
    return reason_ = Reason::refused, false;  // somebody else's, or no permission
  }
  kind_ = kind;
  is_new_ = made;
  live_file_system_ = file_system;
  if (made && !tell_where()) {  // it could not be found again
    rmdir(directory_.text);
    kind_ = trace::LiveMemoryKind::run;
    live_file_system_ = file_system_;
    return reason_ = Reason::refused, false;
  }
  return true;
}

bool LiveDirectory::on_local_disk() const {
  return trace::is_local(live_file_system_) && !trace::is_in_memory(live_file_system_);
}

bool LiveDirectory::tell_where() const {
  static char line[sizeof(FilePath) + 2];  // the program's stack may be small
  snprintf(line, sizeof(line), "%s\n", directory_.text);
  return write_file(pointer_.text, line);
}

void LiveDirectory::leave() {
  if (!away_ || rmdir(directory_.text) != 0) return;  // others are still there
  remove_node_record();
  unlink_in_run(pointer_.text);
  if (access(directory_.text, F_OK) == 0) tell_where();  // another one has come meanwhile
}

void LiveDirectory::file(FilePath* path, const char* stem, const char* suffix) const {
  if (!away_) return file_in_run(path, "%s.%s", stem, suffix);
  const int n = snprintf(path->text, sizeof(path->text), "%s/%s.%s", directory_.text, stem, suffix);
  if (n < 0 || static_cast<size_t>(n) >= sizeof(path->text)) path->text[0] = 0;  // take() has seen to it
}

void LiveDirectory::describe(recording::LiveConditions* into) const {
  into->file_system = file_system_;
  into->live_kind = static_cast<uint32_t>(kind_);
  into->live_reason = static_cast<uint32_t>(reason_);
}

}  // namespace leadline::recorder
