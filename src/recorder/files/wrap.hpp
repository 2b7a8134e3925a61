// How the wrappers are defined: under a name of our own that the linker sees as libc's, so that libc's headers (whose
// inline versions of these functions are in the way) do not matter.
#pragma once

#include "recorder/call.hpp"
#include "recorder/files/file_call.hpp"
#include "recorder/files/real_calls.hpp"

#define LEADLINE_FILE_WRAPPER(Result, name, ...)                                 \
  extern "C" LEADLINE_EXPORT Result leadline_##name(__VA_ARGS__) __asm__(#name); \
  Result leadline_##name(__VA_ARGS__)

// The next function of that name, with the type of the wrapper.
#define LEADLINE_REAL(name) leadline::recorder::real_call<decltype(leadline_##name)>(leadline::recorder::Real::name##_)
