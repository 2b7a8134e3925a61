// The memory in which a recording process keeps its state: one region for the process, then one per thread, each with
// tables at fixed places. The recorder maps it from the .live file, so that its contents survive `kill -9`; at the end
// of a generation and of the run the same memory is encoded into chunks (encode.hpp). Reserved sizes are address space;
// storage follows use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "recording/graph.hpp"
#include "recording/live_clock.hpp"
#include "recording/live_conditions.hpp"
#include "recording/live_files.hpp"
#include "recording/series_state.hpp"
#include "recording/table.hpp"
#include "recording/times.hpp"
#include "recording/transitions.hpp"
#include "trace/chunk.hpp"
#include "trace/event.hpp"
#include "trace/frames.hpp"
#include "trace/limits.hpp"
#include "trace/losses.hpp"
#include "trace/symbols.hpp"

namespace leadline::recording {

inline constexpr char live_magic[8] = {'L', 'E', 'A', 'D', 'L', 'I', 'V', 'E'};
inline constexpr uint32_t live_version = 11;
inline constexpr size_t page = 4096;

// When recording was paused, in ticks.
struct LivePauses {
  static constexpr uint32_t kept = 64;
  struct Interval {
    uint64_t from, to;
  };
  uint64_t since;  // start of the current pause; 0: none
  uint64_t ticks;  // total of all finished pauses
  uint64_t count;  // number of pauses
  Interval first[kept];
};

// Samples of where threads compute; rate 0: not asked for.
struct LiveSampling {
  uint64_t rate;            // per second of a thread's own time
  uint32_t refused, error;  // threads that the kernel refused it for, and errno of the first
  uint64_t taken;           // all of them: those kept,
  uint64_t in_mpi;          // those within MPI calls, which are not,
  uint64_t no_room;         // and those for which there was no room in the table
  uint64_t lost;            // that the kernel could not deliver
};

// Samples of one thread at one address, before a call at one site.
struct LiveSample {
  uint64_t frame;  // module << 48 | offset
  uint32_t thread;
  uint32_t site;  // number + 1; 0: unknown
  uint64_t count;
};

struct ProcessHeader {
  char magic[8];
  uint32_t version;
  uint32_t threads;  // regions in use
  int64_t pid;
  int32_t rank, world_size;
  uint64_t world;
  char host[64];
  char program[512];
  char library[256];
  char family[16];
  uint32_t initialized, finalized;  // MPI_Init: how far it came, as below; MPI_Finalize: whether it returned
  int64_t start_unix_ns;
  uint64_t first_ticks, last_ticks;  // begin of MPI_Init (or of the first call), end of MPI_Finalize
  uint64_t tick_factor;              // TickScale
  uint64_t own_ticks;                // spent outside the calls' fast path: start, end, misses
  uint64_t fast_call_ticks_x1000;    // calibrated cost of the fast path of one call
  uint64_t own_between_calls;        // of own_ticks: what was left out of the time before a call, over all threads
  uint64_t generations_written;      // in the .part file
  uint64_t losses[static_cast<size_t>(trace::LossKind::count)];
  TableState functions, modules, communicators, members, datatypes, ops, regions, region_names;
  LivePauses pauses;
  TableState files, file_text, file_runs;
  LiveClock clock;
  LiveConditions conditions;
  LiveSampling sampling;
  TableState samples;
};
static_assert(sizeof(ProcessHeader) <= page);

struct LiveCommunicator {
  uint8_t kind;
  uint8_t freed;
  uint8_t topology;  // trace::Topology
  uint8_t dims;      // of a Cartesian one whose sides are kept
  uint32_t parent;
  uint64_t identity;
  int32_t rank, size;
  uint32_t first_member;  // index into members, `size` entries; UINT32_MAX: not kept
  uint32_t member_count;
  uint32_t first_side;  // index into members, `dims` entries: ranks along each; negative: its ends are neighbours
  uint32_t unused;
};

struct LiveDatatype {
  char name[64];
  int64_t size, extent, lb, true_extent;
  int32_t combiner;
  int32_t contiguous;
  // Of an array of which it takes a part: how many elements a side has (0: unknown) and how many it takes, slowest
  // side first.
  static constexpr uint32_t most_dims = 6;
  struct Side {
    int64_t whole, part;
  };
  uint64_t dims;
  Side sides[most_dims];
};

// Where calls come from: a return address, reached through another one. These form a tree, since call paths share their
// outer parts. Number 0: the path further out is unknown; 1: the thread began here, so nothing lies further out. A
// path is therefore whole if it ends in 1.
struct LiveContext {
  uint64_t frame;   // module << 48 | offset
  uint32_t parent;  // the caller's number, which is smaller
  uint32_t depth;   // the parent's plus one; of 0 and 1: 0
};
struct LiveSite {
  uint32_t function;
  uint32_t context;  // the innermost frame
  uint32_t region;   // innermost named region the call is made in, 0: none
};

// A loop of the program's source, in one calling context (source_loops.hpp).
struct LiveLoop {
  uint64_t header;    // frame word of its first instruction; by order: of the return address it begins with
  uint64_t last;      // of the jump back to it; by order: the last return address in it
  uint32_t context;   // the frame that called the routine it is in
  uint32_t outer;     // the next loop around it, in this routine or further out; 0: none
  uint32_t by_order;  // 1: the machine code could not be read
  uint32_t silent;    // 1: it may have had more iterations than the calls show
};

// A named region of the program within another one: the same name elsewhere is a different region.
struct LiveRegion {
  uint32_t parent;
  uint32_t name, length;  // in region_names
};

// The time that a thread spent in one region; ticks while recording was not paused.
struct LiveRegionTimes {
  uint64_t entries, ticks, shortest, longest;
};

struct LiveLocal {
  uint64_t caller;  // module << 48 | offset
  uint64_t calls;
  uint64_t ticks;
  uint32_t function;
  uint32_t unused;
};

// A position whose count, peer, tag, extra or value differ between visits (the shape is the same).
struct WildPosition {
  trace::Key first;  // as visited `fixed_visits` times before the parameters began to vary
  trace::Key last;
  uint64_t fixed_visits;
};

struct Position {
  trace::Key key;
  uint32_t next;
  uint32_t alt;
  uint32_t visits;  // low bits choose the raw slot; starts at position & 7 so that positions fold at different times
  uint16_t mode;
  uint16_t usual_gap;  // ticks; > 0 if this call is short and follows the previous one at once: see assumed_gap
  uint32_t hash;       // of the key
  uint32_t shape;      // hash of site, communicator, datatype
};
static_assert(sizeof(Position) == 64);

// The number of its visits.
inline uint64_t visits_of(const Position& p, uint32_t index, const FoldedTimes& folded) {
  if (p.visits == anchor_mark) return folded.count;
  return folded.count + (p.visits < 8 ? p.visits - (index & 7) : p.visits & 7);
}

using VariationPosition = GraphPosition<trace::Variation>;
using Variations = Graph<trace::Variation, Tokens3>;

// Failed polls of one call site, counted and timed like the visits of a position.
struct alignas(64) PollSite {
  RawTimes raw;
  FoldedTimes folded;
  uint32_t site;
  uint32_t visits;  // low bits choose the raw slot
};

using PollPosition = GraphPosition<trace::PollRun>;
using PollGraph = Graph<trace::PollRun, Tokens3>;

// The failed polls of a generation.
struct PollCounts {
  uint64_t run;        // of the run under way, 0: there is none
  uint64_t run_gap;    // before its first one, ticks
  uint64_t run_ticks;  // from the first one's begin to the last one's end
  uint32_t run_first;  // number of the first one's PollSite
  uint32_t unused;
  uint64_t ended;          // of runs that are over
  uint64_t kept, dropped;  // such runs: with their places, and without
  uint64_t last_kept;      // events before the last one with its place
  uint64_t bytes_before;   // of places in the generations already written
};

// ThreadHeader::call: the call that a thread is in when it is killed or does not come back.
inline constexpr uint32_t in_site = 1, in_function = 1u << 31;

// Bits of ThreadHeader::unusual.
enum : uint32_t {
  unusual_irregular = 1,  // unordered, within literals
  unusual_watched = 2,    // calls leave an entry in the series
  unusual_exact = 4,      // their begins are all stamped
  unusual_begin = 8,      // the next one's is
  unusual_polls = 16,     // polls have failed since the last event
};

struct ThreadHeader {
  char magic[8];
  uint32_t thread;
  uint32_t generation;
  GraphState graph;  // of the events; its context is made from the last positions when it is needed
  uint64_t steps;    // positions visited in this generation; places in the ring
  uint64_t repeats;  // events that were no step: repeated literals, calls without order
  uint64_t misses;
  PollCounts polls;
  uint64_t literal_repeats;  // repeats of the last literal, not yet written
  trace::Key previous_literal;
  uint32_t left_site;  // site of the previous event, where the walk begins again; the same in all generations
  uint32_t unused;
  uint64_t calls_before;  // in generations already written
  uint64_t requests_made, persistent_made;
  uint64_t paused_calls;  // while recording was paused
  uint64_t last_end;      // ticks at the end of the previous call
  uint64_t call_begin;    // of the call under way, ticks; before last_end: it was not stamped
  uint32_t call;          // the call under way: 0 none, in_site + its site, in_function + its function
  uint32_t aborted_site;  // in_site + the site that called MPI_Abort, 0: none did
  uint32_t unordered;     // the budget is spent: events of this generation carry no order
  uint32_t unusual;       // the reasons why calls take the longer path
  GraphState tokens[trace::levels], variation, variation_tokens[trace::levels], poll_runs, poll_tokens[trace::levels];
  TableState positions, raw, folded, amounts, wild, token_positions[trace::levels], variation_positions,
      variation_token_positions[trace::levels], poll_sites, poll_positions, poll_token_positions[trace::levels], words,
      word_lists, sites, contexts, locals, region_times, transitions, loops, context_loops;
  TableState literals, token_literals[trace::levels], token_stream, variation_literals,
      variation_token_literals[trace::levels], variation_stream, poll_literals, poll_token_literals[trace::levels],
      poll_stream;
  uint64_t aborted_at;  // ticks. Some libraries return from MPI_Abort, and end the process in whatever it calls next
};
static_assert(sizeof(ThreadHeader) <= page);

// A thread's region starts at its header.
inline uint32_t* recent_of(ThreadHeader* h);

// Events in this generation: all calls except failed polls.
inline uint64_t events_of(const ThreadHeader& h) { return h.steps + h.repeats; }
inline uint64_t calls_of(const ThreadHeader& h) { return events_of(h) + h.polls.ended + h.polls.run; }
// Events, and runs of failed polls whose places are kept: everything that has an entry in the series.
inline uint64_t entries_of(const ThreadHeader& h) { return events_of(h) + h.polls.kept; }

// Capacities: elements. The reader has its own limit for some of them.
namespace capacity {
using namespace trace::capacity;
inline constexpr uint32_t wild = 8192;
inline constexpr uint32_t token_positions = 16384;
inline constexpr uint32_t variation_positions = 16384;
inline constexpr uint32_t poll_positions = 16384;
inline constexpr uint32_t poll_literal_bytes = 1u << 17;
inline constexpr uint32_t words = 1u << 19;
inline constexpr uint32_t word_lists = 1u << 16;
inline constexpr uint32_t contexts = 1u << 16;
inline constexpr uint32_t locals = 1u << 12;
inline constexpr uint32_t literal_bytes = 1u << 20;
inline constexpr uint32_t token_bytes = 1u << 19;
inline constexpr uint32_t functions = 1u << 16;  // bytes: name, zero, class
inline constexpr uint32_t modules = 1u << 17;    // bytes: path, zero, build id, zero
inline constexpr uint32_t communicators = 1u << 15;
inline constexpr uint32_t datatypes = 1u << 13;
inline constexpr uint32_t ops = 1u << 15;           // bytes
inline constexpr uint32_t region_names = 1u << 17;  // bytes
inline constexpr uint32_t samples = 1u << 16;
inline constexpr uint32_t transitions = 1u << 15;
inline constexpr uint32_t context_loops = 1u << 16;
}  // namespace capacity

static_assert(capacity::positions <= 1u << 17);  // SeriesEntry

// Ring of the last positions visited.
inline constexpr uint32_t recent_positions = 4096;

constexpr size_t pages(size_t bytes) { return (bytes + page - 1) / page * page; }

// Offsets in the process region.
namespace process_at {
inline constexpr size_t functions = page;
inline constexpr size_t modules = functions + pages(capacity::functions);
inline constexpr size_t communicators = modules + pages(capacity::modules);
inline constexpr size_t members = communicators + pages(capacity::communicators * sizeof(LiveCommunicator));
inline constexpr size_t datatypes = members + pages(capacity::members * sizeof(int32_t));
inline constexpr size_t ops = datatypes + pages(capacity::datatypes * sizeof(LiveDatatype));
inline constexpr size_t regions = ops + pages(capacity::ops);
inline constexpr size_t region_names = regions + pages(capacity::regions * sizeof(LiveRegion));
inline constexpr size_t files = region_names + pages(capacity::region_names);
inline constexpr size_t file_text = files + pages(capacity::files * sizeof(LiveFile));
inline constexpr size_t file_runs = file_text + pages(capacity::file_text);
inline constexpr size_t samples = file_runs + pages(capacity::file_runs * sizeof(FileRun));
inline constexpr size_t end = samples + pages(capacity::samples * sizeof(LiveSample));
}  // namespace process_at

// Offsets in a thread's region.
namespace thread_at {
inline constexpr size_t positions = page;
inline constexpr size_t raw = positions + pages(capacity::positions * sizeof(Position));
inline constexpr size_t folded = raw + pages(capacity::positions * sizeof(RawTimes));
inline constexpr size_t amounts = folded + pages(capacity::positions * sizeof(FoldedTimes));
inline constexpr size_t wild = amounts + pages(capacity::positions * sizeof(int64_t));
inline constexpr size_t token_positions = wild + pages(capacity::wild * sizeof(WildPosition));
inline constexpr size_t token_positions_size = pages(capacity::token_positions * sizeof(TokenPosition));
inline constexpr size_t variation_positions = token_positions + trace::levels * token_positions_size;
inline constexpr size_t variation_token_positions =
    variation_positions + pages(capacity::variation_positions * sizeof(VariationPosition));
inline constexpr size_t words = variation_token_positions + trace::levels * token_positions_size;
inline constexpr size_t word_lists = words + pages(capacity::words * sizeof(int64_t));
inline constexpr size_t sites = word_lists + pages(capacity::word_lists * sizeof(trace::WordList));
inline constexpr size_t contexts = sites + pages(capacity::sites * sizeof(LiveSite));
inline constexpr size_t locals = contexts + pages(capacity::contexts * sizeof(LiveContext));
inline constexpr size_t literals = locals + pages(capacity::locals * sizeof(LiveLocal));
inline constexpr size_t token_literals = literals + pages(capacity::literal_bytes);
inline constexpr size_t token_stream = token_literals + trace::levels * pages(capacity::token_bytes);
inline constexpr size_t variation_literals = token_stream + pages(capacity::token_bytes);
inline constexpr size_t variation_token_literals = variation_literals + pages(capacity::literal_bytes);
inline constexpr size_t variation_stream = variation_token_literals + trace::levels * pages(capacity::token_bytes);
inline constexpr size_t poll_sites = variation_stream + pages(capacity::token_bytes);
inline constexpr size_t poll_positions = poll_sites + pages(capacity::sites * sizeof(PollSite));
inline constexpr size_t poll_token_positions = poll_positions + pages(capacity::poll_positions * sizeof(PollPosition));
inline constexpr size_t poll_literals = poll_token_positions + trace::levels * token_positions_size;
inline constexpr size_t poll_token_literals = poll_literals + pages(capacity::poll_literal_bytes);
inline constexpr size_t poll_stream = poll_token_literals + trace::levels * pages(capacity::token_bytes);
inline constexpr size_t region_times = poll_stream + pages(capacity::token_bytes);
inline constexpr size_t series = region_times + pages(capacity::regions * sizeof(LiveRegionTimes));
inline constexpr size_t series_buckets = series + pages(sizeof(SeriesState));
inline constexpr size_t series_windows =
    series_buckets + pages(trace::most_loops * trace::most_buckets * sizeof(StripBucket));
inline constexpr size_t series_entries = series_windows + pages(capacity::series_windows * sizeof(SeriesWindow));
inline constexpr size_t series_slow = series_entries + pages(capacity::series_entries * sizeof(SeriesEntry));
inline constexpr size_t series_slow_size = pages(trace::most_slow_entries * sizeof(SeriesEntry));
inline constexpr size_t recent = series_slow + trace::most_loops * trace::most_slow * series_slow_size;
inline constexpr size_t transitions = recent + pages(recent_positions * sizeof(uint32_t));
inline constexpr size_t loops = transitions + pages(capacity::transitions * sizeof(Transition));
inline constexpr size_t context_loops = loops + pages(capacity::loops * sizeof(LiveLoop));
inline constexpr size_t end = context_loops + pages(capacity::context_loops * sizeof(uint32_t));
}  // namespace thread_at

inline uint32_t* recent_of(ThreadHeader* h) {
  return reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(h) + thread_at::recent);
}

}  // namespace leadline::recording
