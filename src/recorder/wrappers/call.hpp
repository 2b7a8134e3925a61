// The body of every wrapper. It finds the thread's state, runs the real function between two time stamps, and hands the
// arguments to the recording function of the call's class. Only the outermost call of a thread records: Fortran layers
// re-enter C, collectives call point to point, and another tool's MPI_x calls PMPI_x.
#pragma once

#include <utility>

#include "recorder/process/recorder.hpp"
#include "recorder/process/tool_variables.hpp"
#include "recorder/wrappers/paused_calls.hpp"
#include "recorder/wrappers/record_hot.hpp"

#define LEADLINE_EXPORT __attribute__((visibility("default")))

namespace leadline::recorder {

// Whether this is inside another call of the thread: that call's frame is then above, and its return address still in
// place. A call left by longjmp or an exception must not silence later ones.
inline bool nested(Thread* t, Caller caller) {
  if (__builtin_expect(!t->depth, 1)) return false;
  return t->is_in_call(caller.frame);
}

// The call that the thread was in did not return: an error handler threw an exception, or jumped.
[[gnu::noinline, gnu::cold]] void call_was_left(Thread* t);

// Not nested.
inline void enter_call(Thread* t, Caller caller) {
  if (__builtin_expect(t->depth, 0)) call_was_left(t);
  t->depth = 1;
  t->outer_frame = caller.frame;
  t->outer_return = caller.return_address;
}

// The call that a thread sits in when it is killed, or never returns; begin 0: it was not stamped.
[[gnu::always_inline]] inline void under_way(Thread* t, uint32_t call, Ticks begin) {
  recording::ThreadHeader& h = *t->header;
  if (begin) __atomic_store_n(&h.call_begin, begin, __ATOMIC_RELAXED);
  __atomic_store_n(&h.call, call, __ATOMIC_RELAXED);
}
[[gnu::always_inline]] inline void call_is_over(Thread* t) { __atomic_store_n(&t->header->call, 0, __ATOMIC_RELAXED); }

// Samples are rare, so looking for them costs a call nothing measurable.
[[gnu::always_inline]] inline void samples_before(Thread& t, uint32_t site) {
  if (__builtin_expect(t.ring.waiting(), 0)) {
    this_process.take_samples(t, site == Call::not_sited ? no_site : site, Recorder::Where::before_call);
  }
}
[[gnu::always_inline]] inline void samples_within(Thread& t) {
  if (__builtin_expect(t.ring.waiting(), 0)) this_process.take_samples(t, no_site, Recorder::Where::in_call);
}

// MPI_Pcontrol takes any number of arguments: its caller says in a register how many are in vector registers, and older
// compilers' code jumps by that.
template <CallClass cls, class R, class... A>
struct RealFunction {
  using type = R (*)(A...);
};
template <class R, class First, class... A>
struct RealFunction<CallClass::pcontrol, R, First, A...> {
  using type = R (*)(First, ...);
};

// The loaded library does not provide the function: the program was linked against a newer one.
Word missing(Fn fn, Name name);

// A call while recording is paused: only what later calls need is kept. One body serves all functions of a class with
// as many arguments, and both their names: to compile one for each takes longer, and makes the recorder larger.
template <CallClass cls, bool large, class R, class... A, size_t... I>
[[gnu::noinline]] R call_while_paused(Thread* thread, Caller caller, Fn fn, void* target, std::index_sequence<I...>,
                                      A... a) {
  const Traits& t = traits[static_cast<int>(fn)];
  const auto real = reinterpret_cast<typename RealFunction<cls, R, A...>::type>(target);
  if (cls == CallClass::local || !thread || nested(thread, caller)) return real(a...);
  Word args[] = {a..., 0};
  enter_call(thread, caller);
  R rc;
  if constexpr (cls == CallClass::type_free) {
    before_type_free(*thread, args[0]);
    rc = real(a...);
    --thread->header->paused_calls;  // local
  } else if constexpr (cls == CallClass::wait) {
    const uint64_t handle = Abi::stored(args[t.roles.request], abi.family->handle_bytes.request);
    rc = real(a...);
    complete_while_paused(handle, args[t.roles.request]);
  } else if constexpr (makes_request(cls)) {
    rc = real(a...);
    if (t.roles.request >= 0 && static_cast<int>(rc) == 0) enter_while_paused(*thread, args[t.roles.request]);
  } else if constexpr (leaves_traces(cls)) {
    Call call{*thread, t, args, caller, fn, large};
    call.while_paused = true;
    before_paused_call(call);
    rc = real(args[I]...);
    call.rc = static_cast<int>(rc);
    after_paused_call(call);
  } else {
    rc = real(a...);
  }
  ++thread->header->paused_calls;
  thread->depth = 0;
  return rc;
}

template <class R, Fn fn, Name name, class... A, size_t... I>
[[gnu::always_inline]] inline R call_through(Caller caller, std::index_sequence<I...>, A... a) {
  constexpr const Traits& t = traits[static_cast<int>(fn)];
  constexpr bool large = name == Name::mpi_c || name == Name::pmpi_c;
  if constexpr (fn == Fn::T_init_thread) tool_interface.begun();
  if constexpr (fn == Fn::T_finalize) tool_interface.finalized();
  Thread* thread = own_thread();
  if (__builtin_expect(!thread, 0)) thread = this_process.enter();
  // Null while recording is paused, too: calls that are recorded pay nothing for that.
  void* target = __atomic_load_n(&recorded_functions[static_cast<int>(fn)][static_cast<int>(name)], __ATOMIC_RELAXED);
  if (__builtin_expect(!target, 0)) {
    target = real_functions[static_cast<int>(fn)][static_cast<int>(name)];
    if (!target) return static_cast<R>(missing(fn, name));
    if constexpr (!always_recorded(t.cls)) {
      return call_while_paused<t.cls, large, R>(thread, caller, fn, target, std::index_sequence<I...>{}, a...);
    }
  }
  const auto real = reinterpret_cast<typename RealFunction<t.cls, R, A...>::type>(target);
  if (__builtin_expect(!thread || nested(thread, caller), 0)) return real(a...);

  if constexpr (t.cls == CallClass::local || t.cls == CallClass::type_free) {
    recording::LiveLocal* local = thread->locals.find(fn, caller.return_address);
    if (local == LocalCalls::not_counted) return real(a...);
    enter_call(thread, caller);
    if constexpr (t.cls == CallClass::type_free) {
      const Word args[] = {a..., 0};
      before_type_free(*thread, args[0]);
    }
    const uint64_t calls = ++local->calls;
    R rc;
    if (LocalCalls::timed(calls)) {
      const Ticks begin = now();
      rc = real(a...);
      local->ticks += (now() - begin) * LocalCalls::weight(calls);
    } else {
      rc = real(a...);
    }
    thread->depth = 0;
    return rc;
  } else {
    Word args[] = {a..., 0};
    enter_call(thread, caller);
    if constexpr (is_hot(t.cls)) {
      HotCall<fn, large> call{*thread, args, caller, thread->paths.site(fn, caller)};
      if (__builtin_expect(call.site == no_site, 0)) {
        thread->depth = 0;
        return real(a...);
      }
      samples_before(*thread, call.site);
      before_hot(call);
      call.assumed_gap = thread->graph.assumed_gap(call.site);
      if (!call.assumed_gap) call.begin = now();
      under_way(thread, recording::in_site + call.site, call.begin);
      const R rc = real(args[I]...);
      call.end = now();
      call_is_over(thread);
      samples_within(*thread);
      call.rc = static_cast<int>(rc);
      record_hot(call);
      thread->depth = 0;
      return rc;
    }
    Call call{*thread, t, args, caller, fn, large};
    constexpr Recorded recorded = recording_of(t.cls);
    if constexpr (recorded.looks_before) recorded.before(call);
    if constexpr (sited_before(t.cls)) call.site = thread->paths.site(fn, caller);
    samples_before(*thread, call.site);
    call.begin = now();
    if constexpr (sited_before(t.cls)) {
      under_way(thread, call.site == no_site ? 0 : recording::in_site + call.site, call.begin);
    } else {
      under_way(thread, recording::in_function + static_cast<uint32_t>(fn), call.begin);
    }
    const R rc = real(args[I]...);
    call.end = now();
    call_is_over(thread);
    samples_within(*thread);
    call.rc = static_cast<int>(rc);
    recorded.after(call);
    thread->depth = 0;
    return rc;
  }
}

template <Fn fn, Name name, class... A>
[[gnu::always_inline]] inline Word call(Caller caller, A... a) {
  return call_through<Word, fn, name>(caller, std::index_sequence_for<A...>{}, a...);
}
template <Fn fn, Name name, class... A>
[[gnu::always_inline]] inline double call_double(Caller caller, A... a) {
  return call_through<double, fn, name>(caller, std::index_sequence_for<A...>{}, a...);
}

}  // namespace leadline::recorder
