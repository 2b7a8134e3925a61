// A spin lock that is taken only if several threads may call MPI at once. It is held for a few table look-ups, except
// at the start, at the end, and while a generation is written out. The thread that holds it may take it again: a signal
// handler that calls MPI_Abort or exit must not wait for the call it interrupted.
#pragma once

#include <sched.h>

#include <atomic>

namespace leadline::recorder {

class Lock {
 public:
  // Before MPI_Init_thread has answered, and under MPI_THREAD_MULTIPLE.
  void set_needed(bool needed) { needed_.store(needed, std::memory_order_relaxed); }
  bool needed() const { return needed_.load(std::memory_order_relaxed); }

  // Whether it was taken: the thread level may change while the lock is held.
  bool take() {
    if (!needed()) return false;
    const void* const self = &here_;
    const void* owner = nullptr;
    for (unsigned tries = 1; !owner_.compare_exchange_weak(owner, self, std::memory_order_acquire); ++tries) {
      if (owner == self) return false;
      owner = nullptr;
      if (tries % 64 == 0) sched_yield();  // its owner may need our core
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    return true;
  }
  // Gives up soon: for callers that may hold what the lock's owner waits for. False: not taken.
  bool try_take(bool* taken) {
    *taken = false;
    if (!needed() || owner_.load(std::memory_order_relaxed) == &here_) return true;
    for (int tries = 0; tries < 1000 && !*taken; ++tries) {
      const void* owner = nullptr;
      *taken = owner_.compare_exchange_strong(owner, &here_, std::memory_order_acquire);
      if (!*taken && tries % 64 == 63) sched_yield();
    }
    return *taken;
  }
  void give(bool taken) {
    if (taken) owner_.store(nullptr, std::memory_order_release);
  }

 private:
  std::atomic<bool> needed_{true};
  static inline thread_local constinit char here_ = 0;
  std::atomic<const void*> owner_{nullptr};
};

class Locked {
 public:
  explicit Locked(Lock& lock) : lock_(lock), taken_(lock.take()) {}
  ~Locked() { lock_.give(taken_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  Lock& lock_;
  bool taken_;
};

}  // namespace leadline::recorder
