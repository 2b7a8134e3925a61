// Columns of the tables that grow with sites times ranks: three hand-built processes, listed in another order.
#include "analysis/columns.hpp"

#include <cmath>

#include "handmade.hpp"

using namespace handmade;
using leadline::analysis::call_columns;
using leadline::analysis::CallColumns;
using leadline::analysis::matrix_columns;
using leadline::analysis::MatrixColumns;
using leadline::analysis::Profile;
using leadline::analysis::validity_of;
using leadline::analysis::WorldRank;
namespace trace = leadline::trace;

namespace {

Key key(uint32_t site, int64_t count, int32_t peer) {
  Key k;
  k.site = site;
  k.count = count;
  k.peer = peer;
  k.datatype = 1;
  k.value = trace::unknown_value;
  return k;
}

// Rank r sends r + 1 messages of 10 doubles to rank (r + 1) % 3 from one place, ranks 1 and 2 one more from another,
// and rank 2 receives 4 doubles. Each calls MPI_Comm_rank ten times. The process of rank r is number r of the profile.
Profile three_ranks() {
  Profile profile;
  for (int32_t rank = 0; rank < 3; ++rank) {
    Process p = process(rank, 3);
    p.modules = {{"/bin/app", "ab"}};
    const uint32_t send = add_site(&p, "MPI_Send", CallClass::send, {{0, 0x100}});
    const uint32_t again = add_site(&p, "MPI_Send", CallClass::send, {{0, 0x200}});
    const uint32_t receive = add_site(&p, "MPI_Recv", CallClass::recv, {{0, 0x300}});
    p.functions.push_back({"MPI_Comm_rank", CallClass::local});
    p.streams[0].locals.push_back({static_cast<uint32_t>(p.functions.size() - 1), {0, 0x400}, 10, 50.0});
    const int32_t next = rank == 2 ? -2 : 1;  // relative to the caller, as the trace has it
    Events events;
    events.tallies.push_back({key(send, 10, next), static_cast<uint64_t>(rank + 1), {}});
    events.times.emplace_back(send, time_stats(static_cast<uint64_t>(rank + 1), 100.0, 90, 110));
    if (rank > 0) {
      events.tallies.push_back({key(again, 10, next), 1, {}});
      events.times.emplace_back(again, time_stats(1, 40, 40, 40));
    }
    if (rank == 2) {
      Key k = key(receive, 4, -1);
      k.value = 32;
      events.tallies.push_back({k, 1, {}});
      events.times.emplace_back(receive, time_stats(1, 7, 7, 7));
    }
    Source source;
    source.events[&p.streams[0]] = events;
    profile.add(p, source.reader());
  }
  return profile;
}

std::vector<uint32_t> sites_of(const Profile& profile, const std::string& function) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < profile.sites().size(); ++i)
    if (profile.functions()[profile.sites()[i].function].name == function) found.push_back(i);
  return found;
}

std::vector<std::string> names_of(const Profile& profile) {
  std::vector<std::string> names;
  for (const trace::Function& f : profile.functions()) names.push_back(f.name);
  return names;
}

// Rank 2 comes first, then 0, then 1, of which neither world nor rank is known.
const std::vector<WorldRank> world_ranks = {{1, 0, 0}, {2, -1, -1}, {0, 0, 2}};

void sites_of_a_group_are_one_row_on_each_rank() {
  const Profile profile = three_ranks();
  const std::vector<std::vector<uint32_t>> groups = {
      {}, sites_of(profile, "MPI_Send"), sites_of(profile, "MPI_Recv"), sites_of(profile, "MPI_Comm_rank"), {999}};
  const CallColumns c = call_columns(profile, groups, names_of(profile), world_ranks);
  CHECK_EQUAL(c.site == std::vector<int32_t>({1, 1, 1, 2, 3, 3, 3}), true);
  CHECK_EQUAL(c.process == std::vector<int32_t>({0, 1, 2, 0, 0, 1, 2}), true);
  CHECK_EQUAL(c.rank == std::vector<int32_t>({2, 0, -1, 2, 2, 0, -1}), true);
  CHECK_EQUAL(c.world == std::vector<int32_t>({0, 0, -1, 0, 0, 0, -1}), true);
  CHECK_EQUAL(c.calls == std::vector<int64_t>({4, 1, 3, 1, 10, 10, 10}), true);
  CHECK_EQUAL(c.messages == std::vector<int64_t>({4, 1, 3, 0, 0, 0, 0}), true);
  CHECK_EQUAL(c.bytes == std::vector<int64_t>({320, 80, 240, 32, 0, 0, 0}), true);
  CHECK_EQUAL(c.received == std::vector<int64_t>({0, 0, 0, 32, 0, 0, 0}), true);
  CHECK_EQUAL(c.time_s[0], 140 * 1e-9);
  CHECK_EQUAL(c.min_s[0], 40 * 1e-9);
  CHECK_EQUAL(c.max_s[0], 110 * 1e-9);
  CHECK_EQUAL(c.min_s[1], 90 * 1e-9);
  CHECK_EQUAL(std::isnan(c.min_s[4]) && std::isnan(c.max_s[4]), true);  // timed in sum only
  CHECK_EQUAL(c.time_s[4], 50 * 1e-9);
  CHECK_EQUAL(c.function.offsets.size(), c.site.size() + 1);
  CHECK_EQUAL(std::string(c.function.bytes.begin() + c.function.offsets[3],
                          c.function.bytes.begin() + c.function.offsets[4]) == "MPI_Recv",
              true);
}

void pairs_are_in_the_order_of_the_ranks_table() {
  const Profile profile = three_ranks();
  const MatrixColumns m = matrix_columns(profile, world_ranks);
  CHECK_EQUAL(m.process == std::vector<int32_t>({0, 1, 2}), true);
  CHECK_EQUAL(m.source == std::vector<int32_t>({2, 0, -1}), true);
  CHECK_EQUAL(m.target == std::vector<int32_t>({0, 1, 2}), true);
  CHECK_EQUAL(m.messages == std::vector<int64_t>({4, 1, 3}), true);
  CHECK_EQUAL(m.bytes == std::vector<int64_t>({320, 80, 240}), true);
}

void a_bit_is_cleared_for_each_unknown_value() {
  std::vector<int32_t> numbers(17, 5);
  CHECK_EQUAL(validity_of(numbers.data(), numbers.size()).bits.empty(), true);
  numbers[0] = numbers[9] = numbers[16] = -1;
  const auto found = validity_of(numbers.data(), numbers.size());
  CHECK_EQUAL(found.unknown, 3);
  CHECK_EQUAL(found.bits.size(), 3u);
  for (size_t i = 0; i < numbers.size(); ++i) CHECK_EQUAL((found.bits[i / 8] >> (i % 8) & 1) == 1, numbers[i] != -1);
  const double times[] = {1, std::nan(""), -1};
  CHECK_EQUAL(validity_of(times, 3).unknown, 1);
  const int64_t sizes[] = {-2, -1};
  CHECK_EQUAL(validity_of(sizes, 2).unknown, 1);
}

}  // namespace

int main() {
  sites_of_a_group_are_one_row_on_each_rank();
  pairs_are_in_the_order_of_the_ranks_table();
  a_bit_is_cleared_for_each_unknown_value();
}
