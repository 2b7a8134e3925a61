#include "exec/directory.hpp"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace leadline::exec {

namespace {

constexpr const char* default_parent = "leadline-runs";  // run_directory.DEFAULT_PARENT

// Whether there are traces whose job is unknown: an older Leadline did not write down which job a run belongs to.
bool is_unclaimed_run(const std::string& directory) {
  if (access((directory + "/job.json").c_str(), F_OK) == 0) return false;
  DIR* opened = opendir(directory.c_str());
  if (!opened) return false;
  bool traces = false;
  while (const dirent* entry = readdir(opened)) {
    const std::string_view name = entry->d_name;
    if (name.starts_with(".")) continue;
    for (const char* kind : {".trace", ".traces", ".live", ".away"}) traces |= name.ends_with(kind);
  }
  closedir(opened);
  return traces;
}

// Some file systems, such as /proc, refuse what their permissions allow. The name is this process's own, so that ranks
// are not in each other's way.
int why_nothing_is_made_in(const std::string& path) {
  const std::string tried = path + "/.leadline-" + std::to_string(getpid());
  if (mkdir(tried.c_str(), 0700) != 0) return errno == EEXIST ? 0 : errno;
  rmdir(tried.c_str());
  return 0;
}

std::string working_directory() {
  char here[PATH_MAX];
  return getcwd(here, sizeof(here)) ? here : "";
}

}  // namespace

std::string absolute(const std::string& path) {
  std::string whole = path;
  if (!path.starts_with('/')) {
    static const std::string here = working_directory();
    if (here.empty()) return "";
    whole = here + "/" + path;
  }
  std::string out;
  for (size_t begin = 0; begin < whole.size();) {
    const size_t end = std::min(whole.find('/', begin), whole.size());
    const std::string part = whole.substr(begin, end - begin);
    if (!part.empty() && part != ".") out += "/" + part;
    begin = end + 1;
  }
  return out.empty() ? "/" : out;
}

Directory directory_of_run(const std::string& asked) {
  Directory found{absolute(asked.empty() ? default_parent : asked)};
  struct stat status;
  const bool exists = stat(found.path.c_str(), &status) == 0;
  found.written_by_group = exists && (status.st_mode & S_IWGRP) && status.st_gid != status.st_uid;
  const char* inherited = getenv("LEADLINE_DIR");
  if (asked.empty()) {
    found.of_several = true;
  } else if (inherited && found.path == inherited) {
    const char* runs = getenv("LEADLINE_RUNS");
    found.of_several = runs && *runs;
  } else {
    found.of_several = exists && is_unclaimed_run(found.path);
  }
  return found;
}

int why_not_written(const std::string& directory) {
  for (std::string path = directory;; path.resize(path.rfind('/'))) {
    // The dot makes it an error if this is a file.
    if (access((path + "/.").c_str(), W_OK | X_OK) == 0) return why_nothing_is_made_in(path);
    if (errno != ENOENT || path.empty()) return errno;
  }
}

}  // namespace leadline::exec
