// The frame every workload runs in: MPI started and ended, failures turned into one line and an exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace kit {

struct Session {
  int rank;
  int ranks;
};

// What the user asked for cannot be done. Every rank must throw it alike: the program then ends on all of them with
// exit code 2, rank 0 says why once, and nobody is left waiting.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Program {
  const char* name;
  const char* usage;  // printed for --help
  int (*body)(const Session& session, int argc, char** argv);
  bool has_threads = false;  // besides the main one, which makes all calls of MPI
};

// The exit code of the process: what `body` returned; 2 after a UsageError; 0 after --help. Any other exception is one
// rank's own failure (memory, disk), which the others cannot know of: it ends the run with MPI_Abort.
int run_program(const Program& program, int argc, char** argv);

}  // namespace kit
