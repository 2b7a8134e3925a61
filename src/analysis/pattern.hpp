// A pattern of communication or I/O, with what it was recognised by. docs/read/patterns.md defines each; the folders of
// patterns/ find them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace leadline::analysis {

using EvidenceValue = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>>;
using PatternEvidence = std::vector<std::pair<std::string, EvidenceValue>>;

struct Pattern {
  std::string name;                // one of the stable words of docs/read/patterns.md
  std::vector<uint32_t> sites;     // numbers in the profile
  std::vector<std::string> files;  // names: the first few
  bool in_main_loop = false;
  uint32_t ranks = 0;     // that take part
  uint64_t messages = 0;  // of the whole run, like all below
  int64_t bytes = 0;
  double time_ns = 0;  // in its calls, all ranks together
  PatternEvidence evidence;
};

}  // namespace leadline::analysis
