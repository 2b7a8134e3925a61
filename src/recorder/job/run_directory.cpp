#include "recorder/job/run_directory.hpp"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/kept_errno.hpp"
#include "recorder/job/job.hpp"
#include "recorder/job/job_claim.hpp"
#include "recorder/job/left_out.hpp"
#include "recorder/job/run_files.hpp"
#include "trace/hash_of_text.hpp"

namespace leadline::recorder {

namespace {

constexpr int longest_directory_name = Job::longest_name + 32;

char asked[PATH_MAX];
bool fits = true;
bool diverted = false;
constinit Job job;
NodeRecord record;  // as it was read, or is left
bool has_record = false, is_claimed = false;

// The environment and working directory at the start of the process: both may change later.
void look() {
  if (asked[0]) return;
  const char* text = getenv("LEADLINE_DIR");
  if (!text || !*text || is_switched_off()) return;
  size_t n = 0;
  if (text[0] != '/') {
    if (!getcwd(asked, sizeof(asked))) return;
    n = strlen(asked);
    if (n + 1 < sizeof(asked)) asked[n++] = '/';
  }
  fits = n + strlen(text) + 1 + longest_directory_name + longest_file_name < sizeof(asked);
  if (fits) strcpy(asked + n, text);
}

__attribute__((constructor(103))) void look_at_the_environment() {
  const host::KeptErrno kept;
  look();
}

// Of the run's own directory: only its owner writes it, whatever the umask.
constexpr mode_t own_directory = 0755;

// Together with its parents: a node may lack folders that the others share.
bool make_directory(char* path) {
  if (mkdir(path, own_directory) == 0 || errno == EEXIST) return true;
  if (errno != ENOENT) return false;
  for (char* at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = 0;
    const bool made = mkdir(path, 0777) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES;
    *at = '/';
    if (!made) return false;
  }
  return mkdir(path, own_directory) == 0 || errno == EEXIST;
}

bool may_be_shared() {
  const char* given = getenv("LEADLINE_SHARED_DIRECTORY");
  return given && *given && strcmp(given, "0") != 0;
}

// Of the folder of several runs that `leadline exec` names: where it is sticky, others add only their own.
const char* who_else_replaces() {
  Directory directory = {{}, true};
  if (stat(asked, &directory.status) != 0 || directory.status.st_mode & S_ISVTX) return nullptr;
  return who_else_writes(asked, directory);
}

// The number-th directory that the job may take, the first being 0.
void name_candidate(bool below, int number) {
  strcpy(run_directory_path, asked);
  if (number == 0 && !below) return;
  strcat(run_directory_path, "/");
  strcat(run_directory_path, job.name);
  const int again = below ? number : number - 1;
  if (again == 0) return;
  const uint64_t hash = trace::hash_of_text(job.identity);
  char* end = run_directory_path + strlen(run_directory_path);
  snprintf(end, 32, again == 1 ? "-%08x" : "-%08x-%d", static_cast<unsigned>(hash >> 32), again);
}

}  // namespace

const char* asked_directory() {
  look();  // set by the program itself, or asked for by a constructor before ours
  return asked;
}

bool run_directory_fits() { return fits; }

const char* choose_run_directory() {
  // A child of a process that never called MPI continues what its parent began.
  if (job.alone && run_directory_path[0]) return nullptr;
  find_job(&job);
  has_record = read_node_record(asked, job, &record) && remember_directory_of(record.run, record.device, record.inode);
  if (has_record) {
    snprintf(run_directory_path, sizeof(run_directory_path), "%s", record.run);
    diverted = record.diverted;
    return nullptr;
  }
  // `leadline exec` names the folder of all runs, and this one is named for its job.
  const char* runs = getenv("LEADLINE_RUNS");
  const bool below = runs && *runs;
  const bool shared = may_be_shared();
  if (const char* who = shared || !below ? nullptr : who_else_replaces()) {
    strcpy(run_directory_path, asked);
    return who;
  }
  constexpr int most = 1000;
  for (int number = 0; number < most; ++number) {
    name_candidate(below, number);
    diverted = number > 0;
    Directory directory;
    const bool there = remember_directory(run_directory_path, &directory);
    if (!there && (!make_directory(run_directory_path) || !remember_directory(run_directory_path, &directory))) {
      return nullptr;
    }
    const char* who = shared ? nullptr : who_else_writes(run_directory_path, directory);
    if (who) return who;
    record.device = directory.status.st_dev;
    record.inode = directory.status.st_ino;
    const Claim claim = claim_directory(run_directory_path, job);
    is_claimed = claim == Claim::ours;
    if (claim != Claim::of_another) return nullptr;
  }
  return nullptr;
}

const NodeRecord* node_record() { return has_record ? &record : nullptr; }

void tell_node(const char* live, trace::LiveMemoryKind kind, uint64_t file_system, uint64_t live_file_system) {
  if (!is_claimed) return;
  record.live_kind = kind;
  record.diverted = diverted;
  record.file_system = file_system;
  record.live_file_system = live_file_system;
  snprintf(record.run, sizeof(record.run), "%s", run_directory_path);
  snprintf(record.live, sizeof(record.live), "%s", live);
  leave_node_record(asked, job, &record);
}

bool is_diverted() { return diverted && !job.spawned; }

}  // namespace leadline::recorder
