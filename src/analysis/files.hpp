// What a process did with its files, for people: which part of a file was read.
#pragma once

#include <cstdint>

#include "trace/process.hpp"

namespace leadline::analysis {

// Bytes that lie in at least one of the stretches; -1 where it is not known (not all were kept, or they are too many).
int64_t distinct_bytes(const trace::ProcessFile::Stretches& stretches);

}  // namespace leadline::analysis
