// Messages of one iteration find their other ends, whatever completes them: every expectation is counted by hand.
#include "analysis/matching/matching.hpp"

#include <memory>
#include <string>
#include <vector>

#include "../native/check.hpp"
#include "../recording/memory_thread.hpp"
#include "structure/requests.hpp"

namespace {

using testing::check;
using namespace leadline;
using analysis::MatchedCall;
using analysis::MatchedIteration;
using recording::MemoryThread;
using trace::CallClass;
using trace::Key;
using trace::Process;

constexpr uint32_t first_comm = 1, second_comm = 2, iterations = 400;
constexpr CallClass classes[] = {CallClass::other,      CallClass::send,     CallClass::send,     CallClass::irecv,
                                 CallClass::irecv,      CallClass::waitall,  CallClass::coll,     CallClass::recv_init,
                                 CallClass::start,      CallClass::wait,     CallClass::startall, CallClass::psend_init,
                                 CallClass::precv_init, CallClass::isendrecv};
enum Site : uint32_t {
  none,
  send_one,
  send_two,
  from_anybody,
  of_any_tag,
  wait_all,
  reduce,
  init,
  start,
  wait,
  starts,
  partitioned_send,
  partitioned_receive,
  exchange
};

Key call(Site site, uint32_t comm, int32_t peer, int32_t tag, uint32_t extra = 0) {
  Key k;
  k.site = site;
  k.comm = comm;
  k.count = 1;
  k.peer = peer;
  k.tag = tag;
  k.datatype = 1;
  k.extra = extra;
  return k;
}

int64_t whom(int32_t peer, int32_t tag) {
  return static_cast<int64_t>(uint64_t{static_cast<uint32_t>(peer)} << 32 | static_cast<uint32_t>(tag));
}

std::shared_ptr<Process> process_of(int32_t rank, MemoryThread* thread) {
  auto p = std::make_shared<Process>();
  p->rank = rank;
  p->world_size = 2;
  p->initialized = true;
  p->datatypes.resize(2);
  p->communicators.resize(3);
  for (uint32_t c = first_comm; c <= second_comm; ++c) {
    p->communicators[c].identity = 100 + c;
    p->communicators[c].rank = rank;
    p->communicators[c].size = 2;
    p->communicators[c].world = leadline::trace::Members({0, 1});
  }
  std::string error;
  p->streams.push_back(thread->decode(&error));
  check(error.empty(), error);
  for (const CallClass c : classes) {
    p->functions.push_back({"function " + std::to_string(p->functions.size()), c});
    p->streams[0].sites.push_back({static_cast<uint32_t>(p->functions.size() - 1), 0, 0, false});
  }
  p->streams[0].site_loops.assign(std::size(classes), 0);
  return p;
}

// The sender's two messages and the reduction, on both sides in each iteration.
std::shared_ptr<Process> sender() {
  MemoryThread thread;
  for (uint32_t i = 0; i < iterations; ++i) {
    thread.add(call(send_one, first_comm, 1, 5), 300, 100);
    thread.add(call(send_two, second_comm, 1, 7), 300, 100);
    thread.add(call(reduce, first_comm, trace::peer_none, 0), 900, 100);
  }
  return process_of(0, &thread);
}

using Receive = void (*)(MemoryThread*);

std::shared_ptr<Process> receiver(Receive receive) {
  MemoryThread thread;
  for (uint32_t i = 0; i < iterations; ++i) {
    receive(&thread);
    thread.add(call(reduce, first_comm, trace::peer_none, 0), 500, 100);
  }
  return process_of(1, &thread);
}

// A list that completes a receive from anybody on one communicator and one of any tag on the other.
void by_a_list(MemoryThread* thread) {
  thread->add(call(from_anybody, first_comm | trace::flag_any_source, trace::peer_any, 5), 100, 50);
  thread->add(call(of_any_tag, second_comm | trace::flag_any_tag, -1, trace::tag_any), 100, 50);
  const int64_t words[] = {2, trace::listed_link(2, from_anybody, -1), 8, whom(-1, 5),
                           8, trace::listed_link(1, of_any_tag, -1),   8, whom(-1, 7),
                           8};
  const uint32_t list = thread->graph().intern(words, 9);
  thread->add(call(wait_all, 0, trace::peer_none, 0, list), 500, 50);
}

// The same, with the receives completed in the other order by two calls.
void one_after_the_other(MemoryThread* thread) {
  thread->add(call(of_any_tag, second_comm | trace::flag_any_tag, -1, trace::tag_any), 100, 50);
  thread->add(call(from_anybody, first_comm | trace::flag_any_source, trace::peer_any, 5), 100, 50);
  const int64_t words[] = {1, trace::listed_link(1, from_anybody, -1), 8, whom(-1, 5), 8};
  const uint32_t list = thread->graph().intern(words, 5);
  thread->add(call(wait_all, 0, trace::peer_none, 0, list), 300, 50);
  thread->add(call(wait, second_comm | trace::flag_any_tag, -1, 7, trace::link_pack(2, of_any_tag)), 300, 50);
}

// Persistent receives: their messages count when they complete.
void persistent(MemoryThread* thread) {
  const int64_t start_words[] = {2,          trace::listed_link(2, init, -1), 8, whom(trace::peer_any, 5),
                                 first_comm, trace::listed_link(1, init, -1), 8, whom(-1, 7),
                                 second_comm};
  thread->add(call(starts, 0, trace::peer_none, 0, thread->graph().intern(start_words, 9)), 100, 50);
  const int64_t words[] = {2, trace::listed_link(2, init, -1), 8, whom(-1, 5), 8, trace::listed_link(1, init, -1), 8, 0,
                           8};
  thread->add(call(wait_all, 0, trace::peer_none, 0, thread->graph().intern(words, 9)), 500, 50);
}

void all_messages_have_both_ends(const char* name, Receive receive) {
  const auto from = sender(), to = receiver(receive);
  analysis::Matching matching({from, to});
  for (const uint64_t iteration : {uint64_t{2}, uint64_t{iterations / 2}}) {
    const MatchedIteration matched = matching.iteration(iteration);
    size_t sends = 0, wrong = 0;
    for (const MatchedCall& c : matched.calls) {
      if (c.process != 0 || c.iteration != iteration || c.role != MatchedCall::Role::send) continue;
      ++sends;
      const uint64_t comm = c.tag == 5 ? 101 : 102;
      wrong += c.comm != comm || c.partner < 0 || matched.calls[static_cast<size_t>(c.partner)].process != 1;
    }
    check(sends == 2 && wrong == 0 && !matched.unmatched_sends && !matched.unmatched_receives,
          std::string(name) + ": " + std::to_string(wrong) + " of " + std::to_string(sends) + " sends, " +
              std::to_string(matched.unmatched_receives) + " receives without their other end");
  }
}

// By call of the receiver's iteration, how many calls later its requests are complete; 0: it makes none.
void requests_are_completed_by(const char* name, Receive receive, const std::vector<int64_t>& later) {
  const auto from = sender(), to = receiver(receive);
  analysis::Matching matching({from, to});
  const MatchedIteration matched = matching.iteration(iterations / 2);
  std::vector<int64_t> found;
  for (size_t i = 0; i < matched.calls.size(); ++i) {
    const MatchedCall& c = matched.calls[i];
    if (c.process != 1 || c.iteration != iterations / 2) continue;
    found.push_back(c.completion < 0 ? 0 : c.completion - static_cast<int64_t>(i));
    check(c.makes_request == (c.completion >= 0), std::string(name) + ": a request without completion");
  }
  check(found == later, std::string(name) + ": completed by other calls");
  size_t messages = 0;
  for (const auto& [send, received] : matched.messages) {
    const MatchedCall &s = matched.calls[send], &r = matched.calls[received];
    messages += s.iteration == iterations / 2 && r.iteration == iterations / 2 && s.process == 0 && r.process == 1;
  }
  check(messages == 2, std::string(name) + ": " + std::to_string(messages) + " messages");
}

std::string ends_of(const std::shared_ptr<Process>& from, const std::shared_ptr<Process>& to) {
  analysis::Matching matching({from, to});
  const MatchedIteration matched = matching.iteration(iterations / 2);
  size_t halves = 0, pairs = 0;
  for (const MatchedCall& c : matched.calls) {
    if (c.iteration != iterations / 2) continue;
    halves += c.role == MatchedCall::Role::send || c.role == MatchedCall::Role::receive;
    halves += c.role == MatchedCall::Role::both ? 2 : 0;
    if (c.role == MatchedCall::Role::collective) continue;
    pairs += (c.partner >= 0) + (c.second_partner >= 0);
  }
  return std::to_string(pairs) + " of " + std::to_string(halves);
}

// A partitioned request is created once, by as many requests as given, before the loop; ordinary messages with its
// partner and tag are none of its.
std::shared_ptr<Process> partitioned(int32_t rank, Site init_site, int requests) {
  MemoryThread thread;
  const int32_t other = rank == 0 ? 1 : -1;
  for (int i = 0; i < requests; ++i) thread.add(call(init_site, first_comm, other, 5), 300, 100);
  for (uint32_t i = 0; i < iterations; ++i) {
    if (rank == 0) thread.add(call(send_one, first_comm, other, 5), 300, 100);
    thread.add(call(start, first_comm, other, 5, trace::link_pack(1, init_site)), 100, 50);
    thread.add(call(wait, first_comm, other, 5, trace::link_pack(1, init_site)), 100, 50);
    thread.add(call(reduce, first_comm, trace::peer_none, 0), 900, 100);
  }
  return process_of(rank, &thread);
}

void partitioned_messages_match_their_own_kind() {
  const auto one = ends_of(partitioned(0, partitioned_send, 1), partitioned(1, partitioned_receive, 1));
  check(one == "2 of 3", "partitioned: " + one);  // the ordinary send has no receive
  const auto two = ends_of(partitioned(0, partitioned_send, 2), partitioned(1, partitioned_receive, 2));
  check(two == "0 of 1", "two alike: " + two);
}

// Both ranks exchange: what came from anybody is known when the exchange is complete.
void exchanges_from_anybody_are_counted_when_they_complete() {
  const auto rank = [](int32_t own) {
    MemoryThread thread;
    const int32_t other = own == 0 ? 1 : -1;
    for (uint32_t i = 0; i < iterations; ++i) {
      const int64_t words[] = {1, 1, trace::peer_any, 5};
      const uint32_t half = thread.graph().intern(words, 4);
      thread.add(call(exchange, first_comm | trace::flag_any_source, other, 5, half), 100, 50);
      const uint32_t link = trace::link_pack(1, exchange);
      thread.add(call(wait, first_comm | trace::flag_any_source, other, 5, link), 100, 50);
      thread.add(call(reduce, first_comm, trace::peer_none, 0), 900, 100);
    }
    return process_of(own, &thread);
  };
  const auto ends = ends_of(rank(0), rank(1));
  check(ends == "4 of 4", "exchanges: " + ends);
}

// Requests that another thread made are found by their number there.
void another_threads_receive_has_its_communicator() {
  MemoryThread maker, other;
  maker.add(call(from_anybody, first_comm | trace::flag_any_source, trace::peer_any, 5), 100, 50);
  maker.add(call(from_anybody, second_comm | trace::flag_any_source, trace::peer_any, 5), 100, 50);
  other.add(call(reduce, first_comm, trace::peer_none, 0), 100, 50);
  const auto process = process_of(1, &other);
  const auto second = process_of(1, &maker);
  process->streams.push_back(std::move(second->streams[0]));
  process->streams[1].thread = 1;
  const structure::CallDecoder decoder(*process, 0);
  structure::ProcessRequests requests(*process, 0, structure::Requests::Keep::wildcards);
  const auto communicator = [&](int64_t link) {
    const int64_t words[] = {1, link, 8, whom(-1, 5), 8};
    structure::DecodedCall waited;
    decoder.decode(call(wait_all, 0, trace::peer_none, 0, 2), words, 5, &waited);
    requests.follow(&waited, 1);
    return waited.parts[0].comm;
  };
  check(communicator(trace::listed_link(1, from_anybody, 1)) == first_comm &&
            communicator(trace::listed_link(2, from_anybody, 1)) == second_comm &&
            communicator(trace::listed_link(3, from_anybody, 1)) == 0 &&
            communicator(trace::listed_link(1, of_any_tag, 1)) == 0,
        "requests of another thread");
}

}  // namespace

int main() {
  all_messages_have_both_ends("by a list", by_a_list);
  all_messages_have_both_ends("one after the other", one_after_the_other);
  all_messages_have_both_ends("persistent", persistent);
  requests_are_completed_by("by a list", by_a_list, {2, 1, 0, 0});
  requests_are_completed_by("one after the other", one_after_the_other, {3, 1, 0, 0, 0});
  requests_are_completed_by("persistent", persistent, {1, 0, 0});
  another_threads_receive_has_its_communicator();
  partitioned_messages_match_their_own_kind();
  exchanges_from_anybody_are_counted_when_they_complete();
  return testing::result();
}
