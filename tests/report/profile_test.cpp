// The profile of three hand-built processes: sites that are one though numbered differently, spreads, matrix, sizes.
#include "analysis/profile.hpp"

#include "analysis/demangle.hpp"
#include "handmade.hpp"

using namespace handmade;
using leadline::analysis::Counts;
using leadline::analysis::Edge;
using leadline::analysis::Profile;
using leadline::analysis::Row;
namespace trace = leadline::trace;

namespace {

Key key(uint32_t site, int64_t count, int32_t peer, uint32_t comm = 0) {
  Key k;
  k.site = site;
  k.count = count;
  k.peer = peer;
  k.datatype = 1;
  k.comm = comm;
  k.value = trace::unknown_value;
  return k;
}

// Rank r sends r + 1 messages of 10 doubles to rank 0 of a communicator of ranks 2 and r (r < 2), or to rank 0 of the
// world (rank 2), and receives nothing. On rank 1 the tables are in another order.
struct Case {
  Source source;
  Profile profile;

  Case() {
    for (int32_t rank = 0; rank < 3; ++rank) {
      Process p = process(rank, 3);
      if (rank == 1) p.modules = {{"/lib/libc.so", "c0"}, {"/bin/app", "ab"}};
      if (rank != 1) p.modules = {{"/bin/app", "ab"}, {"/lib/libc.so", "c0"}};
      const uint32_t app = rank == 1 ? 1 : 0;
      uint32_t barrier = 0;
      if (rank == 1) barrier = add_site(&p, "MPI_Barrier", CallClass::coll, {{app, 0x300}});
      const uint32_t send = add_site(&p, "MPI_Send", CallClass::send, {{app, 0x100}, {app, 0x200}});
      if (rank != 1) barrier = add_site(&p, "MPI_Barrier", CallClass::coll, {{app, 0x300}});
      Events events;
      if (rank < 2) {
        p.communicators.push_back({trace::Communicator::Kind::intra, 0, 5, 1, 2, trace::Members({2, rank}), {}, {}});
        events.tallies.push_back({key(send, 10, -1, 1), static_cast<uint64_t>(rank + 1), {}});
      } else {
        events.tallies.push_back({key(send, 10, -2), 3, {}});
      }
      events.tallies.push_back({key(barrier, 0, trace::peer_none), 1, {0, 0}});
      events.times.emplace_back(send, time_stats(static_cast<uint64_t>(rank + 1), 100.0 * (rank + 1), 90, 110, 5));
      events.times.emplace_back(barrier, time_stats(1, 1000, 1000, 1000, 7));
      p.functions.push_back({"MPI_Comm_rank", CallClass::local});
      const auto comm_rank = static_cast<uint32_t>(p.functions.size() - 1);
      p.streams[0].locals.push_back({comm_rank, {app, 0x400}, 10, 50.0});
      source.events[&p.streams[0]] = events;
      profile.add(p, source.reader());
      source.events.clear();
    }
  }

  std::vector<uint32_t> sites_of(const std::string& function) const {
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < profile.sites().size(); ++i)
      if (profile.functions()[profile.sites()[i].function].name == function) found.push_back(i);
    return found;
  }
};

void sites_are_one_where_function_and_frames_agree() {
  const Case c;
  CHECK_EQUAL(c.profile.modules().size(), 2u);
  CHECK_EQUAL(c.profile.functions().size(), 3u);
  CHECK_EQUAL(c.profile.sites().size(), 3u);
  CHECK_EQUAL(c.sites_of("MPI_Send").size(), 1u);
}

void rows_sum_and_spread_over_processes() {
  const Case c;
  const auto rows = c.profile.rows({c.sites_of("MPI_Send"), c.sites_of("MPI_Comm_rank"), {}});
  const Row& send = rows[0];
  CHECK_EQUAL(send.total.calls, 6u);
  CHECK_EQUAL(send.total.messages, 6u);
  CHECK_EQUAL(send.total.sent, 480);
  CHECK_EQUAL(send.total.time_ns, 600.0);
  CHECK_EQUAL(send.calls.min, 1.0);
  CHECK_EQUAL(send.calls.median, 2.0);
  CHECK_EQUAL(send.calls.max, 3.0);
  CHECK_EQUAL(send.calls.min_process, 0u);
  CHECK_EQUAL(send.calls.max_process, 2u);
  CHECK_EQUAL(send.time_ns.median, 200.0);
  CHECK_EQUAL(send.bytes.max, 240.0);
  CHECK_EQUAL(send.min_ns, 90.0);
  CHECK_EQUAL(send.max_ns, 110.0);
  CHECK_EQUAL(send.processes, 3u);
  CHECK_EQUAL(send.hist[5], 6u);
  CHECK_EQUAL(send.sizes.distinct.at(80), 6u);
  CHECK_EQUAL(send.sizes.messages[7], 6u);  // 64 <= 80 < 128
  CHECK_EQUAL(rows[1].total.calls, 30u);
  CHECK_EQUAL(rows[1].total.time_ns, 150.0);
  CHECK_EQUAL(rows[2].total.calls, 0u);
  CHECK_EQUAL(rows[2].calls.max, 0.0);
}

