// Writes the trace of one rank of a predicted run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "interchange/importing/recorded_process.hpp"
#include "interchange/predicted/made_keys.hpp"
#include "interchange/predicted/rank.hpp"
#include "replay/replay.hpp"

namespace leadline::interchange::predicted {

// What is known of the rank.   before, now: the trees without and with the changes.
struct Of {
  const replay::Recorded& recorded;
  const replay::Tree &before, &now;
  const trace::Process& process;
  const calls::RunNumbers& numbers;
};

class WrittenRank {
 public:
  WrittenRank(const Of& of, const Rank& rank);
  // calls: of the replay, in their order.   last_stays: of more steps, the last recorded one is the last one only.
  Written write(const std::vector<replay::TracedCall>& calls, uint64_t steps, bool last_stays);

 private:
  static constexpr uint32_t none = UINT32_MAX;
  struct Walk;

  bool same(uint32_t leaf) const;
  uint32_t origin(uint32_t leaf) const;
  void find_loops(const replay::RecordedShape& shape, uint32_t body, uint32_t loop);
  uint32_t context_of(uint32_t site, uint32_t leaf);
  const std::vector<uint32_t>& sites_of(uint32_t leaf);
  std::vector<RecordedKey> events_of(uint32_t leaf, uint64_t call);
  void put(const RecordedKey& event, int64_t begin_ps, int64_t end_ps, uint32_t repeats);
  void add_requests(uint32_t leaf, const std::vector<RecordedKey>& events);
  uint32_t repeated(uint32_t from, uint32_t to, uint32_t repeats) const;
  uint64_t ticks(int64_t ps) const;
  void walk(uint32_t body, Walk* walk);
  void emit(uint32_t leaf, Walk* walk);

  const Of of_;
  const replay::TreeMember& member_;
  const replay::TreeClass &then_, &now_;
  const trace::Stream& stream_;
  const RecordedKeys keys_;
  importing::RecordedProcess process_;
  importing::RecordedThread* const thread_;
  std::optional<MadeKeys> made_;
  MadeRequests requests_;
  std::vector<uint8_t> same_;                        // by leaf: as it was recorded
  std::vector<uint32_t> loop_of_;                    // by leaf: the thread's loop around it; none: it is not known yet
  std::map<uint32_t, std::vector<uint32_t>> sites_;  // by leaf that a change made
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> contexts_;  // by context and loop: one with that loop around it
  std::vector<uint32_t> loops_of_sites_;                        // by site
  std::vector<uint64_t> used_;                                  // by leaf: its calls so far
  replay::RecordedShape shape_;
  uint64_t steps_ = 0;
  std::vector<uint64_t> last_calls_;  // by leaf: of an iteration that stays the last one
  int64_t base_ps_ = 0;
  uint32_t last_site_ = 0;
  Written result_;
};

}  // namespace leadline::interchange::predicted
