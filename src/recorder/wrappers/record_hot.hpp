// Sends, receives and waits: the calls that programs make most, recorded in the wrapper itself.
#pragma once

#include "recorder/wrappers/record.hpp"

namespace leadline::recorder {

// About 40 us. A call that starts a message never waits. If it seems to have taken this long, the program computed
// before it, and the call's last duration is used instead.
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

// Field by field, each through a register: a wider copy of a key just written would wait until that has left the store
// buffer.
[[gnu::always_inline]] inline void copy_fields(const trace::Key& from, trace::Key* to) {
  const auto field = [](auto value) {
    asm("" : "+r"(value));
    return value;
  };
  to->site = field(from.site);
  to->comm = field(from.comm);
  to->count = field(from.count);
  to->peer = field(from.peer);
  to->tag = field(from.tag);
  to->datatype = field(from.datatype);
  to->extra = field(from.extra);
  to->value = field(from.value);
}

// add_request and complete_into for what most programs do, where one thread calls MPI: in the wrapper itself.

[[gnu::always_inline]] inline void add_message(Thread& t, const trace::Key& maker, Word address,
                                               const NewRequest& made) {
  const uint64_t handle = Abi::stored(address, abi.family->handle_bytes.request);
  if (__builtin_expect(this_process.lock().needed() || handle == abi.request_null, 0)) {
    return add_request(t, maker, address, made);
  }
  Requests& requests = this_process.requests();
  const uint32_t index = requests.add(handle, address, t.number, abi.shared_request(handle));
  if (__builtin_expect(index == Requests::none, 0)) return;
  Request& r = requests[index];
  copy_fields(maker, &r.maker);
  r.number = ++t.header->requests_made;
  r.created = 0;
  r.posted_bytes = maker.peer == trace::peer_null ? 0 : made.posted_bytes;
  r.thread = t.number;
  r.active = true;
  r.receives = made.receives;
  r.wildcard = made.wildcard;
  r.cancelled = false;
  r.file_moves = 0;
  r.pending = 0;
}

template <class C>
[[gnu::always_inline]] inline void complete_message(C& call, trace::Key* key) {
  Thread& t = call.thread;
  const uint64_t handle = call.handle;
  const Word address = call.arg(C::roles().request), status = filled_status(call);
  if (__builtin_expect(!this_process.lock().needed() && handle != abi.request_null, 1)) {
    Requests& requests = this_process.requests();
    if (uint32_t* link = requests.link(handle, address, abi.shared_request(handle))) {
      const Request& r = requests[*link];
      const uint64_t age = t.header->requests_made - r.number + 1;
      if (__builtin_expect(r.plain() && r.thread == t.number && trace::link_fits(age, r.maker.site), 1)) {
        const uint32_t site = key->site;
        copy_fields(r.maker, key);
        key->extra = trace::link_pack(age, r.maker.site);
        key->site = site;
        key->value = 0;
        if (r.receives && key->peer != trace::peer_null) {
          key->value = status ? read_status(status).bytes : trace::unknown_value;
        }
        return requests.remove(link);
      }
    }
  }
  complete_into(t, handle, address, status, key);
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
    if (call.rc == 0) add_message(t, key, call.arg(r.request), {.posted_bytes = key.count * type.size});
  }
  if (__builtin_expect(call.rc != 0, 0)) refuse(&key);
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
      add_message(t, key, call.arg(r.request),
                  {.receives = true, .wildcard = wildcard, .posted_bytes = key.count * type.size});
    }
  } else if (const Word status = filled_status(call); status && key.peer != trace::peer_null) {
    const Status s = read_status(status);
    key.peer = relative(comm, s.source);
    key.tag = s.tag;
    key.value = s.bytes;
  }
  if (__builtin_expect(call.rc != 0, 0) && !took_message(call.rc)) refuse(&key);
  add_hot(call, key);
}

template <class C>
[[gnu::always_inline]] inline void before_hot(C& call) {
  constexpr Roles r = C::roles();
  constexpr CallClass c = C::traits.cls;
  if constexpr (c == CallClass::wait) call.handle = Abi::stored(call.arg(r.request), abi.family->handle_bytes.request);
  if constexpr (c == CallClass::recv || c == CallClass::wait) substitute_status(call);
}

template <class C>
[[gnu::always_inline]] inline void record_hot(C& call) {
  constexpr CallClass c = C::traits.cls;
  if constexpr (c == CallClass::send || c == CallClass::isend) record_send(call);
  if constexpr (c == CallClass::recv || c == CallClass::irecv) record_recv(call);
  if constexpr (c == CallClass::wait) {
    trace::Key key;
    key.site = call.site;
    complete_message(call, &key);
    add_hot(call, key);
  }
}

}  // namespace leadline::recorder
