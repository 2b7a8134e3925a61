#include "recording/reading/process_files.hpp"

#include <dirent.h>
#include <errno.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "recording/reading/salvage.hpp"
#include "trace/reading/decode.hpp"
#include "trace/reading/kept_times.hpp"

namespace leadline::recording {

namespace {

bool ends_with(const std::string& s, const char* end) {
  const size_t n = std::strlen(end);
  return s.size() >= n && s.compare(s.size() - n, n, end) == 0;
}

trace::ReadError read_live(const std::string& path, trace::Process* process) {
  trace::read_part(path.substr(0, path.size() - 5) + ".part", process);
  const std::string wrong = salvage(path, process);
  if (!wrong.empty()) return {path + ": " + wrong};
  process->complete = false;
  return {};
}

}  // namespace

trace::ReadError read_process(const std::string& path, trace::Process* process, trace::FilesRead* files, bool keep) {
  *process = trace::Process{};
  process->file = path;
  process->kept_times = std::make_shared<trace::KeptTimes>();
  trace::ReadError error =
      ends_with(path, ".live") ? read_live(path, process) : trace::read_trace(path, process, files, keep);
  if (error.message.empty()) trace::finish_process(process);
  if (keep && files && process->complete) files->remember(path, *process);
  return error;
}

namespace {

// rank-00003-<stem>.trace replaces <stem>.live; empty if the name has another form.
std::string stem_of(const std::string& trace) {
  if (trace.rfind("rank-", 0) != 0) return "";
  size_t at = 5;
  if (at < trace.size() && trace[at] == '-') ++at;  // the process never learnt its rank
  while (at < trace.size() && std::isdigit(static_cast<unsigned char>(trace[at]))) ++at;
  return at + 7 <= trace.size() ? trace.substr(at + 1, trace.size() - at - 7) : "";
}

}  // namespace

std::vector<std::string> trace_files(const std::string& directory, trace::ReadError* error) {
  std::vector<std::string> traces, lives;
  DIR* dir = opendir(directory.c_str());
  if (!dir) {
    error->message = directory + ": " + std::strerror(errno);
    return {};
  }
  while (const dirent* entry = readdir(dir)) {
    const std::string name = entry->d_name;
    if (ends_with(name, ".trace")) traces.push_back(name);
    if (ends_with(name, ".live")) lives.push_back(name);
  }
  closedir(dir);
  const auto finished = traces;
  for (const std::string& live : lives) {
    const std::string stem = live.substr(0, live.size() - 5);
    if (std::none_of(finished.begin(), finished.end(), [&](const std::string& t) { return stem_of(t) == stem; })) {
      traces.push_back(live);
    }
  }
  std::sort(traces.begin(), traces.end());
  for (std::string& t : traces) t = directory + "/" + t;
  return traces;
}

}  // namespace leadline::recording
