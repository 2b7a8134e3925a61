// The phases of a run, from where its calls are made and in which iterations of the main loop: initialisation, the main
// loop, what recurs in some of its iterations only, loops within it, finalisation. Times are the profile's exact sums;
// the time before a call belongs to the phase of the call, but for what comes before or after visits to a loop.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/phases/occurrences.hpp"
#include "analysis/profile.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

// Of one process, ns, on its threads that call MPI.
struct PhaseTime {
  double computation = 0;  // between calls, without file I/O
  double mpi = 0;          // without file I/O, MPI_Init and MPI_Finalize
  double io = 0;           // MPI_File_* and libc's file calls
  double startup = 0;      // MPI_Init and MPI_Finalize
  double sum() const { return computation + mpi + io + startup; }
};

struct Phase {
  enum class Kind : uint8_t { init, loop, recurring, inner, final };
  Kind kind = Kind::init;
  uint32_t loop = 0;              // of the run: the main loop, or the inner one
  std::vector<uint32_t> sites;    // numbers in the profile
  std::vector<double> share;      // of each site's time that belongs to it
  bool writes = false;            // data are written to files in it
  uint32_t region = 0;            // the innermost named region that all its calls are in; 0: none
  uint64_t iterations = 0;        // of the main loop in which it occurs
  uint64_t every = 0;             // it occurs in every n-th iteration; 0: not regularly
  uint64_t inner_iterations = 0;  // of an inner loop, in all of them on the median process
  std::vector<PhaseTime> times;   // by process
};

struct RunPhases {
  std::vector<Phase> phases;  // in the order of their times; recurring ones and inner loops after the main loop
  uint64_t iterations = 0;    // of the main loop on the median process
  bool recurring_known = true;
};

class PhaseFinder {
 public:
  // The profile has all processes of the run and outlives this.
  explicit PhaseFinder(const Profile& profile);
  ~PhaseFinder();
  // All processes again, in the profile's order.
  void add(const trace::Process& process, uint32_t index);
  // Once, after the last process. `paths`: for each call site of the profile, the routines that lead to it as numbers.
  // What is reached in every iteration by one way or another does not recur in some of them.
  RunPhases find(const std::vector<std::vector<uint32_t>>& paths);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leadline::analysis