void partners_are_world_ranks_whatever_the_communicator() {
  const Case c;
  const std::vector<Edge> edges = c.profile.edges();
  CHECK_EQUAL(edges.size(), 3u);
  CHECK_EQUAL(edges[0].source, 0u);
  CHECK_EQUAL(edges[0].target, 2);
  CHECK_EQUAL(edges[0].messages, 1u);
  CHECK_EQUAL(edges[1].source, 1u);
  CHECK_EQUAL(edges[1].target, 2);
  CHECK_EQUAL(edges[1].bytes, 160);
  CHECK_EQUAL(edges[2].target, 0);
  CHECK_EQUAL(edges[2].bytes, 240);
}

void processes_know_their_totals_and_what_kind_of_calls_took_time() {
  const Case c;
  const auto& last = c.profile.processes()[2];
  CHECK_EQUAL(last.total.calls, 14u);
  CHECK_EQUAL(last.total.time_ns, 300.0 + 1000 + 50);
  CHECK_EQUAL(last.gap_ns, 12.0);
  CHECK_EQUAL(last.category_ns[static_cast<size_t>(leadline::analysis::Category::collective)], 1000.0);
  CHECK_EQUAL(last.category_calls[static_cast<size_t>(leadline::analysis::Category::local)], 10u);
  Counts second;
  for (const uint32_t site : c.sites_of("MPI_Send")) {
    for (const auto& cell : c.profile.sites()[site].cells) {
      if (cell.process == 1) second.add(cell.counts);
    }
  }
  CHECK_EQUAL(second.sent, 160);
}

void too_many_sizes_keep_the_histogram_only() {
  leadline::analysis::Sizes sizes;
  for (int64_t size = 0; size < 5000; ++size) sizes.add(size, 2, 2 * size, true);
  CHECK_EQUAL(sizes.distinct_complete, false);
  CHECK_EQUAL(sizes.distinct.size(), 0u);
  CHECK_EQUAL(sizes.messages[0], 2u);
  CHECK_EQUAL(sizes.messages[10], 2u * 512);
  CHECK_EQUAL(sizes.bytes[1], 2.0);
}

void medians_of_even_numbers_are_the_mean_of_the_middle_two() {
  Profile profile;
  Source source;
  for (int32_t rank = 0; rank < 4; ++rank) {
    Process p = process(rank, 4);
    const uint32_t site = add_site(&p, "MPI_Barrier", CallClass::coll);
    source.events[&p.streams[0]].tallies.push_back(
        {key(site, 0, trace::peer_none), static_cast<uint64_t>(1 + rank * rank), {0, 0}});
    profile.add(p, source.reader());
    source.events.clear();
  }
  CHECK_EQUAL(profile.rows({{0}})[0].calls.median, 3.5);  // of 1, 2, 5, 10
}

void check_name(const char* mangled, const char* expected) {
  const std::string found = leadline::analysis::demangle_short(mangled);
  if (found != expected) {
    std::fprintf(stderr, "%s became %s, expected %s\n", mangled, found.c_str(), expected);
    std::exit(1);
  }
}

void names_lose_types_and_parameters() {
  check_name("_ZN5opatm6trcadvEi", "opatm::trcadv");
  check_name("_ZN12_GLOBAL__N_18exchangeEPdi", "(anonymous namespace)::exchange");
  check_name("_ZNK3foo3barIiEEvT_", "foo::bar<int>");
  check_name("_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()");
  check_name("_ZN3FoocviEv", "Foo::operator int");
  check_name("_Z8exchangePd.constprop.0", "exchange");
  check_name("_Z3fooPFvvE", "foo");
  check_name("trcadv_", "trcadv_");
  check_name("_Zbroken", "_Zbroken");
}

}  // namespace

int main() {
  sites_are_one_where_function_and_frames_agree();
  rows_sum_and_spread_over_processes();
  partners_are_world_ranks_whatever_the_communicator();
  processes_know_their_totals_and_what_kind_of_calls_took_time();
  too_many_sizes_keep_the_histogram_only();
  medians_of_even_numbers_are_the_mean_of_the_middle_two();
  names_lose_types_and_parameters();
  return 0;
}
