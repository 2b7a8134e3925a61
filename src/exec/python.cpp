#include "exec/python.hpp"

#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "exec/directory.hpp"
#include "exec/program.hpp"

namespace leadline::exec {

namespace {

std::vector<std::string> installed_command() {
  // Links are not followed: the command stands beside the name that we were started by.
  if (const auto* started = reinterpret_cast<const char*>(getauxval(AT_EXECFN))) {
    const std::string path = absolute(started);
    const std::string beside = path.substr(0, path.rfind('/') + 1) + "leadline";
    if (access(beside.c_str(), X_OK) == 0) return {beside};
  }
  const std::string found = executable("leadline");
  if (found.empty()) return {};
  return {absolute(found)};
}

}  // namespace

void become_python(const std::vector<std::string>& given, Part part, const std::vector<std::string>& arguments) {
  const std::vector<std::string> python = given.empty() ? installed_command() : given;
  if (python.empty()) return;
  setenv("LEADLINE_EXEC_PART", part == Part::exec ? "exec" : "keeper", 1);
  std::vector<char*> words;
  const auto add = [&](const std::string& word) { words.push_back(const_cast<char*>(word.c_str())); };
  for (const std::string& word : python) add(word);
  const std::string command = "exec";
  add(command);
  for (const std::string& word : arguments) add(word);
  words.push_back(nullptr);
  execv(words[0], words.data());
  unsetenv("LEADLINE_EXEC_PART");
}

}  // namespace leadline::exec
