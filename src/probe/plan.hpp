// The probe's plan, an item a line (written by python/leadline/tuning/probing.py):
//
//   mpi PATH                                       the MPI library, loaded and not linked with
//   output PREFIX                                  each rank writes PREFIX.RANK, a JSON object a line
//   variable NAME                                  report its value in the ranks' environment
//   control NAME                                   report the value of MPI_T's control variable
//   function OFFSET NAME                           report when the function at OFFSET of the library is entered
//   eager BYTES                                    report the longest message, up to BYTES, that is sent unreceived
//   file PATH                                      open it, and report the hints that the library says it uses
//   memory BYTES                                   report where malloc takes so many bytes from
//   errant NAME VALUE                              a variable for ranks that send more, set before MPI_Init
//   point OPERATION BYTES PROCESSES HOW            call it once
//
// HOW is "even", as a program would call it; "timed", repeatedly, to measure the time through the preloaded libraries;
// or "uneven", with counts that are greater by one on the ranks that send. MPICH and Intel MPI describe that error with
// the names of the functions it happened in. Such a point is the plan's last. If settings depend on the size, those of
// the ranks that send more are made for their size, so that all choose the same algorithm. OPERATION is one of
// api/operations.toml. PROCESSES is a number of the job's first processes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "leadline/operations.hpp"

namespace leadline::probe {

struct Function {
  unsigned long offset;
  std::string name;
};

struct Point {
  collectives::Operation operation{};
  long bytes = 0;
  int processes = 0;
  bool uneven = false, timed = false;
};

struct Plan {
  std::string library, output;
  std::string file;  // empty: none is asked for
  std::vector<std::string> variables, controls;
  std::vector<std::pair<std::string, std::string>> errant;
  std::vector<Function> functions;
  std::vector<Point> points;
  long eager = 0, memory = 0;  // 0: not asked for
};

// False with a message on stderr where the file can't be read.
bool read_plan(const char* path, Plan* plan);

}  // namespace leadline::probe
