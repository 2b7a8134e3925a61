// Patterns of communication and I/O that a run shows, with what they were recognised by. docs/read/patterns.md defines
// each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/patterns/exchanges/exchange.hpp"
#include "analysis/profile.hpp"
#include "trace/process.hpp"

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

class PatternFinder {
 public:
  // The profile has all processes of the run and outlives this.
  explicit PatternFinder(const Profile& profile);
  ~PatternFinder();
  // All processes again, in the profile's order.
  void add(const trace::Process& process, uint32_t index);
  // Once, after the last process.
  std::vector<Pattern> find(const SourcePlaces& places);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leadline::analysis
