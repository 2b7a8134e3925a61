#include "recording/reading/process_files.hpp"

#include <dirent.h>
#include <errno.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>
#include <tuple>

#include "recording/reading/salvage.hpp"
#include "trace/node_file.hpp"
#include "trace/reading/decode.hpp"
#include "trace/reading/kept_times.hpp"
#include "trace/reading/node_members.hpp"

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

struct Found {
  std::string name;  // of the trace or the live file
  std::string path;  // in the run's directory
};

}  // namespace

std::vector<std::string> trace_files(const std::string& directory, trace::ReadError* error) {
  std::vector<Found> found, cut;
  std::vector<std::string> lives;
  DIR* dir = opendir(directory.c_str());
  if (!dir) {
    error->message = directory + ": " + std::strerror(errno);
    return {};
  }
  while (const dirent* entry = readdir(dir)) {
    const std::string name = entry->d_name;
    if (ends_with(name, ".trace")) found.push_back({name, name});
    if (ends_with(name, ".live")) lives.push_back(name);
    if (!ends_with(name, trace::node_file_suffix)) continue;
    for (const trace::NodeMember& member : trace::node_members(directory + "/" + name)) {
      (member.whole ? found : cut).push_back({member.name, name + "/" + member.name});
    }
  }
  closedir(dir);
  const size_t finished = found.size();
  std::set<std::string> stems;
  for (const Found& trace : found) stems.insert(stem_of(trace.name));
  for (const std::string& live : lives) {
    if (!stems.contains(live.substr(0, live.size() - 5))) found.push_back({live, live});
  }
  // Of a trace that was cut short, memory or another attempt has more.
  for (size_t i = finished; i < found.size(); ++i) stems.insert(found[i].name.substr(0, found[i].name.size() - 5));
  for (const Found& trace : cut) {
    if (stems.insert(stem_of(trace.name)).second) found.push_back(trace);
  }
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return std::tie(a.name, a.path) < std::tie(b.name, b.path); });
  std::vector<std::string> paths;
  for (const Found& one : found) paths.push_back(directory + "/" + one.path);
  return paths;
}

}  // namespace leadline::recording
