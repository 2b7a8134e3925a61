// Messages of one iteration find their other ends, whatever completes them: every expectation is counted by hand.
#include "analysis/matching/matching.hpp"

#include <cstdio>
#include <memory>
#include <string>

#include "../recording/memory_thread.hpp"
#include "structure/requests.hpp"

namespace {

using namespace leadline;
using analysis::MatchedCall;
using analysis::MatchedIteration;
using trace::CallClass;
using trace::Key;
using trace::MemoryThread;
using trace::Process;

int failures = 0;

void check(bool ok, const std::string& what) {
  if (!ok) std::printf("FAILED: %s\n", what.c_str());
  failures += !ok;
}

constexpr uint32_t first_comm = 1, second_comm = 2, iterations = 400;
constexpr CallClass classes[] = {CallClass::other, CallClass::send,    CallClass::send,    CallClass::irecv,
                                 CallClass::irecv, CallClass::waitall, CallClass::coll,    CallClass::recv_init,
                                 CallClass::start, CallClass::wait,    CallClass::startall};
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
  starts
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
    p->communicators[c].world = {0, 1};
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
  another_threads_receive_has_its_communicator();
  std::puts(failures ? "failed" : "ok");
  return failures ? 1 : 0;
}
