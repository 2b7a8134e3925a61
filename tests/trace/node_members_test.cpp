// The file of a node: traces one after another, found again whatever lies between them (docs/reference/format.md).
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "../native/check.hpp"
#include "trace/checksum.hpp"
#include "trace/node_file.hpp"
#include "trace/reading/node_members.hpp"
#include "trace/reading/opened_file.hpp"

namespace {

using namespace leadline::trace;
using testing::check;

std::string member(const std::string& name, const std::string& trace) {
  MemberHeader h{};
  std::memcpy(h.magic, member_magic, sizeof(h.magic));
  h.version = member_version;
  h.name_size = static_cast<uint32_t>(name.size());
  h.trace_size = trace.size();
  h.crc = crc32c(&h.version, offsetof(MemberHeader, crc) - offsetof(MemberHeader, version));
  h.crc = crc32c(name.data(), name.size(), h.crc);
  return std::string(reinterpret_cast<const char*>(&h), sizeof(h)) + name + trace;
}

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/leadline-members-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() {
    const std::string command = "rm -rf '" + path_ + "'";
    if (std::system(command.c_str()) != 0) std::perror(path_.c_str());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& content) const {
    const std::string path = path_ + "/" + name;
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    check(write_all(fd, content), "written");
    close(fd);
    return path;
  }
  const std::string& path() const { return path_; }

 private:
  static bool write_all(int fd, const std::string& s) {
    return ::write(fd, s.data(), s.size()) == static_cast<ssize_t>(s.size());
  }
  std::string path_;
};

std::string content_of(const std::string& path) {
  const OpenedFile file(path);
  std::string bytes(file.size(), '\0');
  return file.error().empty() && file.read_at(0, bytes.data(), bytes.size()) ? bytes : "error: " + file.error();
}

void finds_what_was_appended(const Folder& folder) {
  const std::string path = folder.write(
      "h-1.traces", member("rank-00000-h-1.trace", "first") + member("rank-00001-h-2.trace", "second one"));
  const auto members = node_members(path);
  check(members.size() == 2, "two members");
  check(members[0].name == "rank-00000-h-1.trace" && members[0].whole && members[0].size == 5, "the first");
  check(content_of(path + "/rank-00000-h-1.trace") == "first", "the first one's bytes");
  check(content_of(path + "/rank-00001-h-2.trace") == "second one", "the second one's bytes");
  check(content_of(path + "/rank-00002-h-3.trace") == "error: no such trace in the node's file", "a third one");
  check(directory_of_trace(path + "/rank-00001-h-2.trace") == folder.path() + "/", "the run's directory");
  const OpenedFile second(path + "/rank-00001-h-2.trace");
  char beyond = 0;
  check(!second.read_at(10, &beyond, 1), "nothing beyond its end");
  const OpenedFile first(path + "/rank-00000-h-1.trace");
  check(!first.read_at(5, &beyond, 1), "not the next one's bytes");
}

void goes_on_after_what_was_cut_short(const Folder& folder) {
  const std::string whole = member("rank-00001-h-2.trace", "whole");
  const std::string cut = member("rank-00000-h-1.trace", std::string(1000, 'x')).substr(0, 500);
  for (const std::string& before : {cut, cut.substr(0, 40), cut.substr(0, 5), std::string("garbage"), std::string()}) {
    const auto members = node_members(folder.write("h-2.traces", before + whole + before));
    size_t found = 0;
    for (const NodeMember& one : members) {
      if (one.whole) ++found;
      if (one.whole) check(one.name == "rank-00001-h-2.trace" && one.size == 5, "what was written to its end");
    }
    check(found == 1 || before.empty(), "one was written to its end");
  }
}

void names_are_apart_and_harmless(const Folder& folder) {
  const auto twice = node_members(folder.write("h-3.traces", member("a.trace", "1") + member("a.trace", "2")));
  check(twice.size() == 2 && twice[1].name == "a-2.trace", "a name that was there");
  for (const std::string& name : {std::string("../a.trace"), std::string(".trace"), std::string(".a.trace"),
                                  std::string("a\n.trace"), std::string("a.live"), std::string(300, 'a') + ".trace"}) {
    check(node_members(folder.write("h-4.traces", member(name, "1"))).empty(), "no name of a trace");
  }
}

void damage_is_survived(const Folder& folder) {
  const std::string good = member("rank-00000-h-1.trace", std::string(200, 'a')) +
                           member("rank-00001-h-2.trace", std::string(300, 'b')) +
                           member("rank-00002-h-3.trace", std::string(100, 'c'));
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (uint32_t n = 1 + random() % 4; n > 0; --n) bad[random() % bad.size()] = static_cast<char>(random());
    if (random() % 2) bad.resize(random() % bad.size());
    uint64_t end = 0;
    for (const NodeMember& one : node_members(folder.write("h-5.traces", bad))) {
      check(one.begin >= end && one.begin + one.size <= bad.size(), "members lie in the file, one after another");
      end = one.begin + one.size;
    }
  }
}

void a_directory_may_have_such_a_name(const Folder& folder) {
  const std::string inner = folder.path() + "/my.traces";
  check(mkdir(inner.c_str(), 0700) == 0, "made");
  const std::string path = folder.write("my.traces/rank-00000-h-1.trace", "plain");
  check(content_of(path) == "plain", "a file in a directory");
  check(directory_of_trace(path) == inner + "/", "its directory");
}

}  // namespace

int main() {
  const Folder folder;
  finds_what_was_appended(folder);
  goes_on_after_what_was_cut_short(folder);
  names_are_apart_and_harmless(folder);
  damage_is_survived(folder);
  a_directory_may_have_such_a_name(folder);
  return testing::result();
}
