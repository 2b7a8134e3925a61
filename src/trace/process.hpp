// The trace of one process, decoded, as the reader hands it to everything else. It is built from a .trace file
// (reading/reader.hpp) or from the .live file of a killed process.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trace/call_class.hpp"
#include "trace/duration_counts.hpp"
#include "trace/event.hpp"
#include "trace/live_memory.hpp"
#include "trace/members.hpp"
#include "trace/series_data.hpp"
#include "trace/topology.hpp"
#include "trace/written.hpp"

namespace leadline::trace {

struct Function {
  std::string name;  // "MPI_Send"
  CallClass cls = CallClass::other;
};

struct Module {
  std::string path;      // as mapped in the process
  std::string build_id;  // hexadecimal, empty if there was none
};

struct Frame {
  uint32_t module = 0;  // index into modules
  uint64_t offset = 0;  // return address relative to the module's load bias (subtract 1 to be inside the call)
};

// Used in place of a frame's module. Offset 0: code in no module; 1: frames left out of a path that was too long.
inline constexpr uint32_t no_module = UINT32_MAX;

// Where calls come from: a return address, reached through another one. Call paths share their outer parts, so they
// form a tree. Number 0: the path further out is unknown; 1: the thread began here, so nothing lies further out.
struct Context {
  Frame frame;
  uint32_t parent = 0;  // the caller's number, less than this one's
  uint32_t depth = 0;   // number of frames from here outwards
};

struct Site {
  uint32_t function = 0;  // index into functions
  uint32_t context = 0;   // index into the stream's contexts: the innermost frame
  uint32_t region = 0;    // index into regions: the innermost one around the call
  bool whole = false;     // the path goes back to the thread's start
};

// A dimension of a Cartesian communicator.
struct GridSide {
  int32_t extent = 0;     // ranks along it
  bool periodic = false;  // its ends are neighbours
};

struct Communicator {
  enum class Kind : uint8_t { intra, inter, window, file };
  Kind kind = Kind::intra;
  uint32_t parent = 0;    // id of the communicator it was made from; the predefined ones have their own id here
  uint64_t identity = 0;  // the same on all ranks of one communicator; 0: unknown
  int32_t rank = 0;       // this process's rank
  int32_t size = 0;
  Members world;  // rank in MPI_COMM_WORLD of each member (of the remote group for `inter`), -1 unknown
  Topology topology = Topology::none;
  std::vector<GridSide> grid;  // of a Cartesian one, the slowest first; empty: not kept
};

// One side of an array of which a datatype takes a part.
struct ArraySide {
  int64_t whole = 0;  // elements; 0: unknown
  int64_t part = 0;   // of these, taken
};

struct Datatype {
  std::string name;                                       // "MPI_DOUBLE", empty for a derived type without a name
  int64_t size = 0, extent = 0, lb = 0, true_extent = 0;  // bytes
  int32_t combiner = 0;                                   // as the library numbers combiners
  bool contiguous = false;
  std::vector<ArraySide> sides;  // slowest first; empty if the datatype does not tell
};

// Times of many visits, in nanoseconds. `hist[i]` counts durations in [2^i - 1, 2^(i+1) - 1) ns; 39 counts all longer
// ones.
struct TimeStats {
  uint64_t count = 0;
  double sum_ns = 0, min_ns = 0, max_ns = 0;
  double gap_sum_ns = 0;  // time between the end of this thread's previous call and the beginning of this one
  DurationCounts hist;
};

// Calls to a local function from one return address.
struct LocalCalls {
  uint32_t function = 0;
  Frame caller;
  uint64_t calls = 0;
  double sum_ns = 0;
};

// A named region of the program at its place: the same name within another region is a different region. Number 0:
// none.
struct NamedRegion {
  uint32_t parent = 0;  // less than its own number
  std::string name;
};

struct RegionTimes {
  uint32_t region = 0;
  uint64_t entries = 0;
  double sum_ns = 0, min_ns = 0, max_ns = 0;  // from entry to exit
};

// A performance variable of the MPI library (MPI_T), read before MPI_Finalize.
struct LibraryVariable {
  std::string name, description;
  uint8_t cls = 0;  // in the standard's order: state, level, size, percentage, highwatermark, lowwatermark, ...
  double value = 0;
};

struct LibrarySetting {
  std::string name, value;
};

struct Loss {
  std::string code;     // stable word, e.g. "order-lost"
  uint64_t amount = 0;  // number of calls (or bytes, see the message) it concerns
  std::string message;
};

// Samples at one address, taken while a thread computed before a call at one site.
struct Sample {
  uint32_t thread = 0;
  uint32_t site = UINT32_MAX;    // of that thread; UINT32_MAX: unknown
  uint32_t module = UINT32_MAX;  // UINT32_MAX: unknown
  uint64_t offset = 0;
  uint64_t count = 0;
};

struct Sampling {
  uint64_t rate = 0;     // samples per second of a thread's own time; 0: none were asked for
  uint64_t refused = 0;  // threads that could not be sampled
  uint64_t error = 0;    // the first one's errno
  uint64_t taken = 0;    // all of them
  uint64_t in_mpi = 0;   // within MPI calls: not among the samples
  uint64_t no_room = 0;  // counted only
  uint64_t lost = 0;     // that the kernel could not deliver; not among those taken
  std::vector<Sample> samples;
};

// When recording was paused (MPI_Pcontrol, --start-paused); nanoseconds since MPI_Init was entered.
struct Pauses {
  struct Interval {
    double from_ns = 0, to_ns = 0;
  };
  uint64_t count = 0;
  double sum_ns = 0;
  bool lasted = false;  // the last pause had no end
  uint64_t calls = 0;   // not recorded, without local calls
  std::vector<Interval> first;
};

// The clock that the process's times come from, and the readings of the clock of rank 0 of its MPI_COMM_WORLD.
struct ProcessClock {
  struct Comparison {
    uint64_t own_ns = 0;
    int64_t offset_ns = 0;  // add this to own_ns
    uint64_t error_ns = 0;  // upper bound
  };
  uint64_t identity = 0;                // the same for all processes with this clock; 0: unknown
  int64_t start_ns = 0;                 // its reading at the process's start
  bool compared = false;                // or would have been, if the other processes had taken part
  std::vector<Comparison> comparisons;  // in MPI_Init, in MPI_Finalize
};

// A loop of the program's source in one calling context.
struct SourceLoop {
  uint32_t context = 0;  // the frame that called the routine it is in
  uint32_t outer = 0;    // the next loop around it, in this routine or further out; 0: none
  Frame header;          // its first instruction; `by_order`: the earliest return address of a call in it
  Frame last;            // the jump back to the header; `by_order`: the return address of the last call in it
  bool by_order = false;
  bool silent = false;  // there may have been more iterations than the calls show: repeats and entries are lower bounds
  bool about = false;   // found by the reader: only times show where its iterations begin, or order counts one too many
  bool by_time = false;  // found by the reader: that iterations begin at all is known from times only
  uint64_t repeats = 0, entries = 0;
  uint64_t iterations() const { return repeats + entries; }
};

// A call at one site that follows one at the other begins the next iteration of the loop.
struct BackEdge {
  uint32_t from = 0, to = 0, loop = 0;
  auto operator<=>(const BackEdge&) const = default;
};

// The conditions under which the process ran: its processors, its launcher, its budgets, its live memory.
struct Conditions {
  bool known = false;                                  // false: a version that did not record it made the trace
  uint32_t processors = 0;                             // of the host; 0: unknown
  double quota = 0;                                    // processors that its control group allows; 0: no limit
  std::vector<std::pair<uint32_t, uint32_t>> allowed;  // (first, count) of the processors it may run on
  uint32_t threads = 0;                                // counted before MPI_Finalize; 0: it was not reached
  uint32_t busy = 0;           // threads that ran at least a tenth as long as the longest-running one
  double cpu_ns = 0;           // all threads, from MPI_Init to MPI_Finalize
  double waited_ns = -1;       // time its first thread was ready to run and had no processor; -1: unknown
  int32_t launcher_ranks = 0;  // ranks that the launcher says it started; 0: unknown
  int32_t launcher_rank = -1;
  std::string launcher;                          // the variable that says so
  uint64_t budget_files = 0, budget_memory = 0;  // bytes; 0: no limit
  uint32_t budgets_given = 0;                    // 1: for files, 2: for memory
  // The run's directory as statfs reports it (file_systems.hpp), 0: unknown; and where the live memory was.
  uint64_t file_system = 0;
  LiveMemoryKind live_kind = LiveMemoryKind::run;
  LiveMemoryReason live_reason = LiveMemoryReason::none;
};

// The call that a thread was in when its process ended without closing its trace.
struct CallUnderWay {
  bool known = false;     // there was such a call
  uint32_t function = 0;  // index into functions
  uint32_t site = 0;      // index into the stream's sites; UINT32_MAX: unknown
  double begin_ns = 0;    // since the process's start
};

// Iterations of a loop that no call shows, but what its calls do, or when (structure/silent_steps.hpp): each makes so
// many of the loop within that makes its calls.
struct SilentSteps {
  uint32_t outer = 0, inner = 0;
  uint64_t inner_iterations = 0;
};

struct Stream {  // one thread of the process
  uint32_t thread = 0;
  CallUnderWay under_way;
  double last_end_ns = 0;  // if known: when the last call but the one under way ended, since the process's start
  std::vector<Site> sites;
  std::vector<Context> contexts;
  std::vector<WrittenGeneration> generations;  // by number
  std::vector<LocalCalls> locals;
  std::vector<RegionTimes> region_times;
  std::vector<Series> series;        // in the order of the calls
  std::vector<SourceLoop> loops;     // number 0: none
  std::vector<uint32_t> site_loops;  // the innermost loop around each call site
  std::vector<BackEdge> back_edges;  // ascending
  std::vector<SilentSteps> steps;    // found by the reader, of loops further in first

