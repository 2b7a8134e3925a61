// The command line of `leadline exec`, and the settings files and variables that stand in for its options.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace leadline::exec {

struct Options {
  bool has_output = false;
  std::string output;                           // as given
  std::map<std::string, std::string> settings;  // the recorder's variables and their values
  std::vector<char*> program;                   // the program's words
};

// False where the words need Python: a mistake, --help, or a value that is written in an unusual way. Python then says
// what is wrong, or runs the program itself.
bool read_options(char** words, Options* out);

}  // namespace leadline::exec
