#include "bench/team.hpp"

#include <map>

namespace leadline::bench {

namespace {

using collectives::node::Team;

const Job& meeting_of(void* state) { return *static_cast<const Job*>(state); }

bool gather_offers(void* state, const void* mine, void* all, int bytes) {
  return MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, meeting_of(state).comm) == MPI_SUCCESS;
}

bool all_agree(void* state, bool mine) {
  const int one = mine;
  int all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_MIN, meeting_of(state).comm);
  return all != 0;
}

}  // namespace

Team* team_of(const Job& job, const std::vector<int>& node_of) {
  static std::map<std::vector<int>, std::unique_ptr<Team>> teams;
  const auto [at, is_new] = teams.try_emplace(node_of);
  if (is_new)
    at->second = Team::make(job.rank, job.size, node_of.data(), {const_cast<Job*>(&job), gather_offers, all_agree});
  return at->second.get();
}

void go_on(MPI_Comm comm) {
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
}

}  // namespace leadline::bench
