#include "recorder/job/node_record.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/kept_errno.hpp"
#include "host/own_file.hpp"
#include "trace/hash.hpp"
#include "trace/hash_of_text.hpp"

namespace leadline::recorder {
namespace {

constexpr char magic[8] = {'L', 'L', 'N', 'O', 'D', 'E', 'R', '1'};

char path[PATH_MAX];  // empty: this process's job has none

// Where live memory goes, unless there is no room.
const char* first_place() {
  const char* given = getenv("LEADLINE_LIVE");
  return given && given[0] == '/' ? given : "/dev/shm";
}

// Whether the job's ranks on this node can be told from others.
bool name_record(const char* asked, const Job& job) {
  if (!job.unique || job.spawned || job.alone) return false;
  const uint64_t hash = trace::mix(trace::hash_of_text(asked), trace::hash_of_text(job.identity));
  const int n = snprintf(path, sizeof(path), "%s/leadline-%u-%016llx.run", first_place(),
                         static_cast<unsigned>(geteuid()), static_cast<unsigned long long>(hash));
  constexpr int longest_end = 16;
  if (n > 0 && static_cast<size_t>(n) + longest_end < sizeof(path)) return true;
  path[0] = 0;
  return false;
}

bool is_ours(int fd) {
  struct stat s;
  return fstat(fd, &s) == 0 && s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH));
}

}  // namespace

bool read_node_record(const char* asked, const Job& job, NodeRecord* record) {
  const host::KeptErrno kept;
  if (!name_record(asked, job)) return false;
  const int fd = host::open_own(path, O_RDONLY);
  const bool whole =
      fd >= 0 && is_ours(fd) && read(fd, record, sizeof(*record)) == static_cast<ssize_t>(sizeof(*record));
  if (fd >= 0) close(fd);
  return whole && memcmp(record->magic, magic, sizeof(magic)) == 0 && record->size == sizeof(*record) &&
         strncmp(record->asked, asked, sizeof(record->asked)) == 0 &&
         strncmp(record->identity, job.identity, sizeof(record->identity)) == 0;
}

void leave_node_record(const char* asked, const Job& job, NodeRecord* record) {
  const host::KeptErrno kept;
  const host::HeldSignals held;
  if (!name_record(asked, job) || strncmp(record->live, path, static_cast<size_t>(strrchr(path, '/') - path + 1)) != 0)
    return;
  memcpy(record->magic, magic, sizeof(magic));
  record->size = sizeof(*record);
  snprintf(record->asked, sizeof(record->asked), "%s", asked);
  snprintf(record->identity, sizeof(record->identity), "%s", job.identity);
  static char temporary[sizeof(path)];  // the program's stack may be small
  const int length = snprintf(temporary, sizeof(temporary), "%s.%d", path, static_cast<int>(getpid()));
  if (length < 0 || static_cast<size_t>(length) >= sizeof(temporary)) return;
  unlink(temporary);
  const int fd = host::open_own(temporary, O_WRONLY | O_CREAT | O_EXCL);
  const bool whole = fd >= 0 && write(fd, record, sizeof(*record)) == static_cast<ssize_t>(sizeof(*record));
  if (fd >= 0) close(fd);
  if (whole && rename(temporary, path) == 0) return;
  if (fd >= 0) unlink(temporary);
}

void remove_node_record() {
  if (path[0]) unlink(path);
  path[0] = 0;
}

}  // namespace leadline::recorder
