// Where the traces of this run go: $LEADLINE_DIR as it was when the program began, for the program may change its
// working directory and its environment before it comes to MPI.
//
// A directory holds one job (recorder/job.hpp). Whoever comes first claims it with the file job.json; the ranks of
// another job, such as a second mpiexec of one script, find that and go to a directory within, named for their own.
// Where even two jobs may seem to be one, each rank leaves its number, and one that finds its own there goes on to the
// next directory: one job after the other is told apart so.
#pragma once

#include <limits.h>

namespace leadline::recorder {

inline constexpr int longest_file_name = 255;

struct FilePath {
  char text[PATH_MAX];
};

// What was asked for, an absolute path; empty where nothing is to be recorded.
const char* asked_directory();
// Whether the paths of its files fit the system's limits.
bool run_directory_fits();
// Finds or makes the directory of this process's job. Where it can't be written, that shows with the first file.
void choose_run_directory();
// What was chosen.
const char* run_directory();
// Whether it is another one than asked for, because that holds the run of a job that did not spawn this one.
bool is_diverted();

// The path of a file in it.
void file_in_run(FilePath* path, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace leadline::recorder
