// Waits of known length on known ranks, in messages and collectives.
#include "handmade_waits.hpp"

namespace {

using namespace leadline::test;
using namespace leadline;

// Rank 0 computes 3 ms longer than rank 1 before it sends in each step.
void late_senders() {
  Run run(2);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].message(send, 1, 4 * ms, 10 * us);
    run[1].message(recv, 0, 1 * ms, 3 * ms + 10 * us);
  }
  const RunWaits found = run.waits();
  expect("late sender", found, WaitKind::late_sender, recv, 1, steps * 3e6, {0, Doing::computation, send});
  expect_rows("late sender", found, 1);
  check(!found.estimated, "late sender: exact");
  double path = 0;
  for (const auto& p : found.path) path += p.process == 0 && p.doing == Doing::computation ? p.share : 0;
  check(path > 0.95, "critical path: the sender's computation has " + std::to_string(path));
}

// The wait is in the call that completes the receive.
void late_senders_of_posted_receives() {
  Run run(2);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].message(isend, 1, 5 * ms, 10 * us);
    run[0].complete(isend, 1, 0, 10 * us);
    run[1].message(irecv, 0, 500 * us, 10 * us);
    run[1].complete(irecv, 0, 490 * us, 4 * ms + 20 * us);
  }
  const RunWaits found = run.waits();
  expect("posted receive", found, WaitKind::late_sender, wait, 1, steps * 4e6, {0, Doing::computation, isend});
  expect_rows("posted receive", found, 1);
}

// The wait is in the probe that finds the message.
void late_senders_of_probed_messages() {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].message(probe, 1, 1 * ms, 2 * ms);  // sent after 3 ms
    run[0].message(probe, 1, 0, 0);            // the same again
    run[0].message(probe, 2, 0, 4 * ms);       // sent after 7 ms
    run[0].message(recv, 2, 0, 10 * us);
    run[0].message(recv, 1, 0, 10 * us);
    run[1].message(send, 0, 3 * ms, 10 * us);
    run[1].collective(barrier, 0, 4 * ms + 20 * us);
    run[2].message(send, 0, 7 * ms, 10 * us);
    run[2].collective(barrier, 0, 20 * us);
    run[0].collective(barrier, 0, 10 * us);
  }
  const RunWaits found = run.waits();
  expect("probe", found, WaitKind::late_sender, probe, 0, steps * 6e6, {2, Doing::computation, send}, 4. / 6);
}

// Rank 2 waits for 1, which waits for 0, which writes a file for 6 of the 8 ms.
void chains_lead_to_their_root() {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].write(2 * ms, 6 * ms);
    run[0].message(send, 1, 0, 10 * us);
    run[1].message(recv, 0, 2 * ms, 6 * ms + 10 * us);
    run[1].message(send, 2, 0, 10 * us);
    run[2].message(recv, 1, 2 * ms, 6 * ms + 20 * us);
    run[0].collective(barrier, 0, 20 * us);
    run[1].collective(barrier, 0, 10 * us);
    run[2].collective(barrier, 0, 10 * us);
  }
  const RunWaits found = run.waits();
  expect("chain, second", found, WaitKind::late_sender, recv, 1, steps * 6e6, {0, Doing::io, file_write});
  expect("chain, third", found, WaitKind::late_sender, recv, 2, steps * 6e6, {0, Doing::io, file_write});
}

void late_receivers() {
  const auto times = [](Site site, int32_t elements) {
    Run run(2);
    for (uint64_t i = 0; i < steps; ++i) {
      run[0].message(site, 1, 1 * ms, 2 * ms + 100 * us, elements);
      run[1].message(recv, 0, 3 * ms, 100 * us, elements);
    }
    return run.waits();
  };
  const Cause cause{1, Doing::computation, recv};
  expect("large send", times(send, 100000), WaitKind::late_receiver, send, 0, steps * 2e6, cause);
  expect("synchronous send", times(ssend, 1), WaitKind::late_receiver, ssend, 0, steps * 2e6, cause);
  expect_rows("small send", times(send, 1), 0);
}

// Sends of a size that mostly end before their receive is posted, if that comes late, do not wait for it. A few may end
// before as long as the library has buffers: those that come a little late.
void sends_that_need_no_receiver() {
  const auto found = [](bool buffered, int32_t elements) {
    Run run(2);
    for (uint64_t i = 0; i < steps; ++i) {
      const bool odd = i % 4 == 3;
      const bool returns = odd != buffered;  // else the receiver comes while the send is under way
      const uint64_t late = odd && !buffered ? 50 * us : 2 * ms;
      run[0].message(send, 1, 1 * ms, returns ? 40 * us : late + 100 * us, elements);
      run[0].collective(barrier, 0, returns ? late + 160 * us : 100 * us);
      run[1].message(recv, 0, 1 * ms + late, 100 * us, elements);
      run[1].collective(barrier, 0, 100 * us);
    }
    return run.waits();
  };
  check(!row_of(found(true, 100000), WaitKind::late_receiver, send, 0), "a send that is known to be buffered");
  check(!row_of(found(true, 1), WaitKind::late_receiver, send, 0), "a small send");
  const auto* row = row_of(found(false, 100000), WaitKind::late_receiver, send, 0);
  check(row, "a send that is buffered now and then");
}

