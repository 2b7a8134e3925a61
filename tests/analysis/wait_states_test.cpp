// Wait states, their causes, the critical path and imbalance, in steps whose times are given by hand.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>

#include "../report/handmade.hpp"
#include "analysis/waits/critical_path.hpp"
#include "analysis/waits/imbalance.hpp"
#include "analysis/waits/wait_states.hpp"

namespace {

using namespace leadline::analysis;
using leadline::trace::CallClass;

void expect(bool holds, const char* what, int line) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: %s\n", __FILE__, line, what);
  std::exit(1);
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

constexpr uint32_t ranks = 4;

struct Run {
  Profile profile;
  uint32_t send = 0, recv = 0, barrier = 0, allreduce = 0, reduce = 0, bcast = 0, scan = 0, write = 0, wait = 0;
  RunTime time;

  Run() {
    for (int32_t r = 0; r < static_cast<int32_t>(ranks); ++r) {
      handmade::Process p = handmade::process(r, ranks);
      send = handmade::add_site(&p, "MPI_Send", CallClass::send);
      recv = handmade::add_site(&p, "MPI_Recv", CallClass::recv);
      barrier = handmade::add_site(&p, "MPI_Barrier", CallClass::coll);
      allreduce = handmade::add_site(&p, "MPI_Allreduce", CallClass::coll);
      reduce = handmade::add_site(&p, "MPI_Reduce", CallClass::coll);
      bcast = handmade::add_site(&p, "MPI_Bcast", CallClass::coll);
      scan = handmade::add_site(&p, "MPI_Scan", CallClass::coll);
      write = handmade::add_site(&p, "write", CallClass::posix_write);
      wait = handmade::add_site(&p, "MPI_Waitall", CallClass::waitall);
      handmade::Source source;
      profile.add(p, source.reader());
      time.processes.push_back({});
    }
    time.clocks = 1;
  }
};

// Builds a step: calls of each rank must be added in order, rank by rank.
struct StepOf {
  Step step;
  double now = 0;
  uint32_t rank = UINT32_MAX;

