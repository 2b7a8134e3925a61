// Samples of where the program computes (--sample): who takes them, and what becomes of them.
#include <errno.h>
#include <string.h>

#include "host/launcher_variables.hpp"
#include "recorder/process/recorder.hpp"

namespace leadline::recorder {

namespace {

constexpr uint64_t ns_per_s = 1000000000;

// Only one rank of the job prints it.
void say_refused(int error) {
  if (host::launcher_rank() > 0) return;
  const bool forbidden = error == EACCES || error == EPERM;
  tell("no samples (--sample): perf_event_open failed: %s%s", strerror(error),
       forbidden ? "; it needs kernel.perf_event_paranoid <= 2 or CAP_PERFMON, and a container may block it" : "");
}

}  // namespace

void Recorder::begin_sampling(Thread* t) {
  recording::LiveSampling& s = header_->sampling;
  if (!s.rate) return;
  if (const int error = t->ring.open(ns_per_s / s.rate)) {
    if (!s.refused++) {
      s.error = static_cast<uint32_t>(error);
      say_refused(error);
    }
  }
}

void Recorder::take_samples(Thread& thread, uint32_t site, Where where) {
  if (!thread.ring.waiting()) return;
  const Inside inside;
  const int saved = errno;
  const Locked locked(lock_);
  const Ticks begin = now();
  recording::LiveSampling& s = header_->sampling;
  if (header_->pauses.since) {  // the call that ends a pause
    thread.ring.read([](uint64_t) {});
    return;
  }
  s.lost += thread.ring.read([&](uint64_t address) {
    ++s.taken;
    if (where == Where::in_call) {
      ++s.in_mpi;
    } else {
      samples_.add(address, thread.number, site);
    }
  });
  if (where == Where::in_call) {
    thread.time_this_call();
  } else {
    leave_out(thread, now() - begin);
  }
  errno = saved;
}

// Those taken while recording was paused.
void Recorder::drop_samples() {
  for (uint32_t i = 0; i < thread_count_; ++i) threads_[i]->ring.read([](uint64_t) {});
}

}  // namespace leadline::recorder
