// What a walk over a stream gives, beside what it must give: every event, and runs of failed polls in their places.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "trace/process.hpp"
#include "trace/structure.hpp"

namespace leadline::trace {

struct Walked {
  struct Run {
    size_t before;  // events
    uint32_t site;  // of its first poll
    uint64_t polls;
    bool operator==(const Run&) const = default;
  };
  std::vector<Key> events;
  std::vector<Run> runs;
};

inline Walked walked(const Stream& stream) {
  Walked all;
  Walker walker(stream);
  Event e;
  while (walker.next(&e)) {
    if (e.run) {
      all.runs.push_back({all.events.size(), e.key.site, e.times});
    } else {
      all.events.insert(all.events.end(), static_cast<size_t>(e.times), e.key);
    }
  }
  return all;
}

// Runs are known to a power of two, but for one that a generation ends with (`turns`: calls before each such end).
inline Walked expected(const std::vector<Key>& log, const std::vector<size_t>& turns = {}) {
  Walked all;
  uint64_t polls = 0;
  uint32_t first = 0;
  const auto end = [&](bool exact) {
    const uint64_t known = std::min<uint64_t>(std::bit_floor(polls), uint64_t{1} << largest_magnitude);
    if (polls) all.runs.push_back({all.events.size(), first, exact ? polls : known});
    polls = 0;
  };
  size_t turn = 0;
  for (size_t i = 0; i < log.size(); ++i) {
    if (turn < turns.size() && turns[turn] == i) end(true), ++turn;
    if (log[i].comm & flag_nothing) {
      if (!polls++) first = log[i].site;
    } else {
      end(false);
      all.events.push_back(log[i]);
    }
  }
  end(true);
  return all;
}

// In words; empty where the walk gives every event, and of the runs those that are kept.
inline std::string difference(const Walked& got, const Walked& want, const Stream& stream) {
  if (got.events != want.events) {
    const auto at = std::mismatch(got.events.begin(), got.events.end(), want.events.begin(), want.events.end());
    return "event " + std::to_string(at.first - got.events.begin()) + " of " + std::to_string(want.events.size()) +
           " differs, walked " + std::to_string(got.events.size());
  }
  uint64_t dropped = 0;
  for (const WrittenGeneration& g : stream.generations) dropped += g.facts().polls_dropped;
  if (got.runs.size() + dropped != want.runs.size()) {
    return std::to_string(got.runs.size()) + " runs of polls and " + std::to_string(dropped) + " dropped of " +
           std::to_string(want.runs.size());
  }
  size_t at = 0;
  for (const Walked::Run& run : got.runs) {
    while (at < want.runs.size() && !(want.runs[at] == run)) ++at;
    if (at++ == want.runs.size()) {
      return "a run of " + std::to_string(run.polls) + " polls before event " + std::to_string(run.before) +
             " that never was";
    }
  }
  return "";
}

}  // namespace leadline::trace
