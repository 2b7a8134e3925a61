// Sends, receives and waits: the calls that programs make most, recorded in the wrapper itself.
#pragma once

#include "recorder/record.hpp"

namespace leadline::recorder {

// Some 40 us. What starts a message waits for nobody: where it seems to have taken so long the program did something
// else before it, and the last time tells how long the call takes.
inline constexpr Ticks pause_ticks = 1u << 17;

template <class C>
[[gnu::always_inline]] inline void add_hot(C& call, const trace::Key& key) {
  constexpr CallClass c = C::traits.cls;
  if (call.assumed_gap) {
    const Ticks begin = call.thread.header->last_end + call.assumed_gap;
    call.begin = begin < call.end ? begin : call.end;
    if constexpr (c == CallClass::isend || c == CallClass::irecv) {
      if (__builtin_expect(call.end - call.begin > pause_ticks, 0)) {
        call.begin = call.end - call.thread.graph.last_duration();
      }
    }
  }
  add_event(call, key);
}

template <class C>
[[gnu::always_inline]] inline void record_send(C& call) {
  constexpr Roles r = C::roles();
  Thread& t = call.thread;
  const CommView& comm = comm_of(call, call.arg(r.comm));
  const TypeView& type = type_of(call, call.arg(r.stype));
  trace::Key key;
  key.site = call.site;
  key.comm = comm.id;
  key.count = call.count_arg(r.scount);
  key.peer = relative(comm, call.int_arg(r.dest));
  key.tag = call.int_arg(r.stag);
  key.datatype = type.id;
  if constexpr (r.request >= 0) {
    if (call.rc == 0) add_request(t, key, call.arg(r.request), {.posted_bytes = key.count * type.size});
  }
  add_hot(call, key);
}

// The receiving half of a call as it was posted.
template <class AnyCall>
inline trace::Key posted_receive(AnyCall& call, const CommView& comm, const TypeView& type) {
  const Roles& r = call.roles();
  trace::Key key;
  key.comm = comm.id | wildcard_flags(call.int_arg(r.source), call.int_arg(r.rtag));
  key.count = call.count_arg(r.rcount);
  key.peer = relative(comm, call.int_arg(r.source));
  key.tag = tag_of(call.int_arg(r.rtag));
  key.datatype = type.id;
  key.value = key.peer == trace::peer_null ? 0 : trace::unknown_value;
  return key;
}

template <class C>
[[gnu::always_inline]] inline void record_recv(C& call) {
  constexpr Roles r = C::roles();
  Thread& t = call.thread;
  const CommView& comm = comm_of(call, call.arg(r.comm));
  const TypeView& type = type_of(call, call.arg(r.rtype));
  trace::Key key = posted_receive(call, comm, type);
  key.site = call.site;
  if constexpr (r.request >= 0) {
    const bool wildcard = key.comm & (trace::flag_any_source | trace::flag_any_tag);
    if (call.rc == 0) {
      add_request(t, key, call.arg(r.request),
                  {.receives = true, .wildcard = wildcard, .posted_bytes = key.count * type.size});
    }
  } else if (const Word status = filled_status(call); status && key.peer != trace::peer_null) {
    const Status s = read_status(status);
    key.peer = relative(comm, s.source);
    key.tag = s.tag;
    key.value = s.bytes;
  }
  add_hot(call, key);
}

template <class C>
[[gnu::always_inline]] inline void before_hot(C& call) {
  constexpr Roles r = C::roles();
  if constexpr (C::traits.cls == CallClass::recv) {
    if (wildcard_flags(call.int_arg(r.source), call.int_arg(r.rtag))) substitute_status(call);
  }
  if constexpr (C::traits.cls == CallClass::wait) {
    call.handle = Abi::stored(call.arg(r.request), abi.family->handle_bytes.request);
    if (recording.wildcards) substitute_status(call);
  }
}

template <class C>
[[gnu::always_inline]] inline void record_hot(C& call) {
  constexpr CallClass c = C::traits.cls;
  if constexpr (c == CallClass::send || c == CallClass::isend) record_send(call);
  if constexpr (c == CallClass::recv || c == CallClass::irecv) record_recv(call);
  if constexpr (c == CallClass::wait) {
    trace::Key key;
    key.site = call.site;
    complete_into(call.thread, call.handle, call.arg(C::roles().request), filled_status(call), &key);
    add_hot(call, key);
  }
}

}  // namespace leadline::recorder
