// Defines the wrappers under names of our own, which the linker sees as libc's. libc's headers have inline versions of
// these functions, which would be in the way.
#pragma once

#include "recorder/file_wrappers/file_call.hpp"
#include "recorder/files/files.hpp"
#include "recorder/files/real_calls.hpp"
#include "recorder/wrappers/call.hpp"

#define LEADLINE_FILE_WRAPPER(Result, name, ...)                                 \
  extern "C" LEADLINE_EXPORT Result leadline_##name(__VA_ARGS__) __asm__(#name); \
  Result leadline_##name(__VA_ARGS__)

// The next function of that name, with the type of the wrapper.
#define LEADLINE_REAL(name) leadline::recorder::real_call<decltype(leadline_##name)>(leadline::recorder::Real::name##_)

namespace leadline::recorder {

inline constexpr bool reads = true, writes = false;  // which way a call moves bytes
inline constexpr int of_stream = -1;                 // in place of a descriptor

}  // namespace leadline::recorder
