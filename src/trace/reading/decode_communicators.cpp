#include <algorithm>
#include <mutex>
#include <vector>

#include "trace/limits.hpp"
#include "trace/reading/decode.hpp"

namespace leadline::trace {

namespace {

struct MemberRun {
  uint64_t length;
  int64_t rank, stride;
  bool operator==(const MemberRun&) const = default;
};

Members expanded(const std::vector<MemberRun>& runs, uint64_t members) {
  std::vector<int32_t> ranks;
  ranks.reserve(members);
  for (const MemberRun& run : runs) {
    int64_t rank = run.rank;
    for (uint64_t r = 0; r < run.length; ++r, rank = wrapping_sum(rank, run.stride))
      ranks.push_back(static_cast<int32_t>(rank));
  }
  return Members(std::move(ranks));
}

// All processes have a communicator of all of them: the last large ones are kept for the next process.
Members members_of(const std::vector<MemberRun>& runs, uint64_t members) {
  constexpr uint64_t few = 64, many = uint64_t{1} << 19;
  constexpr size_t most_runs = 16, most_kept = 4;
  if (members <= few || members > many || runs.size() > most_runs) return expanded(runs, members);
  struct Known {
    std::vector<MemberRun> runs;
    Members members;
  };
  static std::mutex mutex;
  static std::vector<Known> known;
  const std::lock_guard locked(mutex);
  for (const Known& k : known) {
    if (k.runs == runs) return k.members;
  }
  if (known.size() == most_kept) known.erase(known.begin());
  known.push_back({runs, expanded(runs, members)});
  return known.back().members;
}

// Of those from `first` on. Older traces have none.
void decode_topologies(ByteReader& in, size_t first, std::vector<Communicator>* communicators) {
  for (size_t left = in.count(3); left && in.ok(); --left) {
    const uint64_t number = in.varint();
    if (number >= communicators->size() - first) return in.fail();
    Communicator& c = (*communicators)[first + static_cast<size_t>(number)];
    c.topology = static_cast<Topology>(std::min<int>(in.byte(), static_cast<int>(Topology::distributed_graph)));
    const size_t dims = in.count();
    if (dims > most_grid_dims) return in.fail();
    c.grid.clear();
    for (size_t d = 0; d < dims; ++d) {
      const uint64_t side = in.varint();
      if (side >> 1 > INT32_MAX) return in.fail();
      c.grid.push_back({static_cast<int32_t>(side >> 1), (side & 1) != 0});
    }
  }
}

}  // namespace

void decode_communicators(ByteReader& in, Process* p) {
  const size_t n = in.count(6), first = p->communicators.size();
  // A run of members takes a few bytes whatever its length, so their expanded number has its own bound.
  uint64_t members_left = capacity::members;
  for (const Communicator& c : p->communicators) members_left -= c.world.size();
  for (size_t i = 0; i < n && in.ok(); ++i) {
    Communicator c;
    c.kind = static_cast<Communicator::Kind>(std::min<int>(in.byte(), static_cast<int>(Communicator::Kind::file)));
    c.parent = static_cast<uint32_t>(in.varint());
    c.identity = in.varint();
    c.rank = static_cast<int32_t>(in.svarint());
    c.size = static_cast<int32_t>(in.svarint());
    const uint64_t members = in.varint();
    if (members > members_left) return in.fail();
    members_left -= members;
    std::vector<MemberRun> runs;
    for (uint64_t found = 0; found < members && in.ok(); found += runs.back().length) {
      const uint64_t length = in.varint();
      const int64_t rank = in.svarint();
      runs.push_back({length, rank, in.svarint()});
      if (!length || length > members - found) return in.fail();
    }
    if (in.ok()) c.world = members_of(runs, members);
    p->communicators.push_back(std::move(c));
  }
  if (!in.at_end()) decode_topologies(in, first, &p->communicators);
}

}  // namespace leadline::trace
