// Waits of known length in fences and other one-sided synchronisation.
#include "handmade_waits.hpp"

namespace {

using namespace leadline::test;
using namespace leadline;

// All wait for the rank that enters the fence last; rank 2 computes for 3 ms before its put.
void fences() {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    for (int32_t r = 0; r < 3; ++r) {
      const auto rank = static_cast<uint64_t>(r);
      run[rank].access(put, (1 + rank) * ms, 10 * us, (r + 1) % 3);
      run[rank].access(fence, 0, (2 - rank) * ms + 20 * us);
    }
  }
  for (uint64_t r = 0; r < 3; ++r)
    run[r].access(win_free, 100 * us + (r == 0 ? 5 * ms : 0), 50 * us + (r ? 5 * ms : 0));
  const RunWaits found = run.waits();
  const Cause cause{2, Doing::computation, put};
  expect("fence, first", found, WaitKind::wait_at_fence, fence, 0, steps * 2e6, cause);
  expect("fence, second", found, WaitKind::wait_at_fence, fence, 1, steps * 1e6, cause);
  expect("window freed", found, WaitKind::wait_at_barrier, win_free, 2, 5e6, {0, Doing::computation, win_free});
  expect_rows("fence", found, 4);
}

// Rank 0 waits at the fence for 1, which waits for 2, which computes for 6 of the 8 ms.
void causes_of_fences_are_followed_back() {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    run[2].message(send, 1, 8 * ms, 10 * us);
    run[1].message(recv, 2, 2 * ms, 6 * ms + 10 * us);
    run[0].access(put, 2 * ms - 10 * us, 10 * us, 1);
    run[0].access(fence, 0, 6 * ms + 20 * us);
    run[1].access(fence, 0, 10 * us);
    run[2].access(fence, 0, 10 * us);
  }
  const RunWaits found = run.waits();
  expect("fence behind a receive", found, WaitKind::wait_at_fence, fence, 0, steps * 6e6,
         {2, Doing::computation, send});
}

// A fence that a rank left before the last one entered it does not synchronise, and neither do the others there. Where
// they all overlap, that is how long they last.
void fences_that_need_not_wait() {
  Run run(2);
  for (uint64_t i = 0; i < steps; ++i) {
    const bool slow = i % 2;
    run[0].access(fence, 1 * ms, slow ? 2100 * us : 100 * us);
    run[0].collective(barrier, 0, slow ? 100 * us : 2100 * us);
    run[1].access(fence, 3 * ms, 100 * us);
    run[1].collective(barrier, 0, 100 * us);
  }
  check(!row_of(run.waits(), WaitKind::wait_at_fence, fence, 0), "a fence that is known not to synchronise");
}

// Rank 1 exposes its window late, 0 puts and completes late; the first of two origins is the earlier one.
Run epochs(bool exposes_once_more) {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].access(win_start, 1 * ms, 2 * ms + 10 * us);  // until the post after 3 ms
    run[0].access(put, 0, 10 * us, 1);
    run[0].access(win_complete, 4 * ms - 20 * us, 10 * us);  // after 7 ms
    run[1].access(win_post, 3 * ms, 10 * us);
    run[1].access(win_wait, 1 * ms - 10 * us, 3 * ms + 10 * us);
    run[2].access(win_start, 3 * ms, 20 * us);
    run[2].access(put, 0, 10 * us, 1);
    run[2].access(win_complete, 2 * ms - 30 * us, 10 * us);  // after 5 ms
    run[2].collective(barrier, 0, 2 * ms + 10 * us);
    run[0].collective(barrier, 0, 10 * us);
    run[1].collective(barrier, 0, 10 * us);
  }
  if (exposes_once_more) {  // to nobody: all epochs might be others'
    run[1].access(win_post, 0, 10 * us);
    run[1].access(win_wait, 0, 10 * us);
  }
  return run;
}

// The order of epochs of two threads is not known.
void epochs_of_threads() {
  analysis::Epochs seen;
  seen.expose(200, 1, {0, 10, 11});
  seen.expose(200, 1, {0, 12, 13});
  seen.access(200, 0, 1, {0, 1, 2});
  seen.access(200, 0, 1, {1, 5, 6});
  seen.access(200, 2, 1, {0, 20, 21});
  seen.access(200, 2, 1, {0, 22, 23});
  const std::vector<analysis::StepEpoch> found = seen.matched();
  check(found.size() == 2 && found[0].start == 20 && found[0].post == 10 && found[1].complete == 23 &&
            found[1].wait == 13,
        "epochs of one thread are matched in order, those of two are not");
}

void late_posts_and_completes() {
  const RunWaits found = epochs(false).waits();
  expect("late post", found, WaitKind::late_post, win_start, 0, steps * 2e6, {1, Doing::computation, win_post});
  expect("late complete", found, WaitKind::late_complete, win_wait, 1, steps * 3e6,
         {0, Doing::computation, win_complete});
  const RunWaits unknown = epochs(true).waits();
  check(!row_of(unknown, WaitKind::late_post, win_start, 0), "late post: it is not known which epochs match");
  check(!row_of(unknown, WaitKind::late_complete, win_wait, 1), "late complete: it is not known which epochs match");
}

}  // namespace

int main() {
  fences();
  causes_of_fences_are_followed_back();
  fences_that_need_not_wait();
  epochs_of_threads();
  late_posts_and_completes();
  return testing::result();
}
