// What the rank that was waited for did meanwhile: computation, file I/O, MPI calls that did not wait. If it waited
// itself, the cause is that of its own wait, so a chain of ranks leads back to where the time was spent.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "analysis/profile.hpp"
#include "analysis/waits/wait_states.hpp"

namespace leadline::analysis {

enum class Doing : uint8_t { computation, io, mpi, unknown };
const char* name_of(Doing doing);

// The process, what it did, and the call site: the call itself, or the one before which it computed.
using Cause = std::tuple<uint32_t, Doing, uint32_t>;
using Causes = std::map<Cause, double>;  // ns

class CauseFinder {
 public:
  CauseFinder(const TimedStep& timed, const Profile& profile) : timed_(timed), profile_(profile) {}
  // Adds the causes of the wait of `call`, and how long it waited for each.
  void add(uint32_t call, Causes* causes) const;

 private:
  void look(uint32_t culprit, double from, double to, int depth, Causes* causes) const;

  const TimedStep& timed_;
  const Profile& profile_;
};

}  // namespace leadline::analysis
