#include "exec/recorder.hpp"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "exec/directory.hpp"
#include "exec/is_file.hpp"

namespace leadline::exec {

namespace {

constexpr const char* file_name = "/libleadline.so";

// The folder of our own file, links followed.
std::string own_folder() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  if (length <= 0 || length == sizeof(path)) return "";
  const std::string file(path, static_cast<size_t>(length));
  return file.substr(0, file.rfind('/'));
}

// A wheel serves every version of Python, not only the one that it was built by.
std::string of_any_python(const std::string& root) {
  std::string found;
  for (const char* modules : {"/lib*/python3.*/site-packages", "/lib*/python3.*/dist-packages"}) {
    glob_t all{};
    if (glob((root + modules + "/leadline/lib" + file_name).c_str(), 0, nullptr, &all) == 0) found = all.gl_pathv[0];
    globfree(&all);
    if (!found.empty()) break;
  }
  return found;
}

// Within the package, or in the folder of commands of an environment, whose modules are in one of a few places.
std::string installed_library() {
  const std::string own = own_folder();
  if (own.empty()) return "";
  if (is_file(own + file_name)) return own + file_name;
  const std::string root = own.substr(0, own.rfind('/'));
  const std::string python = "/python" LEADLINE_PYTHON_VERSION;
  for (const std::string& modules :
       {"/lib" + python + "/site-packages", "/lib64" + python + "/site-packages", "/lib" + python + "/dist-packages",
        std::string("/lib/python3/dist-packages"), std::string()}) {
    const std::string library = root + modules + "/leadline/lib" + file_name;
    if (is_file(library)) return library;
  }
  return of_any_python(root);
}

}  // namespace

std::string recorder_library() {
  const char* given = getenv("LEADLINE_RECORDER");
  const std::string path = given && *given ? absolute(given) : installed_library();
  if (path.find_first_of(" :") != std::string::npos || (given && *given && !is_file(path))) return "";
  return path;
}

std::string merged_preload(const std::string& ours) {
  std::string merged = ours;
  const char* given = getenv("LD_PRELOAD");
  const std::string theirs = given ? given : "";
  for (size_t begin = 0; begin < theirs.size();) {
    const size_t end = std::min(theirs.find_first_of(": \t\n", begin), theirs.size());
    const std::string word = theirs.substr(begin, end - begin);
    if (!word.empty() && word != ours) merged += ":" + word;
    begin = end + 1;
  }
  return merged;
}

}  // namespace leadline::exec
