// A process's use of its files, for people: which part of a file was read.
#pragma once

#include <cstdint>

#include "trace/process.hpp"

namespace leadline::analysis {

// Bytes that lie in at least one of the stretches; -1 if unknown (some stretches were not kept, or there are too
// many).
int64_t distinct_bytes(const trace::ProcessFile::Stretches& stretches);

}  // namespace leadline::analysis
