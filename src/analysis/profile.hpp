// The profile of a run: the figures of every call site on every process. They are counted on tallies (distinct events
// with their numbers of occurrences), never on expanded events, so the cost does not grow with the number of steps.
//
// Call sites of different processes are one if function and call path (module, offset of each frame) agree. `rows`
// sums sites by any grouping the caller chooses (by function, by symbolised call path, by routine) and finds the spread
// over processes: a process that never called counts as 0.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/clocks.hpp"
#include "analysis/iterations.hpp"
#include "analysis/loops.hpp"
#include "analysis/measure.hpp"
#include "trace/process.hpp"
#include "trace/structure.hpp"  // Generation, which the streams of a process hold

namespace leadline::analysis {

struct Counts {
  uint64_t calls = 0, messages = 0, operations = 0;                // operations: one-sided
  int64_t sent = 0, received = 0, contributed = 0, collected = 0;  // bytes; one-sided ones and files' among them
  int64_t put = 0, got = 0;                                        // bytes of one-sided operations
  CallEnds ends{};
  double time_ns = 0;

  void add(const Counts& other);
};

// The figures of one site on one process.
struct Cell {
  uint32_t process = 0;
  Counts counts;
  double min_ns = 0, max_ns = 0;  // shortest and longest call
  double gap_ns = 0;              // before its calls: since the end of the thread's previous call
  // Of threads that do not call MPI, which are no part of the rank's time: their part of counts.time_ns and gap_ns.
  double aside_ns = 0, aside_gap_ns = 0;
};

// Messages, or one-sided operations, by size: exact by power of two, and by distinct size while there are few of them.
struct Sizes {
  static constexpr size_t bucket_count = 65;  // bucket b > 0 holds sizes in [2^(b-1), 2^b), bucket 0 empty messages
  static constexpr size_t max_distinct = 4096;
  std::array<uint64_t, bucket_count> messages{};
  std::array<double, bucket_count> bytes{};
  std::unordered_map<int64_t, uint64_t> distinct;
  bool distinct_complete = true;

  void add(int64_t size, uint64_t times, int64_t total_bytes, bool exact);
  void add(const Sizes& other);
};

struct GlobalSite {
  uint32_t function = 0;    // index into Profile::functions
  bool local = false;       // local function: one caller frame, times only in sum
  uint32_t context = 0;     // index into Profile::contexts: the innermost frame
  uint32_t region = 0;      // index into Profile::regions
  std::vector<Cell> cells;  // ascending by process
  trace::TimeStats times;   // count 0 for local functions
  Sizes sizes;              // of its messages, or of its operations if the function is one-sided
};

// Smallest, median and largest value over processes, and the first process with each extreme.
struct Spread {
  double min = 0, median = 0, max = 0;
  uint32_t min_process = 0, max_process = 0;
};

struct Row {
  Counts total;
  double min_ns = 0, max_ns = 0;                     // shortest and longest call; 0 if unknown (local functions)
  uint32_t max_ns_process = 0;                       // the process with the longest call
  uint32_t processes = 0;                            // number of processes that called
  Spread calls, messages, bytes, received, time_ns;  // bytes: sent + contributed; received: received + collected
  std::array<uint64_t, 40> hist{};                   // durations, see TimeStats
  Sizes sizes, operation_sizes;
};

// The last known point of a thread whose process ended without closing its trace, or closed it within a call. Times are
// since the process's start; last_end_ns is 0 of a closed trace.
struct ThreadEnd {
  double last_end_ns = 0;      // when its last completed call ended
  bool in_call = false;        // it was in another call:
  uint32_t function = 0;       // index into Profile::functions
  uint32_t site = UINT32_MAX;  // index into Profile::sites; UINT32_MAX: unknown
  double begin_ns = 0;
};

// Samples of one process at one address (--sample), in the run's numbers.
struct SampledPlace {
  uint32_t site = UINT32_MAX;    // of the call that followed; UINT32_MAX: unknown
  uint32_t loop = 0;             // around that call; 0: none
  uint32_t module = UINT32_MAX;  // UINT32_MAX: unknown
  uint64_t offset = 0;
  uint64_t count = 0;
};

struct ProcessSummary {
  std::vector<trace::RegionTimes> regions;  // region = index into Profile::regions; over all threads
  trace::Process meta;                      // without its streams, modules, communicators and datatypes; with its files
  std::vector<SampledPlace> samples;
  std::vector<ProcessLoop> loops;  // their sites are the profile's
  // By stream and number in the trace: the run's numbers of call sites and loops. UINT32_MAX: a site without a
  // function.
  std::vector<std::vector<uint32_t>> site_numbers, loop_numbers;
  uint32_t threads = 0;
  std::vector<ThreadEnd> ends;  // threads whose end is known; of a closed trace the one that was in a call
  Counts total;
  double gap_ns = 0;  // between calls, over all threads, without Leadline's own
  double own_ns = 0;  // Leadline's own between calls: on threads that call MPI, and what their gaps do not hold
  // Runs of failed polls, over all threads: those whose place among the other calls is known, and the others.
  uint64_t placed_polls = 0, unplaced_polls = 0;
  std::array<double, category_count> category_ns{};
  std::array<uint64_t, category_count> category_calls{};
  // libc's file calls, which are not in any of the above.
  Counts files;
  double files_ns = 0;  // on threads that call MPI, whose gaps otherwise include it
};

// From the sender of messages to their receivers, and from the origin of one-sided operations to their targets.
struct Edge {
  uint32_t source = 0;  // process
  int32_t target = 0;   // rank in the source's MPI_COMM_WORLD, partner_unknown
  uint64_t messages = 0;
  int64_t bytes = 0;
  uint64_t operations = 0;
  int64_t put = 0, got = 0;  // bytes; those got flow from the target to the source
};

// The source of tallies and times; tests supply their own.
struct StreamReader {
  std::function<void(const trace::Stream&, const std::function<void(const trace::Tally&)>&)> tallies;
  std::function<void(const trace::Stream&, const std::function<void(uint32_t, const trace::TimeStats&)>&)> times;
};
StreamReader trace_reader();

class Profile {
 public:
  // Adds one process's figures and returns its index. The process is not needed afterwards.
  uint32_t add(const trace::Process& process, const StreamReader& reader = trace_reader());

