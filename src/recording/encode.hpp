// Turns the live memory of a process (live.hpp) into the payloads of chunks. The code only reads, so the recorder uses
// it at the end of a generation and of the run, and the reader uses it on the memory of a killed process: nothing in
// the memory is trusted.
#pragma once

#include "recording/live.hpp"
#include "trace/limits.hpp"
#include "trace/sink.hpp"

namespace leadline::recording {

void encode_process(const char* region, trace::ByteSink* out);
// Functions are included if their number is marked; a thread's region marks the functions that it uses.
void mark_functions(const char* thread_region, uint8_t (*used)[trace::max_functions]);
void encode_functions(const char* region, const uint8_t (&used)[trace::max_functions], trace::ByteSink* out);
void encode_modules(const char* region, trace::ByteSink* out);
void encode_communicators(const char* region, trace::ByteSink* out);
void encode_datatypes(const char* region, trace::ByteSink* out);
void encode_ops(const char* region, trace::ByteSink* out);
void encode_losses(const char* region, trace::ByteSink* out);
// calls: those that all threads made during pauses, unrecorded.
void encode_pauses(const char* region, uint64_t calls, trace::ByteSink* out);
bool was_paused(const char* region);
void encode_samples(const char* region, trace::ByteSink* out);
bool was_sampled(const char* region);
uint64_t paused_calls(const char* thread_region);
void encode_files(const char* region, trace::ByteSink* out);
void encode_clock(const char* region, trace::ByteSink* out);
void encode_conditions(const char* region, trace::ByteSink* out);
bool has_conditions(const char* region);

void encode_regions(const char* region, trace::ByteSink* out);
bool has_regions(const char* region);

void encode_sites(const char* thread_region, trace::ByteSink* out);
void encode_region_times(const char* thread_region, uint64_t tick_factor, trace::ByteSink* out);
void encode_locals(const char* thread_region, uint64_t tick_factor, trace::ByteSink* out);
// A generation is its structure (the same on all ranks that behave alike) followed by its times.
void encode_structure(const char* thread_region, trace::ByteSink* out);
void encode_times(const char* thread_region, uint64_t tick_factor, trace::ByteSink* out);
// What was kept of the times call by call. `origin_ticks`: where the process's time begins. False: nothing was.
// `last`: of this generation; loops are described there. `tolerance`: the most that longer times may be off, in ticks;
// how much it is otherwise follows from the loop.
bool encode_series(const char* thread_region, uint64_t tick_factor, uint64_t origin_ticks, bool last,
                   trace::ByteSink* out, uint64_t tolerance = UINT64_MAX);
// The loops of a thread's source; all that passed must have found its loop. If that was not done, classify_loops() does
// what is possible without the program's code, after it has checked the region.
void encode_loops(const char* thread_region, trace::ByteSink* out);
void classify_loops(char* thread_region);
void encode_generation(const char* thread_region, uint64_t tick_factor, trace::ByteSink* out);

}  // namespace leadline::recording
