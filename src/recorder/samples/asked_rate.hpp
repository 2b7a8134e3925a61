// Whether the user asked for samples of where the program computes.
#pragma once

#include <cstdint>

namespace leadline::recorder {

// From LEADLINE_SAMPLE: samples per second of a thread's own time; 0: none.
uint64_t asked_rate();

}  // namespace leadline::recorder
