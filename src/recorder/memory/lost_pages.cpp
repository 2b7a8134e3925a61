#include "recorder/memory/lost_pages.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/kept_errno.hpp"
#include "host/symbol_lookup.hpp"

#define LEADLINE_SIGNAL_WRAPPER(Result, name, ...)                                                      \
  extern "C" __attribute__((visibility("default"))) Result leadline_##name(__VA_ARGS__) __asm__(#name); \
  Result leadline_##name(__VA_ARGS__)

namespace leadline::recorder {

namespace {

using Action = struct sigaction;
using Handler = void (*)(int);

int (*next_sigaction)(int, const Action*, Action*) = nullptr;
Handler (*next_signal)(int, Handler) = nullptr;
Handler (*next_sysv_signal)(int, Handler) = nullptr;

template <class Function>
void find(Function** next, const char* name) {
  if (!*next) *next = reinterpret_cast<Function*>(host::next_dlsym()(RTLD_NEXT, name));
}

int real_sigaction(int number, const Action* action, Action* before) {
  if (!next_sigaction) find_signal_functions();
  return next_sigaction(number, action, before);
}

bool (*replace_page)(uint64_t address) = nullptr;
constinit bool watching = false;

// What the program wants done with the signal. A change is written beside the last one and then becomes the current one
// at once: a child of another thread's fork finds one or the other.
class OfProgram {
 public:
  const Action& get() const { return actions_[current_]; }
  void set(const Action& action) {
    actions_[1 - current_] = action;
    __atomic_store_n(&current_, static_cast<uint8_t>(1 - current_), __ATOMIC_RELEASE);
  }

 private:
  Action actions_[2] = {};
  uint8_t current_ = 0;
};
OfProgram of_program;

// While one thread looks at the program's action or changes it, others wait. It is not interrupted meanwhile: a handler
// may call sigaction(), and would wait for what it has interrupted. A thread that held it when another one forked is
// not in the child, whatever way the child was made: it holds the lock in the name of another process.
class Alone {
 public:
  Alone() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
    const auto ours = static_cast<int>(syscall(SYS_getpid));
    int holder = 0;
    while (!__atomic_compare_exchange_n(&holder_, &holder, ours, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      if (holder != ours) continue;  // free by now, or left by the parent: to be taken over
      holder = 0;
      sched_yield();
    }
  }
  ~Alone() {
    __atomic_store_n(&holder_, 0, __ATOMIC_RELEASE);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  static inline constinit int holder_ = 0;  // process, 0: none
  sigset_t before_;
};

bool ignores(const Action& action) { return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN; }
bool is_default(const Action& action) { return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL; }

// As it would be without us: the fault recurs when the handler has returned.
void end_by_default(int number, const siginfo_t* info) {
  Action action{};
  action.sa_handler = SIG_DFL;
  real_sigaction(number, &action, nullptr);
  if (info->si_code <= 0) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);  // another process sent it
}

// What the program wants done with a signal that is there.
Action action_now() {
  const host::KeptErrno kept;
  const Alone alone;
  const Action action = of_program.get();
  if (!is_default(action) && (action.sa_flags & static_cast<int>(SA_RESETHAND))) {
    Action by_default{};
    by_default.sa_handler = SIG_DFL;
    of_program.set(by_default);
  }
  return action;
}

void on_lost_page(int number, siginfo_t* info, void* context) {
  {
    const host::KeptErrno kept;
    if (info->si_code > 0 && replace_page(reinterpret_cast<uint64_t>(info->si_addr))) return;
  }
  const Action action = action_now();
  if (is_default(action)) return end_by_default(number, info);
  if (action.sa_flags & SA_SIGINFO) return action.sa_sigaction(number, info, context);
  if (action.sa_handler != SIG_IGN) action.sa_handler(number);
}

// With what the program's action says of the stack and of other signals.
bool install(const Action& theirs) {
  Action ours{};
  ours.sa_sigaction = on_lost_page;
  ours.sa_mask = theirs.sa_mask;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (!is_default(theirs)) ours.sa_flags = SA_SIGINFO | (theirs.sa_flags & (SA_ONSTACK | SA_RESTART | SA_NODEFER));
  return real_sigaction(SIGBUS, &ours, nullptr) == 0;
}

// The program's sigaction() for SIGBUS while we watch.
int change_action(const Action* action, Action* before) {
  Action wanted{}, last{};
  if (action) wanted = *action;  // which may not be there
  int result = 0;
  {
    const Alone alone;
    last = of_program.get();
    if (action) {
      of_program.set(wanted);
      // Ignoring is left to the kernel, since programs that are executed inherit it.
      result = ignores(wanted) ? real_sigaction(SIGBUS, &wanted, nullptr) : install(wanted) ? 0 : -1;
    }
  }
  if (before) *before = last;
  return result;
}

Handler set_handler(Handler handler, int flags) {
  Action action{}, before{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  if (change_action(&action, &before) != 0) return SIG_ERR;
  return before.sa_handler;
}

}  // namespace

void find_signal_functions() {
  const host::KeptErrno kept;
  find(&next_sigaction, "sigaction");
  find(&next_signal, "signal");
  find(&next_sysv_signal, "__sysv_signal");
}

void watch_for_lost_pages(bool (*replace)(uint64_t address)) {
  replace_page = replace;
  Action action{};
  if (watching || real_sigaction(SIGBUS, nullptr, &action) != 0 || ignores(action)) return;
  of_program.set(action);
  watching = install(action);
}

}  // namespace leadline::recorder

namespace lost_pages = leadline::recorder;

LEADLINE_SIGNAL_WRAPPER(int, sigaction, int number, const lost_pages::Action* action, lost_pages::Action* before) {
  if (number == SIGBUS && lost_pages::watching) return lost_pages::change_action(action, before);
  return lost_pages::real_sigaction(number, action, before);
}

LEADLINE_SIGNAL_WRAPPER(lost_pages::Handler, signal, int number, lost_pages::Handler handler) {
  if (number == SIGBUS && lost_pages::watching && handler != SIG_ERR) {
    return lost_pages::set_handler(handler, SA_RESTART);
  }
  if (!lost_pages::next_signal) lost_pages::find_signal_functions();
  return lost_pages::next_signal(number, handler);
}

// signal() of programs compiled for System V or plain C.
LEADLINE_SIGNAL_WRAPPER(lost_pages::Handler, __sysv_signal, int number, lost_pages::Handler handler) {
  if (number == SIGBUS && lost_pages::watching && handler != SIG_ERR) {
    return lost_pages::set_handler(handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
  }
  if (!lost_pages::next_sysv_signal) lost_pages::find_signal_functions();
  return lost_pages::next_sysv_signal(number, handler);
}
