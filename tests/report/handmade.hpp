// A process built by hand, with tallies and times given instead of a recorded structure.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "analysis/profile.hpp"
#include "trace/process.hpp"
#include "trace/structure.hpp"

namespace handmade {

using leadline::trace::CallClass;
using leadline::trace::Key;
using leadline::trace::Process;
using leadline::trace::Stream;
using leadline::trace::Tally;
using leadline::trace::TimeStats;

#define CHECK_EQUAL(actual, expected)                                                           \
  do {                                                                                          \
    const auto a_ = (actual);                                                                   \
    const decltype(a_) e_ = (expected);                                                         \
    if (!(a_ == e_)) {                                                                          \
      std::fprintf(stderr, "%s:%d: %s is %.17g, expected %.17g\n", __FILE__, __LINE__, #actual, \
                   static_cast<double>(a_), static_cast<double>(e_));                           \
      std::exit(1);                                                                             \
    }                                                                                           \
  } while (false)

struct OwnTally {
  Key key;
  uint64_t times = 1;
  std::vector<int64_t> words;
  int64_t amount = 0;
  bool coarse = false;
};

struct Events {
  std::vector<OwnTally> tallies;
  std::vector<std::pair<uint32_t, TimeStats>> times;
};

// Events by stream, which is what the profile asks for.
struct Source {
  std::map<const Stream*, Events> events;

  leadline::analysis::StreamReader reader() {
    return {[this](const Stream& stream, const std::function<void(const Tally&)>& visit) {
              for (const OwnTally& t : events[&stream].tallies)
                visit({&t.key, t.times, t.words.data(), t.words.size(), t.amount, t.coarse});
            },
            [this](const Stream& stream, const std::function<void(uint32_t, const TimeStats&)>& visit) {
              for (const auto& [site, stats] : events[&stream].times) visit(site, stats);
            }};
  }
};

inline TimeStats time_stats(uint64_t count, double sum_ns, double min_ns, double max_ns, double gap_ns = 0) {
  TimeStats stats;
  stats.count = count;
  stats.sum_ns = sum_ns;
  stats.min_ns = min_ns;
  stats.max_ns = max_ns;
  stats.gap_sum_ns = gap_ns;
  stats.hist.add(5, count);
  return stats;
}

// Datatype 0 has no size, 1 is a double; communicator 0 is the world.
inline Process process(int32_t rank, int32_t size) {
  Process p;
  p.rank = rank;
  p.world_size = size;
  p.datatypes.resize(2);
  p.datatypes[1].size = 8;
  p.communicators.resize(1);
  p.communicators[0].rank = rank;
  p.communicators[0].size = size;
  std::vector<int32_t> world(static_cast<size_t>(size));
  std::iota(world.begin(), world.end(), 0);
  p.communicators[0].world = leadline::trace::Members(world);
  p.streams.resize(1);
  return p;
}

inline uint32_t add_site(Process* p, const std::string& function, CallClass cls,
                         const std::vector<leadline::trace::Frame>& frames = {}) {
  uint32_t index = 0;
  while (index < p->functions.size() && p->functions[index].name != function) ++index;
  if (index == p->functions.size()) p->functions.push_back({function, cls});
  Stream& stream = p->streams[0];
  stream.sites.push_back({index, leadline::trace::add_path(&stream.contexts, frames, true), 0, true});
  return static_cast<uint32_t>(stream.sites.size() - 1);
}

}  // namespace handmade
