// Every chunk that is made from the memory of a process, listed once. The recorder writes them in this order; the same
// list salvages the memory that a killed process left behind.
#pragma once

#include "recording/encode.hpp"
#include "trace/chunk.hpp"

namespace leadline::recording {

// The sources of the chunks of a process.
struct ProcessView {
  const char* region;
  uint8_t functions[trace::max_functions] = {};  // functions that threads call are marked
  uint64_t paused_calls = 0;                     // of all threads, while recording was paused
  // The MPI library's answers to the recorder, which are not in the memory. nullptr: the library was not asked.
  const trace::ByteSink* variables = nullptr;
  const trace::ByteSink* settings = nullptr;

  void add_thread(const char* thread_region) {
    mark_functions(thread_region, &functions);
    paused_calls += recording::paused_calls(thread_region);
  }
};

struct ProcessChunk {
  trace::ChunkType type;
  void (*encode)(const ProcessView& p, trace::ByteSink* out);
  bool (*is_there)(const ProcessView& p) = nullptr;  // nullptr: always
  bool last = false;  // written after the threads' chunks, because it counts their omissions
};

inline constexpr ProcessChunk process_chunks[] = {
    {trace::ChunkType::process, [](const ProcessView& p, trace::ByteSink* out) { encode_process(p.region, out); }},
    {trace::ChunkType::functions,
     [](const ProcessView& p, trace::ByteSink* out) { encode_functions(p.region, p.functions, out); }},
    {trace::ChunkType::modules, [](const ProcessView& p, trace::ByteSink* out) { encode_modules(p.region, out); }},
    {trace::ChunkType::communicators,
     [](const ProcessView& p, trace::ByteSink* out) { encode_communicators(p.region, out); }},
    {trace::ChunkType::datatypes, [](const ProcessView& p, trace::ByteSink* out) { encode_datatypes(p.region, out); }},
    {trace::ChunkType::ops, [](const ProcessView& p, trace::ByteSink* out) { encode_ops(p.region, out); }},
    {trace::ChunkType::regions, [](const ProcessView& p, trace::ByteSink* out) { encode_regions(p.region, out); },
     [](const ProcessView& p) { return has_regions(p.region); }},
    {trace::ChunkType::variables,
     [](const ProcessView& p, trace::ByteSink* out) { out->bytes(p.variables->data(), p.variables->size()); },
     [](const ProcessView& p) { return p.variables && p.variables->size() > 0; }},
    {trace::ChunkType::settings,
     [](const ProcessView& p, trace::ByteSink* out) { out->bytes(p.settings->data(), p.settings->size()); },
     [](const ProcessView& p) { return p.settings && p.settings->size() > 0; }},
    {trace::ChunkType::pauses,
     [](const ProcessView& p, trace::ByteSink* out) { encode_pauses(p.region, p.paused_calls, out); },
     [](const ProcessView& p) { return was_paused(p.region); }},
    {trace::ChunkType::samples, [](const ProcessView& p, trace::ByteSink* out) { encode_samples(p.region, out); },
     [](const ProcessView& p) { return was_sampled(p.region); }},
    {trace::ChunkType::files, [](const ProcessView& p, trace::ByteSink* out) { encode_files(p.region, out); }},
    {trace::ChunkType::clock, [](const ProcessView& p, trace::ByteSink* out) { encode_clock(p.region, out); }},
    {trace::ChunkType::conditions, [](const ProcessView& p, trace::ByteSink* out) { encode_conditions(p.region, out); },
     [](const ProcessView& p) { return has_conditions(p.region); }},
    {trace::ChunkType::losses, [](const ProcessView& p, trace::ByteSink* out) { encode_losses(p.region, out); },
     nullptr, true},
};

// The sources of the chunks of a thread.
struct ThreadView {
  const char* region;
  uint64_t tick_factor;
  uint64_t origin_ticks;                   // start of the process's time
  bool has_regions;                        // the process has named regions
  uint64_t series_tolerance = UINT64_MAX;  // of encode_series()
};

// Whether a generation is written in two chunks, so that ranks that behave alike can share its structure, or in one.
enum class Pieces : uint8_t { any, apart, whole };

struct ThreadChunk {
  trace::ChunkType type;
  Pieces pieces;
  bool (*encode)(const ThreadView& t, trace::ByteSink* out);  // false: there is nothing to write
};

inline constexpr ThreadChunk thread_chunks[] = {
    {trace::ChunkType::sites, Pieces::any,
     [](const ThreadView& t, trace::ByteSink* out) {
       encode_sites(t.region, out);
       return true;
     }},
    {trace::ChunkType::structure, Pieces::apart,
     [](const ThreadView& t, trace::ByteSink* out) {
       encode_structure(t.region, out);
       return true;
     }},
    {trace::ChunkType::times, Pieces::apart,
     [](const ThreadView& t, trace::ByteSink* out) {
       encode_times(t.region, t.tick_factor, out);
       return true;
     }},
    {trace::ChunkType::generation, Pieces::whole,
     [](const ThreadView& t, trace::ByteSink* out) {
       encode_generation(t.region, t.tick_factor, out);
       return true;
     }},
    {trace::ChunkType::series, Pieces::any,
     [](const ThreadView& t, trace::ByteSink* out) {
       return encode_series(t.region, t.tick_factor, t.origin_ticks, true, out, t.series_tolerance);
     }},
    {trace::ChunkType::loops, Pieces::any,
     [](const ThreadView& t, trace::ByteSink* out) {
       encode_loops(t.region, out);
       return true;
     }},
    {trace::ChunkType::locals, Pieces::any,
     [](const ThreadView& t, trace::ByteSink* out) {
       encode_locals(t.region, t.tick_factor, out);
       return true;
     }},
    {trace::ChunkType::region_times, Pieces::any,
     [](const ThreadView& t, trace::ByteSink* out) {
       if (t.has_regions) encode_region_times(t.region, t.tick_factor, out);
       return t.has_regions;
     }},
};

// Exactly one line makes each type of chunk, except for the types that frame a file.
constexpr bool all_chunks_are_made_once() {
  for (uint32_t number = 0; number < 256; ++number) {
    const auto type = static_cast<trace::ChunkType>(number);
    const trace::ChunkScope scope = trace::facts_of(type).scope;
    int of_process = 0, of_thread = 0;
    for (const ProcessChunk& c : process_chunks) of_process += c.type == type;
    for (const ThreadChunk& c : thread_chunks) of_thread += c.type == type;
    if (of_process != (scope == trace::ChunkScope::process) || of_thread != (scope == trace::ChunkScope::thread))
      return false;
  }
  return true;
}
static_assert(all_chunks_are_made_once());

}  // namespace leadline::recording