  const std::deque<ProcessSummary>& processes() const { return processes_; }  // they stay where they are
  const std::vector<trace::Function>& functions() const { return functions_; }
  const std::vector<trace::Module>& modules() const { return modules_; }
  const std::vector<GlobalSite>& sites() const { return sites_; }
  // Contexts of all processes; 0 and 1 as in a trace, modules = index into modules().
  const std::vector<trace::Context>& contexts() const { return contexts_; }
  const std::vector<trace::NamedRegion>& regions() const { return regions_; }  // number 0: none
  std::vector<Edge> edges() const;                                             // ascending by source, target

  // One row per group of sites; a site may be in several groups.
  std::vector<Row> rows(const std::vector<std::vector<uint32_t>>& groups) const;

  const RunLoops& loops() const { return loops_; }
  // The iterations of the main loop of all processes, or of another loop if one is given.
  RunIterations iterations(uint32_t loop = 0) const;
  // All processes' times together.
  RunTime time() const;

 private:
  struct SiteKey {
    uint32_t function, context, region;
    bool local;
    bool operator==(const SiteKey&) const = default;
  };
  struct ContextKey {
    uint64_t offset;
    uint32_t module, parent;
    bool operator==(const ContextKey&) const = default;
  };
  struct KeyHash {
    size_t operator()(const SiteKey& key) const;
    size_t operator()(const ContextKey& key) const;
  };
  struct Mapping;  // from one process's indices to the profile's

  std::vector<uint32_t> map_sites(const trace::Stream& stream, const Mapping& mapping);
  void add_stream(const trace::Process& process, size_t stream_index, uint32_t index, const StreamReader& reader,
                  const Mapping& mapping, ProcessSummary* summary);
  void add_times(const trace::Process& process, const trace::Stream& stream, uint32_t index, const StreamReader& reader,
                 const std::vector<uint32_t>& site_map, ProcessSummary* summary);
  static void add_samples(const trace::Process& process, const Mapping& mapping, ProcessSummary* summary);
  static void add_ends(const trace::Process& process, const Mapping& mapping, ProcessSummary* summary);
  void add_locals(const trace::Stream& stream, uint32_t index, const Mapping& mapping);
  std::vector<uint32_t> map_contexts(const trace::Stream& stream, const Mapping& mapping);
  uint32_t intern_context(const trace::Frame& frame, uint32_t parent);
  uint32_t intern_site(const SiteKey& key);
  void add_regions(const trace::Process& process, Mapping* mapping);
  static void add_region_times(const trace::Process& process, const Mapping& mapping, ProcessSummary* summary);
  Cell& cell(uint32_t site, uint32_t process);
  void count(const Transfer& transfer, uint32_t site, uint32_t process);
  Edge& edge(uint32_t process, int32_t target);
  void finish(uint32_t index, ProcessSummary* summary);

  std::deque<ProcessSummary> processes_;
  RunLoops loops_;
  std::vector<trace::Function> functions_;
  std::vector<trace::Module> modules_;
  std::vector<GlobalSite> sites_;
  std::vector<trace::NamedRegion> regions_{1};
  std::unordered_map<std::string, uint32_t> function_ids_, module_ids_, region_ids_;
  std::unordered_map<SiteKey, uint32_t, KeyHash> site_ids_;
  std::vector<trace::Context> contexts_{2};
  std::unordered_map<ContextKey, uint32_t, KeyHash> context_ids_;
  std::unordered_map<uint64_t, Edge> edges_;  // by source << 32 | target
};

}  // namespace leadline::analysis
