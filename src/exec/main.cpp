// leadline-exec [OPTIONS] PROGRAM [ARGS]: becomes one recorded rank, as in `mpiexec -n 4 leadline-exec ./app`.
//
// Python's `leadline exec` opens about a thousand files on every rank before the program begins. This program makes the
// same environment with a handful, and becomes the program. What it cannot decide (a mistake, settings files, a
// sanitizer) it leaves to Python, which then does the whole of it.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/directory.hpp"
#include "exec/keeper.hpp"
#include "exec/options.hpp"
#include "exec/program.hpp"
#include "exec/python.hpp"
#include "exec/recorder.hpp"
#include "exec/settings_files.hpp"
#include "host/launcher_variables.hpp"

extern char** environ;

namespace {

using namespace leadline::exec;
namespace host = leadline::host;

constexpr int not_installed = 5;  // MissingPrerequisite.exit_code
constexpr const char* python_words = "--python-words=";

// Of a job with several ranks, one speaks for all.
bool speaks() {
  const host::LauncherVariables* launcher =
      host::launcher_with(&host::LauncherVariables::rank, &host::LauncherVariables::size);
  return !launcher || atoll(getenv(launcher->size)) < 2 || atoll(getenv(launcher->rank)) == 0;
}

// Whether it was said.
bool say_if_unwritable(const std::string& directory) {
  const int error = speaks() ? why_not_written(directory) : 0;
  if (!error) return false;
  fprintf(stderr,
          "leadline: cannot write to %s: %s; the program runs, and its recording will be lost\n"
          "leadline: choose another directory with -o DIR\n",
          directory.c_str(), strerror(error));
  return true;
}

// What this rank inherits from a recording of other jobs, or from a site that does not record every job: the user
// asked for this one.
bool is_of_others(const std::string& name) {
  return name == "LEADLINE_RUNS" || name == "LEADLINE_OFF" || name == "LEADLINE_ONE_IN";
}

// Our variables in place of those of the same name.
std::vector<std::string> environment_with(std::map<std::string, std::string> ours) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable; ++variable) {
    const std::string name(*variable, strcspn(*variable, "="));
    if (!is_of_others(name) && !ours.count(name)) all.emplace_back(*variable);
  }
  for (const auto& [name, value] : ours) all.push_back(std::string(name).append(1, '=').append(value));
  return all;
}

// Becomes the program. Returns if that is left to Python.
void become_program(char** words, const std::vector<std::string>& python_words) {
  Options options;
  if (!read_options(words, &options) || has_settings_file()) return;
  const Directory directory = directory_of_run(options.output);
  if (directory.path.empty() || directory.written_by_group) return;
  const std::string program = executable(options.program[0]);
  const std::string library = recorder_library();
  if (program.empty() || library.empty() || needs_a_closer_look(options.program, program)) return;

  std::map<std::string, std::string> ours = options.settings;
  ours["LD_PRELOAD"] = merged_preload(library);
  ours["LEADLINE_DIR"] = directory.path;
  if (directory.of_several) ours.emplace("LEADLINE_RUNS", "1");
  if (say_if_unwritable(directory.path))
    ours.emplace("LEADLINE_UNWRITABLE", "1");  // the recorder need not say it again
  std::vector<std::string> texts = environment_with(std::move(ours));
  std::vector<char*> variables;
  for (std::string& text : texts) variables.push_back(text.data());
  variables.push_back(nullptr);
  options.program.push_back(nullptr);

  watch(directory.path, python_words);
  execve(program.c_str(), options.program.data(), variables.data());
}

}  // namespace

int main(int, char** argv) {
  char** words = argv[0] ? argv + 1 : argv;
  std::vector<std::string> given;
  if (*words && !strncmp(*words, python_words, strlen(python_words))) {
    for (int left = atoi(*words++ + strlen(python_words)); left > 0 && *words; --left) given.push_back(*words++);
  }
  become_program(words, given);

  std::vector<std::string> rest;
  for (char** word = words; *word; ++word) rest.push_back(*word);
  become_python(given, Part::exec, rest);
  fprintf(stderr, "leadline-exec: cannot start the command leadline: it must be installed beside %s or be on PATH\n",
          argv[0] ? argv[0] : "leadline-exec");
  return not_installed;
}
