// The numbers of libc's functions on files among those of all functions.
#pragma once

#include "recorder/library/functions.hpp"
#include "trace/file_functions.hpp"

namespace leadline::recorder {

using trace::file_function_count;
using trace::file_functions;
using trace::FileFn;
using trace::FileFunction;

// Their numbers follow those of MPI's functions; function_count itself is that of unknown call sites.
inline constexpr int first_file_function = function_count + 1;
constexpr Fn number_of(FileFn fn) { return static_cast<Fn>(first_file_function + static_cast<int>(fn)); }
constexpr bool is_file_function(Fn fn) { return static_cast<int>(fn) >= first_file_function; }

}  // namespace leadline::recorder
