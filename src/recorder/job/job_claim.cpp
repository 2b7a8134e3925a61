#include "recorder/job/job_claim.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "host/host_name.hpp"
#include "host/launcher_variables.hpp"
#include "host/own_file.hpp"
#include "recorder/job/run_files.hpp"

namespace leadline::recorder {
namespace {

// Text of a fixed size, in which JSON is put together.
class Text {
 public:
  void clear() { used_ = 0; }
  void add(const char* text) {
    while (*text) put(*text++);
  }
  void add_word(const char* text) {
    put('"');
    for (; *text; ++text) {
      const auto c = static_cast<unsigned char>(*text);
      if (c < 0x20) {
        char code[8];
        snprintf(code, sizeof(code), "\\u%04x", c);
        add(code);
        continue;
      }
      if (c == '"' || c == '\\') put('\\');
      put(*text);
    }
    put('"');
  }
  void add_member(const char* name, const char* value, const char* before = ",\n  ") {
    if (!value) return;
    add(before);
    add_word(name);
    add(": ");
    add_word(value);
  }
  const char* data() const { return text_; }
  size_t size() const { return used_; }

 private:
  void put(char c) {
    if (used_ < sizeof(text_)) text_[used_++] = c;
  }
  char text_[32768] = {};
  size_t used_ = 0;
};

void describe_batch_job(Text* text) {
  for (const host::BatchVariables& s : host::batch_systems) {
    const char* id = s.ambiguous ? nullptr : host::variable(s.id);
    if (!id) continue;
    text->add(",\n  \"batch\": {");
    text->add_member("system", s.system, "");
    text->add_member("id", id, ", ");
    const char* const more[][2] = {{"name", s.name},           {"partition", s.partition},   {"nodes", s.nodes},
                                   {"array_job", s.array_job}, {"array_task", s.array_task}, {"restarts", s.restarts},
                                   {"end_time", s.end_time}};
    for (const auto& [member, variable] : more) {
      text->add_member(member, host::variable(variable), ", ");
    }
    text->add("}");
    return;
  }
}

// The part that others compare. The number of ranks distinguishes some jobs whose identity may be reused.
void begin_description(const Job& job, Text* text) {
  text->add("{");
  text->add_member("job", job.identity, "\n  ");
  text->add_member("name", job.name);
  if (job.unique || job.spawned) return;
  char ranks[32];
  snprintf(ranks, sizeof(ranks), "%lld", host::launcher_ranks());
  text->add_member("ranks", ranks);
}

void end_description(Text* text) {
  utsname host{};
  uname(&host);
  text->add_member("host", host.nodename);
  describe_batch_job(text);
  text->add("\n}\n");
}

bool write_whole(const char* path, const Text& text) {
  const int fd = open_in_run(path, O_WRONLY | O_CREAT | O_EXCL);
  if (fd < 0) return false;
  const ssize_t wrote = write(fd, text.data(), text.size());
  const int error = wrote < 0 ? errno : ENOSPC;
  const bool whole = wrote == static_cast<ssize_t>(text.size());
  close(fd);
  if (!whole) {
    unlink_in_run(path);
    errno = error;
  }
  return whole;
}

// Whether the job of whoever spawned this one has claimed the directory: it has our name, or it was no job of a
// launcher's before it spawned.
bool is_of_parent(const char* theirs, const Job& job) {
  constexpr const char* member = "\n  \"name\": \"";
  const char* name = strstr(theirs, member);
  if (!name) return false;
  name += strlen(member);
  const size_t n = strlen(job.name);
  return strncmp(name, "alone-", strlen("alone-")) == 0 || (strncmp(name, job.name, n) == 0 && name[n] == '"');
}

// Whether the job that has claimed the directory is this one.
Claim compare(const char* path, const Job& job, const Text& ours) {
  static char theirs[4096];  // its beginning is enough
  const int fd = open_in_run(path, O_RDONLY);
  if (fd < 0) return Claim::failed;
  const ssize_t got = read(fd, theirs, sizeof(theirs) - 1);
  close(fd);
  theirs[got > 0 ? got : 0] = 0;
  const bool same = job.spawned ? is_of_parent(theirs, job) : strncmp(theirs, ours.data(), ours.size()) == 0;
  return same ? Claim::ours : Claim::of_another;
}

// Whether no process with this rank's number was here before.
Claim leave_number(const char* directory) {
  static char path[PATH_MAX];
  const long long rank = host::launcher_rank();
  if (rank < 0) return Claim::ours;
  snprintf(path, sizeof(path), "%s/.rank-%lld", directory, rank);
  const int fd = open_in_run(path, O_WRONLY | O_CREAT | O_EXCL);
  if (fd < 0) return errno == EEXIST ? Claim::of_another : Claim::failed;
  close(fd);
  return Claim::ours;
}

}  // namespace

Claim claim_directory(const char* directory, const Job& job) {
  static constinit Text text;  // the program's stack may be small
  static char path[PATH_MAX], temporary[PATH_MAX];
  const host::NameInFiles host;
  snprintf(path, sizeof(path), "%s/job.json", directory);
  text.clear();
  begin_description(job, &text);
  Claim claim = compare(path, job, text);
  if (claim == Claim::failed && errno == ENOENT) {
    static constinit Text whole;
    whole.clear();
    begin_description(job, &whole);
    end_description(&whole);
    const host::HeldSignals held;
    snprintf(temporary, sizeof(temporary), "%s/.job-%.64s-%d.tmp", directory, host.text, static_cast<int>(getpid()));
    unlink_in_run(temporary);
    if (!write_whole(temporary, whole)) return Claim::failed;
    // The link fails if the file exists, and is complete at once. Without hard links, the last to rename it wins.
    const bool claimed = link_in_run(temporary, path) == 0;
    if (!claimed && errno != EEXIST && !is_in_run(path) && rename_in_run(temporary, path) != 0) {
      unlink_in_run(temporary);
      return Claim::failed;
    }
    unlink_in_run(temporary);
    claim = compare(path, job, text);
  }
  return claim != Claim::ours || job.unique || job.spawned ? claim : leave_number(directory);
}

}  // namespace leadline::recorder
