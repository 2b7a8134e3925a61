// The iterations of a run's main loop: how long they took on all ranks, which were slow, and which have times of single
// calls.
//
// Ranks may have timed different iterations: each times a loop from when it knows it. The time of an iteration is
// its mean over the ranks that timed it, and a mean over iterations counts each of them once, however many ranks timed
// it. Otherwise a slow iteration that few ranks timed would weigh little, and one that all timed would weigh much.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/loops.hpp"
#include "trace/process.hpp"
#include "trace/structure.hpp"

namespace leadline::analysis {

// A loop of one process whose iterations were timed.
struct ProcessLoop {
  bool found = false;
  uint32_t loop = 0;  // number in RunLoops; 0: repeated calls whose call paths are unknown
  size_t stream = 0;
  uint32_t site = 0;  // site of the anchor; the caller maps it
  bool after = false;
  trace::LoopTimes times;
  bool whole = false;             // the times of all calls were kept
  std::vector<uint64_t> sampled;  // iterations with times of their calls, including partners' iterations
  bool kept_any = false;
};
// `numbers`: by stream, the numbers in RunLoops of its loops.
std::vector<ProcessLoop> loops_of(const trace::Process& process, const std::vector<std::vector<uint32_t>>& numbers);
// Returns the run's main loop on each process; if there is none, the repetition that took most of the time. A process
// that does not see the main loop (all its work in an iteration is in an inner loop) has the loop that took most of its
// time.
std::vector<const ProcessLoop*> loops_to_merge(const std::vector<const std::vector<ProcessLoop>*>& processes,
                                               uint32_t main);

// Ranks that see other levels of the program's loops (one exchanges many times in a step with a rank that exchanges
// once with a third) count differently: this is the most common number of iterations, and the smallest in a tie, among
// the ranks that timed the loop `main` itself if there is one.
uint64_t usual_count(const std::vector<const ProcessLoop*>& loops, uint32_t main);

struct StripEntry {
  uint64_t first = 0, last = 0;  // iterations
  uint64_t timed = 0;            // of these, on the rank that timed most of them
  double mean_ns = 0, min_ns = 0, max_ns = 0;
  uint32_t max_process = 0;
  uint64_t max_iteration = 0;
};

inline constexpr double outlier_factor = 2;  // times the typical iteration

struct Outlier {
  uint64_t iteration = 0;
  uint32_t process = 0;  // the one that computed longest if that explains the outlier; else the one that took longest
  double time_ns = 0, typical_ns = 0, computation_ns = 0;
};

struct RunIterations {
  bool found = false;
  uint32_t loop = 0;     // number in RunLoops; 0: repeated calls, which the anchor delimits
  std::string missing;   // the reason if no loop was found: "none", "few", "apart", "small", "commands"
  uint32_t process = 0;  // its anchor names the loop
  uint32_t site = 0;     // site of that anchor
  bool after = false;    // an iteration ends with it
  uint64_t count = 0;
  double calls = 0;  // per iteration: the mean over the ranks of each rank's mean
  double mean_ns = 0, min_ns = 0, max_ns = 0;
  double typical_ns = 0;  // a few slow ones do not move it
  std::vector<StripEntry> strip;
  std::vector<Outlier> outliers;  // slowest first
  std::vector<uint64_t> sampled;  // on every process that goes through the loop; empty if some count differently
  std::string kept = "none";      // "full", "sampled", "none"
};
// `loops`: by process.
RunIterations merge_loops(const std::vector<const ProcessLoop*>& loops, uint32_t main);

}  // namespace leadline::analysis
