// The program that is about to run: its file, and what is known of it before.
#pragma once

#include <string>
#include <vector>

namespace leadline::exec {

// The file that a word names, as a shell would find it; "" if no executable file is found.
std::string executable(const char* word);

// Whether Python has to look at these words: an `env` in front of the program that takes our variables away, or a
// sanitizer's run-time library, which must be loaded before the recorder.
// first: the file of the first word.
bool needs_a_closer_look(const std::vector<char*>& words, const std::string& first);

}  // namespace leadline::exec
