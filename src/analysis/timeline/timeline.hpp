// One iteration of a loop as a table: a row per call, by rank and time, with what is at the other end of its message.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/columns.hpp"
#include "analysis/matching/matching.hpp"
#include "analysis/profile.hpp"
#include "analysis/waits/call_waits.hpp"

namespace leadline::analysis {

// Rows are numbered from 0; -1: none. A time that is unknown is NaN. python/leadline/tables/timeline.py says what the
// columns mean.
struct TimelineColumns {
  std::vector<int32_t> process, world, rank, site;
  TextColumn function, role;
  std::vector<int32_t> kind;                           // number in `kinds`
  std::vector<std::pair<int32_t, std::string>> kinds;  // site and function, as they first occur
  std::vector<double> begin_s, end_s, gap_s, completed_s;
  std::vector<uint8_t> polled;
  std::vector<double> waited_s;         // from the call's begin on
  TextColumn wait;                      // its kind
  std::vector<int32_t> waited_process;  // that was waited for
  std::vector<int32_t> waited_index;    // the same, in the profile
  std::vector<int32_t> partner_process, partner_rank;
  std::vector<int64_t> partner_row, source_row, completion_row, iteration, bytes, bytes_received;
  // The rows that send and receive each message, -1: in another iteration.
  std::vector<int64_t> sends, receives;
  uint64_t unmatched = 0;  // ends of messages whose other end is unknown
};

// Some processes of a run and the iterations of its main loop, or of another one, on them.
class Timeline {
 public:
  // indices: of `processes` in the profile.   loop: number in Profile::loops(); 0: the main one.
  Timeline(const Profile& profile, const std::vector<std::shared_ptr<trace::Process>>& processes,
           const std::vector<uint32_t>& indices, uint32_t loop);

  const Profile& profile() const { return profile_; }

  // groups: the row in the table of call sites of each of the profile's sites, -1: in none.
  // world_ranks: of the profile's processes.   waits: nullptr unknown.   Rows ascend by WorldRank::process, then by
  // time.
  TimelineColumns iteration(uint64_t number, const std::vector<int32_t>& groups,
                            const std::vector<WorldRank>& world_ranks, const CallWaits* waits);

  // The iterations that all these processes made calls of whose times were kept. An iteration lasts from the end of the
  // call before its first one to the end of its last one.
  struct Time {
    uint64_t iteration;
    double mean_ns, longest_ns;
    uint32_t process;  // the profile's, for which it lasted longest
  };
  std::vector<Time> times();

  // Seconds in each of some iterations, ascending: of all processes by group (of sites, as below), and between calls by
  // the profile's process, without the gaps in which polls failed. Groups of -1 are left out.
  struct Sums {
    std::map<int32_t, std::vector<double>> groups;
    std::map<uint32_t, std::vector<double>> gaps;
  };
  Sums sums(const std::vector<uint64_t>& iterations, const std::vector<int32_t>& groups);

  // By iteration, the profile's sites at which a rank calls in it and not in the given one.
  std::map<uint64_t, std::set<uint32_t>> sites_besides(uint64_t iteration);

 private:
  uint32_t site_of(uint32_t process, size_t stream, uint32_t site) const;
  int32_t partner_rank(const MatchedCall& call) const;
  void add_wait(const MatchedCall& call, const std::vector<WorldRank>& world_ranks, const CallWaits* waits,
                TimelineColumns* to) const;

  const Profile& profile_;
  std::vector<std::shared_ptr<trace::Process>> processes_;
  std::vector<uint32_t> indices_;
  // By process, the communicators of one group each by their identity.
  std::vector<std::unordered_map<uint64_t, const trace::Communicator*>> communicators_;
  Matching matching_;
};

}  // namespace leadline::analysis
