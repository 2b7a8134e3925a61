// The loops of a run's source: loops of all ranks with one calling context and one header are one loop. The program's
// main loop is chosen among them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "structure/shape_pool.hpp"
#include "trace/main_loop.hpp"
#include "trace/process.hpp"
#include "trace/structure.hpp"

namespace leadline::analysis {

// One process's figures for a loop: those of the thread that spent most time in it.
struct LoopCell {
  uint32_t process = 0;
  uint32_t thread = 0;
  uint64_t repeats = 0, entries = 0;
  uint64_t calls = 0;
  double time_ns = 0, typical_ns = 0;  // typical_ns: the time if every call had taken the usual time of its site
  bool has_mpi = false;
  bool silent = false, about = false, by_time = false;  // see trace::SourceLoop
  uint32_t sites = 0;                                   // call sites within it
  structure::LoopShape shape;
  uint64_t iterations() const { return repeats + entries; }
  bool unsure() const { return about || by_time; }
};

struct RunLoop {
  uint32_t outer = 0;                 // the next loop around it; 0: none
  trace::Frame header, last;          // see trace::SourceLoop; modules are the run's
  std::vector<trace::Frame> callers;  // callers of the routine it is in, the innermost first
  std::vector<trace::Frame> calls;    // calls in its routine that lead to MPI from within it, ascending
  bool by_order = false;
  // On some process it may have had more iterations than the calls show; or only the time between calls shows where
  // they begin. Where processes differ, it is what most of them say.
  bool silent = false, about = false;
  bool cut = false;             // half of the processes or more were in it when they died, or their trace ends there
  std::vector<LoopCell> cells;  // ascending by process

  const LoopCell* cell(uint32_t process) const;
  // Whether the process's number of iterations counts: not if time shows iterations on a few processes alone, nor on
  // the few where it does not.
  bool counts(const LoopCell& cell) const { return silent ? !cell.unsure() : !(about && cell.silent); }

  void add(const LoopCell& cell);  // that of a further thread of the last process, or of another process

 private:
  void count(const LoopCell& cell, int by);
  int32_t silent_on_ = 0, about_on_ = 0, unsure_on_ = 0, cut_on_ = 0, counted_ = 0;  // processes
};

// Whether ranks with these numbers of iterations count the same: the last iterations of a truncated run may differ.
bool similar_counts(uint64_t a, uint64_t b);

// What a process computes before a loop's calls without being in the loop (structure/gap_shares.hpp).
struct OutsideGap {
  uint32_t process = 0, loop = 0;
  double ns = 0;
};

class RunLoops {
 public:
  // Gives each of the `streams` the run's number for each of its loops. `module` numbers the modules.
  void add(const trace::Process& process, uint32_t index, const std::vector<uint32_t>& modules,
           std::vector<std::vector<uint32_t>>* numbers);

  const std::vector<RunLoop>& all() const { return loops_; }  // number 0: none
  // The outermost loop that covers most of the time between MPI_Init and MPI_Finalize and whose iterations most
  // processes make equally often, or the one within it that makes the steps (trace/main_loop.hpp); 0: none.
  uint32_t main() const {
    if (chosen_) return chosen_;
    if (!main_) main_ = find_main();
    return *main_;
  }
  // Makes it the main loop, because a person said so; 0: undoes that.
  void choose(uint32_t loop) { chosen_ = loop < loops_.size() ? loop : 0; }
  // Why there is none: "none"; "few" if the loops that take the time have fewer iterations than a main loop must have;
  // "apart" if ranks differ in their iterations; "small" if too few of the calls are made in those that take time;
  // "commands" if the one that takes most of it reads an input; "files" if those that take time make no calls of MPI.
  std::string missing() const;
  // Iterations of the median process.
  uint64_t iterations(uint32_t loop) const;
  // The same of several that are one loop of the source, which ranks reach on different ways.
  uint64_t iterations(const std::vector<uint32_t>& same) const;
  double time_ns(uint32_t loop) const;  // without what recording took, and what comes before and after its visits
  const std::vector<OutsideGap>& outside_gaps() const { return outside_; }
  // Of an iteration, timed or not: the mean over the ranks that count as the median one does, of each rank's mean.
  double mean_ns(uint32_t loop) const;
  // Over all processes: the overall fewest, the overall most, and the usual number on the median process.
  structure::LoopShape shape(uint32_t loop) const;
  bool within(uint32_t inner, uint32_t loop) const;
  // The number of different loop trees of all threads.
  size_t trees() const { return shapes_.trees(); }
  // Calls whose order is lost, of all processes: they are in no variant.
  uint64_t lost_calls() const { return lost_calls_; }

 private:
  uint32_t find_main() const;
  // Most processes make as many iterations of the loop.
  bool in_common(uint32_t loop) const;
  static bool is_uneven(const structure::LoopShape& shape);
  trace::LoopWeight weight(uint32_t loop) const;
  std::vector<trace::LoopWeight> weights_of_all() const;
  // Loops of a routine that is called again in their iterations.
  void find_recursive(std::vector<trace::LoopWeight>* weights) const;
  bool same_code(uint32_t a, uint32_t b) const;  // one loop of the source
  uint32_t number(const trace::Stream& stream, uint32_t loop, const std::vector<uint32_t>& modules,
                  std::vector<uint32_t>* numbers);

  std::vector<RunLoop> loops_{1};
  std::vector<OutsideGap> outside_;
  structure::ShapePool shapes_;
  uint64_t lost_calls_ = 0;
  std::map<std::vector<uint64_t>, uint32_t> ids_;
  trace::LoopWeight all_{};
  uint32_t processes_ = 0;
  uint32_t chosen_ = 0;
  mutable std::optional<uint32_t> main_;  // once it was asked for
};

}  // namespace leadline::analysis
