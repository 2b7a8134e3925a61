// How the C++ tests state what they expect. A failure says where and what, and the program goes on to the next; main
// returns result().
#pragma once

#include <cstdio>
#include <source_location>
#include <sstream>
#include <string>

namespace testing {

inline int failures = 0;

inline void fail(const std::string& what, std::source_location where = std::source_location::current()) {
  constexpr int most_shown = 20;
  if (++failures <= most_shown) {
    std::printf("FAILED %s:%u: %s\n", where.file_name(), static_cast<unsigned>(where.line()), what.c_str());
  }
}

inline void check(bool ok, const std::string& what, std::source_location where = std::source_location::current()) {
  if (!ok) fail(what, where);
}

template <class Value, class Expected>
void check_equal(const Value& is, const Expected& expected, const std::string& what,
                 std::source_location where = std::source_location::current()) {
  if (is == expected) return;
  std::ostringstream text;
  text << what << ": " << is << ", not " << expected;
  fail(text.str(), where);
}

// The program's exit code.
inline int result() {
  if (failures) {
    std::printf("%d failed\n", failures);
  } else {
    std::puts("ok");
  }
  return failures ? 1 : 0;
}

}  // namespace testing
