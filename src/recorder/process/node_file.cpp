#include "recorder/process/node_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "host/host_name.hpp"
#include "host/launcher_variables.hpp"
#include "host/own_file.hpp"
#include "recorder/job/run_files.hpp"
#include "recorder/job/run_path.hpp"
#include "trace/checksum.hpp"
#include "trace/node_file.hpp"

namespace leadline::recorder {
namespace {

constexpr int many_ranks = 16;  // of a node

// As the launcher says; 0: it does not. Slurm lists the nodes' numbers, "64(x2),32"; the first is near enough.
int ranks_of_node() {
  const char* text = host::from_launchers(&host::LauncherVariables::local_size);
  if (!text) text = host::variable("SLURM_STEP_TASKS_PER_NODE");
  return text ? atoi(text) : 0;
}

// What tells apart nodes, or containers on several nodes, that have one name: only ranks under one kernel append to a
// file of a network file system in turn.
bool read_boot(char* digits, size_t size) {
  const int fd = host::open_own("/proc/sys/kernel/random/boot_id", O_RDONLY);
  if (fd < 0) return false;
  const ssize_t n = read(fd, digits, size - 1);
  close(fd);
  digits[n > 0 ? n : 0] = 0;
  return n == static_cast<ssize_t>(size) - 1;
}

bool append_whole(int fd, iovec* parts, int count, size_t bytes) {
  ssize_t n = 0;
  do {
    n = writev(fd, parts, count);
  } while (n < 0 && errno == EINTR);
  if (n >= 0 && static_cast<size_t>(n) != bytes) errno = ENOSPC;  // what is there does not count
  return n == static_cast<ssize_t>(bytes);
}

}  // namespace

bool has_node_file() {
  const char* asked = getenv("LEADLINE_TRACE_FILES");
  if (asked && strcmp(asked, "node") == 0) return true;
  if (asked && strcmp(asked, "rank") == 0) return false;
  return ranks_of_node() >= many_ranks;
}

bool append_to_node_file(const char* name, const trace::ByteSink& trace) {
  char boot[9];
  if (!read_boot(boot, sizeof(boot))) return false;
  static FilePath path;  // the program's stack may be small
  const host::NameInFiles host;
  file_in_run(&path, "%s-%s%s", host.text, boot, trace::node_file_suffix);
  trace::MemberHeader header{};
  memcpy(header.magic, trace::member_magic, sizeof(header.magic));
  header.version = trace::member_version;
  header.name_size = static_cast<uint32_t>(strnlen(name, trace::longest_member_name));
  header.trace_size = trace.size();
  constexpr size_t checked = offsetof(trace::MemberHeader, crc) - offsetof(trace::MemberHeader, version);
  header.crc = trace::crc32c(name, header.name_size, trace::crc32c(&header.version, checked));
  const host::HeldSignals held;
  const int fd = open_in_run(path.text, O_WRONLY | O_CREAT | O_APPEND);
  if (fd < 0) return false;
  iovec parts[] = {{&header, sizeof(header)},
                   {const_cast<char*>(name), header.name_size},
                   {const_cast<uint8_t*>(trace.data()), trace.size()}};
  const bool whole = append_whole(fd, parts, 3, sizeof(header) + header.name_size + trace.size());
  return close(fd) == 0 && whole;  // a network file system reports errors only then
}

}  // namespace leadline::recorder
