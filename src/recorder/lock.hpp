// A spin lock that is taken only where several threads may call MPI at once. Held for a few table look-ups at most.
#pragma once

#include <atomic>

namespace leadline::recorder {

class Lock {
 public:
  // Before MPI_Init_thread has answered, and under MPI_THREAD_MULTIPLE.
  void set_needed(bool needed) { needed_.store(needed, std::memory_order_relaxed); }
  bool needed() const { return needed_.load(std::memory_order_relaxed); }

  // Whether it was taken: a program may get another thread level while somebody is inside.
  bool take() {
    if (!needed()) return false;
    while (flag_.test_and_set(std::memory_order_acquire)) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    return true;
  }
  void give(bool taken) {
    if (taken) flag_.clear(std::memory_order_release);
  }
  void reset_after_fork() { flag_.clear(std::memory_order_relaxed); }

 private:
  std::atomic<bool> needed_{true};
  std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
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
