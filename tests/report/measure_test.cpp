// Messages and bytes of single calls, by the definitions in measure.hpp; every expectation is counted by hand.
#include "analysis/measure.hpp"

#include "handmade.hpp"

using namespace handmade;
using leadline::analysis::Measurer;
using leadline::analysis::partner_unknown;
using leadline::analysis::Transfer;
namespace trace = leadline::trace;

namespace {

constexpr uint32_t doubles = 1;

struct Sites {
  Process process = handmade::process(2, 4);
  uint32_t send = add_site(&process, "MPI_Send", CallClass::send);
  uint32_t irecv = add_site(&process, "MPI_Irecv", CallClass::irecv);
  uint32_t recv = add_site(&process, "MPI_Recv", CallClass::recv);
  uint32_t sendrecv = add_site(&process, "MPI_Sendrecv", CallClass::sendrecv);
  uint32_t replace = add_site(&process, "MPI_Sendrecv_replace", CallClass::sendrecv_replace);
  uint32_t wait = add_site(&process, "MPI_Wait", CallClass::wait);
  uint32_t waitall = add_site(&process, "MPI_Waitall", CallClass::waitall);
  uint32_t send_init = add_site(&process, "MPI_Send_init", CallClass::send_init);
  uint32_t recv_init = add_site(&process, "MPI_Recv_init", CallClass::recv_init);
  uint32_t start = add_site(&process, "MPI_Start", CallClass::start);
  uint32_t startall = add_site(&process, "MPI_Startall", CallClass::startall);
  uint32_t allreduce = add_site(&process, "MPI_Allreduce", CallClass::coll);
  uint32_t allreduce_init = add_site(&process, "MPI_Allreduce_init", CallClass::coll_init);
  uint32_t put = add_site(&process, "MPI_Put", CallClass::rma);
  uint32_t get = add_site(&process, "MPI_Get", CallClass::rma);
  uint32_t get_accumulate = add_site(&process, "MPI_Rget_accumulate", CallClass::rma_request);
  uint32_t write = add_site(&process, "MPI_File_write_at_all", CallClass::file_io);
  uint32_t read = add_site(&process, "MPI_File_read", CallClass::file_io);
  uint32_t probe = add_site(&process, "MPI_Probe", CallClass::probe);
};

std::vector<Transfer> measured(const Sites& sites, Key key, std::vector<int64_t> words = {}, uint64_t times = 1) {
  const Measurer measurer(sites.process, 0);
  std::vector<Transfer> out;
  measurer.measure({&key, times, words.data(), words.size(), 0, false}, &out);
  return out;
}

Key key(uint32_t site, int64_t count, int32_t peer, int64_t value = -1, uint32_t extra = 0) {
  Key k;
  k.site = site;
  k.count = count;
  k.peer = peer;
  k.datatype = doubles;
  k.value = value;
  k.extra = extra;
  return k;
}

void expect(const std::vector<Transfer>& out, size_t index, Transfer::Kind kind, uint32_t site, int64_t bytes) {
  CHECK_EQUAL(out.size() > index, true);
  CHECK_EQUAL(static_cast<int>(out[index].kind), static_cast<int>(kind));
  CHECK_EQUAL(out[index].site, site);
  CHECK_EQUAL(out[index].bytes, bytes);
}

int64_t packed(int64_t high, int64_t low) { return high << 32 | (low & 0xffffffff); }

void sends_are_messages_to_real_partners() {
  const Sites s;
  const auto out = measured(s, key(s.send, 10, -1), {}, 3);
  CHECK_EQUAL(out.size(), 1u);
  expect(out, 0, Transfer::Kind::message, s.send, 240);
  CHECK_EQUAL(out[0].times, 3u);
  CHECK_EQUAL(out[0].size, 80);
  CHECK_EQUAL(out[0].partner, 1);
  CHECK_EQUAL(measured(s, key(s.send, 10, trace::peer_null)).size(), 0u);
  CHECK_EQUAL(measured(s, key(s.send, 10, 7))[0].partner, partner_unknown);
  CHECK_EQUAL(measured(s, key(s.send, 0, 1))[0].bytes, 0);
}

void receives_count_what_came_where_it_is_known() {
  const Sites s;
  expect(measured(s, key(s.recv, 10, 1, 24)), 0, Transfer::Kind::received, s.recv, 24);
  expect(measured(s, key(s.recv, 10, 1, -1)), 0, Transfer::Kind::received, s.recv, 80);
  CHECK_EQUAL(measured(s, key(s.recv, 10, trace::peer_null)).size(), 0u);
  expect(measured(s, key(s.irecv, 10, trace::peer_any)), 0, Transfer::Kind::received, s.irecv, 80);
  CHECK_EQUAL(measured(s, key(s.probe, 0, 1, 24)).size(), 0u);
}

void completions_correct_the_receive_that_made_the_request() {
  const Sites s;
  const uint32_t link = trace::link_pack(1, s.irecv);
  expect(measured(s, key(s.wait, 10, 1, 24, link), {}, 5), 0, Transfer::Kind::received, s.irecv, 5 * (24 - 80));
  CHECK_EQUAL(measured(s, key(s.wait, 10, 1, 80, link)).size(), 0u);
  CHECK_EQUAL(measured(s, key(s.wait, 10, 1, -1, link)).size(), 0u);
  CHECK_EQUAL(measured(s, key(s.wait, 10, 1, 24, trace::link_pack(1, s.send))).size(), 0u);
  CHECK_EQUAL(measured(s, key(s.wait, 0, trace::peer_none, -1, 0)).size(), 0u);
  // A link too large to pack.
  expect(measured(s, key(s.wait, 10, 1, 8, trace::link_interned | 5), {40000, s.irecv}), 0, Transfer::Kind::received,
         s.irecv, 8 - 80);
  // A cancelled receive received nothing.
  Key cancelled = key(s.wait, 10, 1, -1, link);
  cancelled.comm |= trace::flag_cancelled;
  expect(measured(s, cancelled), 0, Transfer::Kind::received, s.irecv, -80);
  // Two receives and a send completed at once: the first receive was shorter than posted.
  const auto out = measured(s, key(s.waitall, 3, trace::peer_none, -1, 9),
                            {3, packed(1, s.irecv), 16, packed(1, 5), 80, packed(2, s.irecv), 80, packed(1, 5), 80,
                             packed(3, s.send), 0, packed(1, 5), 80});
  CHECK_EQUAL(out.size(), 1u);
  expect(out, 0, Transfer::Kind::received, s.irecv, 16 - 80);
}

void receives_of_other_threads_are_corrected_there() {
  Sites s;
  s.process.streams.push_back(s.process.streams[0]);
  s.process.streams[1].thread = 7;
  const auto out = measured(s, key(s.wait, 10, 1, 24, trace::link_interned | 5), {3, s.irecv, 7});
  expect(out, 0, Transfer::Kind::received, s.irecv, 24 - 80);
  CHECK_EQUAL(out[0].stream, 1u);
  CHECK_EQUAL(measured(s, key(s.wait, 10, 1, 24, trace::link_interned | 5), {3, s.irecv, 9}).size(), 0u);
  const auto listed = [&](int32_t thread) {
    return measured(s, key(s.waitall, 1, 0, -1, 9), {1, trace::listed_link(3, s.irecv, thread), 16, packed(1, 5), 80});
  };
  expect(listed(7), 0, Transfer::Kind::received, s.irecv, 16 - 80);
  CHECK_EQUAL(listed(7)[0].stream, 1u);
  CHECK_EQUAL(listed(-1)[0].stream, 0u);
  CHECK_EQUAL(listed(9).size(), 0u);
}

void two_way_calls_count_both_ways() {
  const Sites s;
  auto out = measured(s, key(s.sendrecv, 10, 1, 16), {4, doubles, -1, 5, 0});
  expect(out, 0, Transfer::Kind::message, s.sendrecv, 80);
  expect(out, 1, Transfer::Kind::received, s.sendrecv, 16);
  out = measured(s, key(s.sendrecv, 10, 1, -1), {4, doubles, -1, 5, 0});
  expect(out, 1, Transfer::Kind::received, s.sendrecv, 32);
  out = measured(s, key(s.sendrecv, 10, trace::peer_null, -1), {4, doubles, trace::peer_null, 5, 0});
  CHECK_EQUAL(out.size(), 0u);
  out = measured(s, key(s.replace, 10, 1, -1), {10, doubles, -1, 5, 0});
  expect(out, 1, Transfer::Kind::received, s.replace, 80);
}

void persistent_sends_are_messages_when_started() {
  const Sites s;
  CHECK_EQUAL(measured(s, key(s.send_init, 10, 1)).size(), 0u);
  CHECK_EQUAL(measured(s, key(s.recv_init, 10, 1)).size(), 0u);
  expect(measured(s, key(s.start, 10, 1, -1, trace::link_pack(1, s.send_init))), 0, Transfer::Kind::message, s.start,
         80);
  expect(measured(s, key(s.start, 10, 1, -1, trace::link_pack(1, s.recv_init))), 0, Transfer::Kind::received,
         s.recv_init, 80);
  const auto out = measured(
      s, key(s.startall, 2, trace::peer_none, -1, 4),
      {2, packed(2, s.send_init), 80, packed(-1, 5), 0, packed(1, s.send_init), 80, packed(trace::peer_null, 5), 0});
  CHECK_EQUAL(out.size(), 1u);
  expect(out, 0, Transfer::Kind::message, s.startall, 80);
  CHECK_EQUAL(out[0].partner, 1);
}

void collectives_give_and_get() {
  const Sites s;
  const auto out = measured(s, key(s.allreduce, 10, trace::peer_none), {80, 80, 0, -1, 1, -1, -1}, 2);
  CHECK_EQUAL(out.size(), 2u);
  expect(out, 0, Transfer::Kind::contributed, s.allreduce, 160);
  expect(out, 1, Transfer::Kind::collected, s.allreduce, 160);
}

void starts_of_persistent_collectives_count_what_they_say() {
  const Sites s;
  Key started = key(s.start, 72, trace::peer_none, 80, trace::link_pack(1, s.allreduce_init));
  started.comm = trace::flag_persistent_collective;
  started.datatype = 0;
  const auto out = measured(s, started, {}, 4);
  CHECK_EQUAL(out.size(), 2u);
  expect(out, 0, Transfer::Kind::contributed, s.start, 320);
  expect(out, 1, Transfer::Kind::collected, s.start, 288);
  // In a list, after a persistent send of 24 bytes to the next rank.
  const int64_t collective = trace::flag_persistent_collective;
  const std::vector<int64_t> words{2,         trace::listed_link(2, s.send_init, -1),      24, packed(1, 0),
                                   0,         trace::listed_link(1, s.allreduce_init, -1), 16, 8,
                                   collective};
  const auto listed = measured(s, key(s.startall, 2, trace::peer_none), words);
  CHECK_EQUAL(listed.size(), 3u);
  expect(listed, 0, Transfer::Kind::message, s.startall, 24);
  expect(listed, 1, Transfer::Kind::contributed, s.startall, 16);
  expect(listed, 2, Transfer::Kind::collected, s.startall, 8);
  // Summed up beyond the budget there is one sum for two figures.
  Measurer measurer(s.process, 0);
  std::vector<Transfer> none;
  started.value = 1;
  measurer.measure({&started, 5, nullptr, 0, 400, true}, &none);
  CHECK_EQUAL(none.size(), 0u);
  CHECK_EQUAL(measurer.unknown_bytes(), 5u);
}

void one_sided_operations_have_a_target_and_move_bytes_either_way() {
  const Sites s;
  const auto put = measured(s, key(s.put, 10, 1), {}, 3);
  CHECK_EQUAL(put.size(), 2u);
  expect(put, 0, Transfer::Kind::operation, s.put, 240);
  expect(put, 1, Transfer::Kind::put, s.put, 240);
  CHECK_EQUAL(put[0].size, 80);
  CHECK_EQUAL(put[0].times, 3u);
  CHECK_EQUAL(put[0].partner, 3);  // of rank 2, the next one
  const auto get = measured(s, key(s.get, 10, -2));
  CHECK_EQUAL(get.size(), 2u);
  expect(get, 1, Transfer::Kind::got, s.get, 80);
  CHECK_EQUAL(get[1].partner, 0);
  const auto both = measured(s, key(s.get_accumulate, 10, 0));
  CHECK_EQUAL(both.size(), 3u);
  expect(both, 0, Transfer::Kind::operation, s.get_accumulate, 80);
  expect(both, 1, Transfer::Kind::put, s.get_accumulate, 80);
  expect(both, 2, Transfer::Kind::got, s.get_accumulate, 80);
  // With MPI_NO_OP nothing is put.
  Key fetches = key(s.get_accumulate, 10, 0);
  fetches.comm = trace::flag_only_fetches;
  const auto fetched = measured(s, fetches);
  CHECK_EQUAL(fetched.size(), 2u);
  expect(fetched, 1, Transfer::Kind::got, s.get_accumulate, 80);
  // An operation of nothing is one; on nobody, or one that failed, is none.
  CHECK_EQUAL(measured(s, key(s.put, 0, 1)).size(), 2u);
  CHECK_EQUAL(measured(s, key(s.put, 10, trace::peer_null)).size(), 0u);
  CHECK_EQUAL(measured(s, key(s.get, 10, trace::peer_none)).size(), 0u);
}

void targets_of_a_window_are_those_of_its_communicator() {
  Sites s;
  trace::Communicator half, window;
  half.world = leadline::trace::Members({2, 0});
  half.size = 2;
  window.kind = trace::Communicator::Kind::window;
  window.parent = 1;
  window.size = 2;
  s.process.communicators.push_back(half);
  s.process.communicators.push_back(window);
  Key on_window = key(s.put, 10, 1);
  on_window.comm = 2;
  CHECK_EQUAL(measured(s, on_window)[0].partner, 0);
  on_window.peer = 2;
  CHECK_EQUAL(measured(s, on_window)[0].partner, partner_unknown);
}

void file_calls_move_bytes_but_send_no_messages() {
  const Sites s;
  expect(measured(s, key(s.write, 10, trace::peer_none, 64)), 0, Transfer::Kind::written, s.write, 64);
  CHECK_EQUAL(measured(s, key(s.write, 10, trace::peer_none, 64)).size(), 1u);
  expect(measured(s, key(s.read, 10, trace::peer_none, 64)), 0, Transfer::Kind::received, s.read, 64);
}

void what_was_summed_up_beyond_the_budget_keeps_its_bytes() {
  const Sites s;
  const Measurer measurer(s.process, 0);
  const Key sent = key(s.send, 3, 1, -1);  // counts of 8 to 15
  std::vector<Transfer> out;
  measurer.measure({&sent, 10, nullptr, 0, 107, true}, &out);
  expect(out, 0, Transfer::Kind::message, s.send, 107 * 8);
  CHECK_EQUAL(out[0].times, 10u);
  CHECK_EQUAL(out[0].exact_size, false);
  const Key received = key(s.recv, 3, 1, 1);  // amount = bytes received
  out.clear();
  measurer.measure({&received, 10, nullptr, 0, 107, true}, &out);
  expect(out, 0, Transfer::Kind::received, s.recv, 107);
}

void indices_out_of_range_do_no_harm() {
  const Sites s;
  Key wild = key(999, 10, 1);
  CHECK_EQUAL(measured(s, wild).size(), 0u);
  wild = key(s.send, INT64_MAX, 1);
  wild.datatype = 77;
  wild.comm = 0xffffff;
  expect(measured(s, wild), 0, Transfer::Kind::message, s.send, 0);
  wild = key(s.send, INT64_MAX, INT32_MAX);
  expect(measured(s, wild), 0, Transfer::Kind::message, s.send, 0);
  CHECK_EQUAL(measured(s, key(s.waitall, 1, 0, 0, 7), {1, -1, 5}).size(), 0u);
  CHECK_EQUAL(measured(s, key(s.wait, 1, 0, 5, trace::link_pack(3, 9999))).size(), 0u);
}

}  // namespace

int main() {
  sends_are_messages_to_real_partners();
  receives_count_what_came_where_it_is_known();
  completions_correct_the_receive_that_made_the_request();
  receives_of_other_threads_are_corrected_there();
  two_way_calls_count_both_ways();
  persistent_sends_are_messages_when_started();
  collectives_give_and_get();
  starts_of_persistent_collectives_count_what_they_say();
  one_sided_operations_have_a_target_and_move_bytes_either_way();
  targets_of_a_window_are_those_of_its_communicator();
  file_calls_move_bytes_but_send_no_messages();
  what_was_summed_up_beyond_the_budget_keeps_its_bytes();
  indices_out_of_range_do_no_harm();
  return 0;
}