  StepOf() { step.found = step.timed = true; }
  // The rank computes for `gap`, then is in the call for `duration`.
  uint32_t call(uint32_t of, uint32_t site, CallClass cls, double gap, double duration) {
    if (of != rank) now = 0;
    rank = of;
    StepCall c;
    c.process = of;
    c.site = site;
    c.cls = cls;
    c.gap_ns = gap;
    c.begin_ns = now + gap;
    c.end_ns = c.begin_ns + duration;
    now = c.end_ns;
    step.calls.push_back(c);
    return static_cast<uint32_t>(step.calls.size() - 1);
  }
  void message(uint32_t send, uint32_t receive, int64_t bytes = 8) {
    StepMessage m;
    m.send = m.send_done = send;
    m.receive = m.receive_done = receive;
    m.bytes = bytes;
    step.messages.push_back(m);
  }
  void collective(const std::vector<uint32_t>& calls, int64_t out, int64_t in, int root = -1) {
    StepCollective c;
    c.size = ranks;
    for (size_t i = 0; i < calls.size(); ++i) {
      const bool is_root = static_cast<int>(i) == root;
      const bool to_root = root >= 0 && out > 0;
      StepCollective::Member m{calls[i]};
      m.rooted = root >= 0;
      m.is_root = is_root;
      m.out_bytes = root < 0 ? out : to_root ? (is_root ? 0 : out) : (is_root ? in : 0);
      m.in_bytes = root < 0 ? in : to_root ? (is_root ? out : 0) : (is_root ? 0 : in);
      c.members.push_back(m);
    }
    step.collectives.push_back(c);
  }
};

bool near(double a, double b) { return std::abs(a - b) <= 0.05 * b; }

// Rank 0 computes 1000; 1 waits for it, 2 waits for 1, 3 for 2: all because of rank 0.
void test_chain() {
  Run run;
  StepOf s;
  const uint32_t send0 = s.call(0, run.send, CallClass::send, 1000, 5);
  const uint32_t recv1 = s.call(1, run.recv, CallClass::recv, 10, 1000);
  const uint32_t send1 = s.call(1, run.send, CallClass::send, 2, 5);
  const uint32_t recv2 = s.call(2, run.recv, CallClass::recv, 10, 1010);
  const uint32_t send2 = s.call(2, run.send, CallClass::send, 2, 5);
  const uint32_t recv3 = s.call(3, run.recv, CallClass::recv, 10, 1020);
  s.message(send0, recv1);
  s.message(send1, recv2);
  s.message(send2, recv3);
  const TimedStep timed = wait_states(s.step, run.profile, run.time);
  for (const uint32_t r : {recv1, recv2, recv3}) {
    EXPECT(timed.waits[r].kind == WaitKind::late_sender);
    EXPECT(near(timed.waits[r].waited_ns(), 1000));
    Causes causes;
    CauseFinder(timed, run.profile).add(r, &causes);
    double all = 0;
    for (const auto& [cause, ns] : causes) all += ns;
    EXPECT(near(all, timed.waits[r].waited_ns()));
    EXPECT(near(causes[Cause(0, Doing::computation, run.send)], 990));
  }
  EXPECT(timed.waits[send0].kind == WaitKind::none);
  // The path goes back to the computation of rank 0.
  Causes path;
  const double length = add_critical_path(timed, run.profile, &path);
  EXPECT(near(length, 1030));
  EXPECT(near(path[Cause(0, Doing::computation, run.send)], 1000));
}

// In file I/O, before a receive: the sender's write is the cause.
void test_io() {
  Run run;
  StepOf s;
  s.call(0, run.write, CallClass::posix_write, 20, 600);
  const uint32_t send = s.call(0, run.send, CallClass::send, 1, 5);
  const uint32_t recv = s.call(1, run.recv, CallClass::recv, 10, 616);
  s.message(send, recv);
  const TimedStep timed = wait_states(s.step, run.profile, run.time);
  Causes causes;
  CauseFinder(timed, run.profile).add(recv, &causes);
  EXPECT(near(causes[Cause(0, Doing::io, run.write)], 600));
}

void test_late_receiver() {
  Run run;
  StepOf s;
  const uint32_t large = s.call(0, run.send, CallClass::send, 10, 500);
  const uint32_t small = s.call(0, run.send, CallClass::send, 10, 2);
  const uint32_t recv_large = s.call(1, run.recv, CallClass::recv, 400, 120);
  const uint32_t recv_small = s.call(1, run.recv, CallClass::recv, 300, 2);
  s.message(large, recv_large, 1 << 20);
  s.message(small, recv_small, 8);
  const TimedStep timed = wait_states(s.step, run.profile, run.time);
  EXPECT(timed.waits[large].kind == WaitKind::late_receiver && near(timed.waits[large].waited_ns(), 390));
  EXPECT(timed.waits[small].kind == WaitKind::none);
  // It ended before the receive was posted, so it waited for nothing.
  StepOf t;
  const uint32_t buffered = t.call(0, run.send, CallClass::send, 10, 50);
  const uint32_t recv = t.call(1, run.recv, CallClass::recv, 400, 10);
  t.message(buffered, recv, 1 << 20);
  EXPECT(wait_states(t.step, run.profile, run.time).waits[buffered].kind == WaitKind::none);
}

void test_collectives() {
  Run run;
  struct Case {
    uint32_t site;
    int64_t out, in;
    int root;
    WaitKind kind;
    std::vector<double> waits;  // by rank; rank 2 enters at 700, the others at 100
  };
  const std::vector<Case> cases = {
      {run.barrier, 0, 0, -1, WaitKind::wait_at_barrier, {600, 600, 0, 600}},
      {run.allreduce, 8, 8, -1, WaitKind::wait_at_n_to_n, {600, 600, 0, 600}},
      {run.reduce, 8, 0, 1, WaitKind::early_reduce, {0, 600, 0, 0}},
      {run.bcast, 0, 8, 2, WaitKind::late_broadcast, {600, 600, 0, 600}},
      {run.bcast, 0, 8, 0, WaitKind::late_broadcast, {0, 0, 0, 0}},
      {run.scan, 8, 8, -1, WaitKind::none, {0, 0, 0, 0}},
  };
  for (const Case& c : cases) {
    StepOf s;
    std::vector<uint32_t> calls;
    for (uint32_t r = 0; r < ranks; ++r)
      calls.push_back(s.call(r, c.site, CallClass::coll, r == 2 ? 700 : 100, r == 2 ? 5 : 605));
    s.collective(calls, c.out, c.in, c.root);
    const TimedStep timed = wait_states(s.step, run.profile, run.time);
    for (uint32_t r = 0; r < ranks; ++r) {
      const CallWait& w = timed.waits[calls[r]];
      EXPECT(c.waits[r] > 0 ? w.kind == c.kind && near(w.waited_ns(), c.waits[r]) : w.kind == WaitKind::none);
    }
  }
  // A rank is missing from the record: nothing is claimed.
  StepOf s;
  std::vector<uint32_t> calls;
  for (uint32_t r = 0; r + 1 < ranks; ++r)
    calls.push_back(s.call(r, run.barrier, CallClass::coll, r == 2 ? 700 : 100, r == 2 ? 5 : 605));
  s.collective(calls, 0, 0);
  for (const CallWait& w : wait_states(s.step, run.profile, run.time).waits) EXPECT(w.kind == WaitKind::none);
}

// Of two receives that one call completes, the later sender counts; waits within the clocks' error do not.
void test_waitall_and_clock_error() {
  Run run;
  StepOf s;
  const uint32_t send0 = s.call(0, run.send, CallClass::send, 300, 5);
  const uint32_t wait1 = s.call(1, run.wait, CallClass::waitall, 100, 420);
  const uint32_t send2 = s.call(2, run.send, CallClass::send, 500, 5);
  s.message(send0, wait1);
  s.message(send2, wait1);
  TimedStep timed = wait_states(s.step, run.profile, run.time);
  EXPECT(timed.waits[wait1].culprit == send2 && near(timed.waits[wait1].waited_ns(), 400));
  run.time.clocks = 2;
  run.time.error_ns = 450;
  timed = wait_states(s.step, run.profile, run.time);
  EXPECT(timed.waits[wait1].kind == WaitKind::none);
}

std::vector<StepComputation> steps(uint32_t n, const std::function<double(uint64_t, uint32_t)>& ns) {
  std::vector<StepComputation> all;
  for (uint64_t i = 0; i < 24; ++i) {
    // In pairs that follow one another.
    const uint64_t iteration = i / 2 * 50 + i % 2;
    StepComputation s{iteration, {}};
    for (uint32_t r = 0; r < n; ++r) s.ns.push_back(ns(iteration, r));
    all.push_back(s);
  }
  return all;
}

void test_imbalance() {
  const uint32_t n = 8;
  const std::vector<std::string> one_host(n, "a"), two_hosts = {"a", "a", "a", "a", "b", "b", "b", "b"};
  std::mt19937 random(7);
  std::normal_distribution<double> little(0, 2000), much(0, 30000);

  Imbalance i =
      imbalance_of(steps(n, [&](uint64_t, uint32_t r) { return 1e6 + (r == 5 ? 4e5 : 0) + little(random); }), one_host);
  EXPECT(i.found && near(i.lost_ns, 3.5e5) && i.fixed_ns > 0.9 * i.lost_ns && i.slowest[0].first == 5);
  EXPECT(i.between_hosts == 0);

  i = imbalance_of(steps(n, [&](uint64_t, uint32_t r) { return 1e6 + (r >= 4 ? 4e5 : 0) + little(random); }),
                   two_hosts);
  EXPECT(i.fixed_ns > 0.9 * i.lost_ns && i.between_hosts > 0.9);

  // A load that moves from rank to rank, every 100 steps.
  i = imbalance_of(
      steps(n, [&](uint64_t k, uint32_t r) { return 1e6 + (r == k / 100 % n ? 4e5 : 0) + little(random); }), one_host);
  EXPECT(i.wandering_ns > 0.6 * i.lost_ns && i.noise_ns == 0);

  i = imbalance_of(steps(n, [&](uint64_t, uint32_t) { return 1e6 + much(random); }), one_host);
  EXPECT(i.noise_ns > 0.9 * i.lost_ns);

  EXPECT(!imbalance_of({}, one_host).found);
  EXPECT(!imbalance_of(steps(1, [](uint64_t, uint32_t) { return 1.0; }), {"a"}).found);
}

}  // namespace

int main() {
  test_chain();
  test_io();
  test_late_receiver();
  test_collectives();
  test_waitall_and_clock_error();
  test_imbalance();
  std::puts("wait_states_test: ok");
}