// Longer sends that return show that shorter ones do, too, if they do so for long.
void longer_sends_are_evidence() {
  const auto found = [](uint64_t late) {
    Run run(2);
    for (uint64_t i = 0; i < steps; ++i) {
      run[0].message(send, 1, 1 * ms, 2100 * us, 100000);
      run[0].message(send, 1, 1 * ms, 40 * us, 300000);
      run[0].collective(barrier, 0, late + 160 * us);
      run[1].message(recv, 0, 3 * ms, 100 * us, 100000);
      run[1].message(recv, 0, 1 * ms + late, 100 * us, 300000);
      run[1].collective(barrier, 0, 100 * us);
    }
    return run.waits();
  };
  check(row_of(found(50 * us), WaitKind::late_receiver, send, 0), "longer sends that return a little early");
  check(!row_of(found(9 * ms), WaitKind::late_receiver, send, 0), "longer sends that return early");
}

void collectives() {
  Run run(4);
  for (uint64_t i = 0; i < steps; ++i) {
    for (size_t r = 0; r < 4; ++r) {  // rank r comes r ms late
      const uint64_t late = r * ms, left = (3 - r) * ms;
      run[r].collective(barrier, 1 * ms + late, left + 10 * us);
      run[r].collective(allreduce, 1 * ms + (3 - r) * ms, late + 10 * us);
      run[r].collective(reduce, 1 * ms + late, r == 0 ? 3 * ms + 10 * us : 10 * us, 0, r == 0 ? 0 : 8, r == 0 ? 8 : 0);
      // The root of the broadcast comes 4 ms after all the others.
      const uint64_t then = r == 0 ? 3 * ms : r * ms;
      run[r].collective(bcast, 5 * ms - then + (r == 3 ? 4 * ms : 0), r == 3 ? 10 * us : 4 * ms + 10 * us, 3,
                        r == 3 ? 8 : 0, r == 3 ? 0 : 8);
    }
  }
  const RunWaits found = run.waits();
  for (uint32_t r = 0; r < 3; ++r) {
    expect("barrier", found, WaitKind::wait_at_barrier, barrier, r, steps * (3 - r) * 1e6,
           {3, Doing::computation, barrier});
    expect("broadcast", found, WaitKind::late_broadcast, bcast, r, steps * 4e6, {3, Doing::computation, bcast});
    expect("allreduce", found, WaitKind::wait_at_n_to_n, allreduce, r + 1, steps * (r + 1) * 1e6,
           {0, Doing::computation, allreduce});
  }
  expect("reduce", found, WaitKind::early_reduce, reduce, 0, steps * 3e6, {3, Doing::computation, reduce});
  expect_rows("collectives", found, 10);
}

// Nonblocking ones wait where they complete.
void nonblocking_collectives() {
  Run run(2);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].collective(ibarrier, 1 * ms, 10 * us);
    run[0].complete(ibarrier, 0, 1 * ms, 3 * ms);
    run[1].collective(ibarrier, 5 * ms - 10 * us, 10 * us);
    run[1].complete(ibarrier, 1, 0, 10 * us);
  }
  const RunWaits found = run.waits();
  expect("nonblocking barrier", found, WaitKind::wait_at_barrier, wait, 0, steps * 2.98e6,
         {1, Doing::computation, ibarrier});
  expect_rows("nonblocking barrier", found, 1);
}

// Rank 0 gets something from rank 1 only, rank 1 from rank 2 only, rank 2, which comes last, from nobody.
void vectors_say_who_is_waited_for() {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].collective(alltoallv, 1 * ms, 4 * ms, trace::peer_none, 0, 8, {0, 1, 0});
    run[1].collective(alltoallv, 2 * ms, 3 * ms, trace::peer_none, 8, 8, {0, 0, 1});
    run[2].collective(alltoallv, 4 * ms, 1 * ms, trace::peer_none, 8, 0, {0, 0, 0});
  }
  const RunWaits found = run.waits();
  expect("alltoallv", found, WaitKind::wait_at_n_to_n, alltoallv, 0, steps * 1e6, {1, Doing::computation, alltoallv});
  expect("alltoallv", found, WaitKind::wait_at_n_to_n, alltoallv, 1, steps * 2e6, {2, Doing::computation, alltoallv});
  expect_rows("alltoallv", found, 2);
}

// What the record does not support is not claimed.
void nothing_is_claimed_without_evidence() {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    for (size_t r = 0; r < 3; ++r) {
      run[r].collective(scan, 1 * ms + r * ms, (2 - r) * ms + 10 * us);
      run[r].collective(allreduce, 1 * ms + r * ms, (2 - r) * ms + 10 * us, trace::peer_none, 0, 0);  // no elements
      run[r].collective(bcast, 1 * ms + (r == 0) * ms, (r != 0) * ms + 10 * us, 0, 0, 0);
    }
  }
  expect_rows("no evidence", run.waits(), 0);
}

// Of several messages the last sender counts, once; the sends that are completed with them do not wait.
void lists_wait_for_the_last() {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].message(irecv, 1, 1 * ms, 10 * us);
    run[0].message(irecv, 2, 0, 10 * us);
    run[0].complete_all({irecv, irecv}, 0, 6 * ms);
    run[1].message(isend, 0, 3 * ms, 10 * us);
    run[1].complete(isend, 0, 4 * ms, 10 * us);
    run[2].message(isend, 0, 7 * ms, 10 * us);
    run[2].complete(isend, 0, 0, 10 * us);
  }
  const RunWaits found = run.waits();
  expect("list", found, WaitKind::late_sender, halo_wait, 0, steps * 5.98e6, {2, Doing::computation, isend});
  expect_rows("list", found, 1);
}

}  // namespace

int main() {
  late_senders();
  late_senders_of_posted_receives();
  late_senders_of_probed_messages();
  chains_lead_to_their_root();
  late_receivers();
  sends_that_need_no_receiver();
  longer_sends_are_evidence();
  collectives();
  nonblocking_collectives();
  vectors_say_who_is_waited_for();
  nothing_is_claimed_without_evidence();
  lists_wait_for_the_last();
  return testing::result();
}
