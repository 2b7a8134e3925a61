// The tables of a recorded process in a predicted one. Numbers stay what they were, since recorded events refer to
// them.
#pragma once

#include "interchange/importing/recorded_process.hpp"
#include "trace/process.hpp"

namespace leadline::interchange::predicted {

inline constexpr uint64_t one_ns_per_tick = uint64_t{1} << 32;

// What is known of the process.   host: where it is to run.   clock: the same number for all ranks, not 0.
importing::RecordedProcess::Facts facts_of(const trace::Process& from, const std::string& host, uint64_t clock);

// Functions, communicators, datatypes, operations, files, regions.
void copy_tables(const trace::Process& from, importing::RecordedProcess* to);

// Contexts, call sites and loops of a thread.
void copy_source(const trace::Process& from, const trace::Stream& stream, importing::RecordedProcess* to,
                 importing::RecordedThread* thread);

}  // namespace leadline::interchange::predicted