  // The innermost loop around a call site.
  uint32_t loop_around(uint32_t site) const { return site < site_loops.size() ? site_loops[site] : 0; }
  bool within(uint32_t inner, uint32_t loop) const {
    while (inner && inner != loop) inner = loops[inner].outer;
    return inner == loop;
  }
};

// The call path, innermost frame first.
std::vector<Frame> frames_of(const std::vector<Context>& contexts, uint32_t context);
// Adds such a path without looking for existing contexts. Returns the number of its innermost frame.
uint32_t add_path(std::vector<Context>* contexts, const std::vector<Frame>& frames, bool whole);

// What the process did with one file. Number 0 of the table stands for the files that did not fit into the table.
struct ProcessFile {
  struct Counts {
    uint64_t opens = 0, closes = 0, reads = 0, writes = 0, others = 0, bytes_read = 0, bytes_written = 0, time_ns = 0;
    uint64_t sequential = 0, strided = 0, random = 0;  // transfers, by where they start
  };
  struct Run {  // `count` stretches of `length` bytes, `stride` apart
    uint64_t begin = 0, length = 0, stride = 0, count = 0;
  };
  struct Stretches {
    std::vector<Run> runs;
    bool complete = true;  // false: there were more
  };
  std::string name;  // absolute path
  bool opened_by_mpi = false, mapped = false, has_view = false, offset_unknown = false;
  int64_t size = -1;  // largest size seen; -1: unknown
  std::array<Counts, 4>
      layers;  // by FileLayer: the program's calls, those outside the events, MPI_File_*, those beneath it
  Stretches reads, beneath;  // stretches read by the program, and by the MPI library on its behalf
};

class KeptTimes;

struct Process {
  std::string file;
  // Where it ran
  int32_t rank = -1;  // in MPI_COMM_WORLD, -1 unknown
  int32_t world_size = 0;
  uint64_t world = 0;                  // identity of its MPI_COMM_WORLD (spawned programs have their own)
  std::string host, program, library;  // library: the first line of MPI_Get_library_version
  std::string family;                  // "mpich", "openmpi", "mpi5"
  int64_t pid = 0;
  // How it went
  bool initialized = false, finalized = false;  // MPI_Init returned, MPI_Finalize returned
  bool initializing = false;                    // the process ended within MPI_Init
  bool complete = false;                        // the process closed the file: nothing is missing at its end
  int64_t start_unix_ns = 0;
  double duration_ns = 0;           // from entering MPI_Init to leaving MPI_Finalize (or to the last recorded call)
  double own_overhead_ns = 0;       // Leadline's own time in this process, estimated from samples
  double own_between_calls_ns = 0;  // the part of it that was left out of the times before calls
  double own_per_call_ns = 0;
  uint64_t file_bytes = 0;  // size of the file
  std::vector<Function> functions;
  std::vector<Module> modules;
  std::vector<Communicator> communicators;
  std::vector<Datatype> datatypes;
  std::vector<std::string> ops;
  std::vector<NamedRegion> regions;
  std::vector<Stream> streams;
  std::vector<ProcessFile> files;
  bool files_recorded = false;  // false: a version that did not record file I/O made the trace
  std::vector<Loss> losses;
  Pauses pauses;
  Sampling sampling;
  ProcessClock clock;
  Conditions conditions;
  std::vector<LibraryVariable> variables;
  std::vector<LibrarySetting> settings;   // environment variables for the MPI library
  std::shared_ptr<KeptTimes> kept_times;  // for analyses that read the same times; nullptr: nothing is kept
};

// Every distinct event of a stream with its number of occurrences: enough to count without expanding the order.
// Includes literal events, wild-card positions (each value of the varying fields) and failed polls. `words` are the
// interned words that Key::extra refers to, if any. A coarse tally (beyond the budget) sums calls of many sizes:
// key->count is floor(log2(count)) and `amount` the sum of the counts, or of the values if key->value is 1.
struct Tally {
  const Key* key;
  uint64_t times;
  const int64_t* words;
  size_t word_count;
  int64_t amount;
  bool coarse;
};
void for_each_tally(const Stream& stream, const std::function<void(const Tally&)>& visit);

// Times by call site: every call of the stream counts in exactly one site's statistics.
void for_each_site_time(const Stream& stream, const std::function<void(uint32_t site, const TimeStats&)>& visit);

// The calls in the order they happened. The failed polls between two calls are one event, named for the first of them;
// their number is known to a power of two. Beyond some number of runs their places are unknown and the walk leaves
// them out; tallies and times count every poll.
struct Event {
  Key key;
  uint64_t times = 1;
  const int64_t* words = nullptr;  // as long as the walk stays in the generation
  size_t word_count = 0;
  uint32_t position = 0;  // number within its generation; 0: it has none
  bool run = false;       // failed polls: one entry of the series
  size_t generation = 0;  // index
};

// Receives what a walk passes without stopping, in no order.
struct Passed {
  std::function<void(const Event&)> events;  // `times` of them are alike; no runs of failed polls
  // How often a call at one site followed one at the other.
  std::function<void(uint32_t from_site, uint32_t to_site, uint64_t times)> steps;
};

class Walker {
 public:
  explicit Walker(const Stream& stream);
  ~Walker();
  Walker(Walker&&) noexcept;
  bool next(Event* event);  // false at the end

  // Goes to an entry of a generation (index); entries are events, and runs of failed polls as one. The time it takes
  // does not grow with their number if the program is regular. `before`: the last site of the generation before, if it
  // matters.
  void seek(size_t generation, uint64_t entry, uint32_t before = 0);
  // The same, forwards only.
  void pass(size_t generation, uint64_t entry, const Passed& passed);
  // Lets go of the generation, and of what finding a way through it took, if that is much. The walk has to be sought
  // again.
  void rest();
  // Site of the last call given or passed; 0: there was none, or it was sought for.
  uint32_t last_site() const;

 private:
  struct State;
  State* state_;
};

}  // namespace leadline::trace
