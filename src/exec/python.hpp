// Hands over to Python what the native launcher does not do itself.
#pragma once

#include <string>
#include <vector>

namespace leadline::exec {

// What Python is to do, as python/leadline/cli/native_exec.py knows it.
enum class Part { exec, keeper };

// Becomes Python's `leadline exec arguments...`, with our environment. given: the words by which Python started us; if
// there are none, it is the command `leadline` that is installed beside us or on PATH. Returns if that fails.
void become_python(const std::vector<std::string>& given, Part part, const std::vector<std::string>& arguments);

}  // namespace leadline::exec
