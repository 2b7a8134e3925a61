// Finds the patterns of communication and I/O that a run shows (pattern.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/pattern.hpp"
#include "analysis/patterns/exchanges/exchange.hpp"
#include "analysis/profile.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

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
