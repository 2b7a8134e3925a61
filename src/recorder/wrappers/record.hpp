// From a call's arguments to its key: the recording functions by class.
#pragma once

#include <cstddef>
#include <type_traits>

#include "recorder/process/recorder.hpp"
#include "recorder/wrappers/wrapped_call.hpp"

namespace leadline::recorder {

constexpr bool is_hot(CallClass c) {
  return c == CallClass::send || c == CallClass::isend || c == CallClass::recv || c == CallClass::irecv ||
         c == CallClass::wait;
}

const char* file_name(const Call& call);
void before_type_free(Thread& t, Word type_address);

// Before the call: handles that it takes away, statuses that it is not asked for.
void before_receive(Call& call);  // probes, and transfers of files
void before_message(Call& call);
void before_object_free(Call& call);  // communicators, windows and files
void before_open(Call& call);
void before_init(Call& call);
void before_finalize(Call& call);
void before_abort(Call& call);
void before_other(Call& call);

void record_sendrecv(Call& call);
void record_probe(Call& call);
void record_message(Call& call);  // mrecv, imrecv
void record_init_request(Call& call);
void record_start(Call& call);
void record_startall(Call& call);
void before_completion(Call& call);
void record_completion(Call& call);   // of one request
void record_completions(Call& call);  // of a list
void record_collective(Call& call);
void before_spawn(Call& call);
void record_comm_create(Call& call);
void record_comm_free(Call& call);
void record_object(Call& call);  // windows and files: made and freed
void record_rma(Call& call);
void record_file_io(Call& call);
void record_init(Call& call);
void record_finalize(Call& call);
void record_nothing(Call&);  // MPI_Abort was recorded before it
void record_other(Call& call);
void record_unseen(Call&);         // of classes whose calls come another way
void record_pcontrol(Call& call);  // pauses and resumes

// What is done before and after the calls of a class.
struct Recorded {
  using Function = void (*)(Call&);
  bool looks_before;  // beside the function: with sanitizers GCC can't compare its address at compile time
  Function before, after;

  constexpr Recorded(std::nullptr_t, Function then) : looks_before(false), before(nullptr), after(then) {}
  constexpr Recorded(Function first, Function then) : looks_before(true), before(first), after(then) {}
};

// No default, so that the compiler complains about a new class.
constexpr Recorded recording_of(CallClass c) {
  switch (c) {
    case CallClass::send:  // record_hot.hpp
    case CallClass::isend:
    case CallClass::recv:
    case CallClass::irecv:
    case CallClass::wait:
    case CallClass::local:  // counted in the wrapper
    case CallClass::type_free:
    case CallClass::posix_open:  // files/
    case CallClass::posix_close:
    case CallClass::posix_read:
    case CallClass::posix_write:
    case CallClass::posix_seek:
    case CallClass::posix_map:
    case CallClass::posix_other:
      return {nullptr, record_unseen};
    case CallClass::test:
    case CallClass::waitany:
    case CallClass::testany:
    case CallClass::request_free:
    case CallClass::cancel:
      return {before_completion, record_completion};
    case CallClass::waitall:
    case CallClass::testall:
    case CallClass::waitsome:
    case CallClass::testsome:
      return {before_completion, record_completions};
    case CallClass::coll:
    case CallClass::icoll:
    case CallClass::coll_init:
      return {nullptr, record_collective};
    case CallClass::sendrecv:
    case CallClass::sendrecv_replace:
      return {before_receive, record_sendrecv};
    case CallClass::isendrecv:
      return {nullptr, record_sendrecv};
    case CallClass::probe:
    case CallClass::iprobe:
    case CallClass::mprobe:
    case CallClass::improbe:
      return {before_receive, record_probe};
    case CallClass::mrecv:
    case CallClass::imrecv:
      return {before_message, record_message};
    case CallClass::send_init:
    case CallClass::recv_init:
    case CallClass::psend_init:
    case CallClass::precv_init:
      return {nullptr, record_init_request};
    case CallClass::start:
      return {nullptr, record_start};
    case CallClass::startall:
      return {nullptr, record_startall};
    case CallClass::comm_create:
      return {before_spawn, record_comm_create};
    case CallClass::comm_icreate:
      return {nullptr, record_comm_create};
    case CallClass::comm_free:
      return {before_object_free, record_comm_free};
    case CallClass::win_create:
      return {nullptr, record_object};
    case CallClass::file_open:
      return {before_open, record_object};
    case CallClass::win_free:
    case CallClass::file_close:
      return {before_object_free, record_object};
    case CallClass::rma:
    case CallClass::rma_request:
    case CallClass::rma_sync:
      return {nullptr, record_rma};
    case CallClass::file_io:
      return {before_receive, record_file_io};
    case CallClass::file_iio:
    case CallClass::file_other:
      return {nullptr, record_file_io};
    case CallClass::init:
      return {before_init, record_init};
    case CallClass::finalize:
      return {before_finalize, record_finalize};
    case CallClass::abort:
      return {before_abort, record_nothing};
    case CallClass::pcontrol:
      return {nullptr, record_pcontrol};
    case CallClass::pready:
    case CallClass::parrived:
      return {nullptr, record_other};
    case CallClass::other:
      return {before_other, record_other};
  }
  return {nullptr, record_unseen};
}

// Whether the call site is found before the call, which may never return. Objects that MPI_Init loads are not yet
// there.
inline constexpr bool sited_before(CallClass c) { return facts_of(c).category != Category::startup; }

// --- what they share (record.cpp) ---

// The key with the call's site; false: the call is a layer's own.
template <class AnyCall>
inline bool begin_key(AnyCall& call, trace::Key* key) {
  uint32_t site = Call::not_sited;
  if constexpr (std::is_same_v<AnyCall, Call>) site = call.site;
  if (site == Call::not_sited) {
    call.thread.call_returned = true;
    site = call.thread.paths.site(call.fn, call.caller);
    call.thread.call_returned = false;
  }
  key->site = site;
  return site != no_site;
}

// The recorder's own time since the call: of one call in sample_every as a sample, of calls with which something is
// learnt to leave it out of the time before the next one.
void time_own_work(Thread& t);

// Gives the event to the graph.
template <class AnyCall>
inline void add_event(AnyCall& call, const trace::Key& key) {
  Thread& t = call.thread;
  if constexpr (std::is_same_v<AnyCall, Call>) {
    if (call.while_paused) return;
  }
  const Ticks last = t.header->last_end;
  t.header->last_end = call.end;
  t.graph.add(key, call.end - call.begin, call.begin > last ? call.begin - last : 0);
  if constexpr (std::is_same_v<AnyCall, Call>) t.graph.stamp_next();
  if (__builtin_expect(--t.sample_left == 0, 0)) time_own_work(t);
}

// Whether the call has a flag that says no; a poll that failed altogether says so too.
inline bool says_no(const Call& call) {
  const int8_t flag = call.roles().flag;
  return flag >= 0 && (call.rc != 0 || !*reinterpret_cast<const int32_t*>(call.arg(flag)));
}

// A poll that found or completed nothing is no event.
inline void add_poll(Call& call, uint32_t site) {
  if (call.while_paused) return;
  Thread& t = call.thread;
  const Ticks last = t.header->last_end;
  t.header->last_end = call.end;
  t.graph.add_poll(site, call.end - call.begin, call.begin > last ? call.begin - last : 0);
  if (__builtin_expect(--t.sample_left == 0, 0)) time_own_work(t);
}

// A failed call may have been given something that is not a handle. The library is then not queried, because that would
// call the program's error handler again.
const CommView& look_up_comm(Thread& t, uint64_t handle, int rc);
const TypeView& look_up_type(Thread& t, uint64_t handle, int rc);

// The thread's last results remain valid as long as nothing was freed.
inline void check_views(Thread& t) {
  const uint32_t epoch = handles_epoch.load(std::memory_order_relaxed);
  if (__builtin_expect(t.views_epoch != epoch, 0)) {
    t.views_epoch = epoch;
    t.last_comm = CommView{};
    t.last_type = TypeView{};
  }
}
template <class AnyCall>
inline const CommView& comm_of(AnyCall& call, Word word) {
  Thread& t = call.thread;
  const uint64_t handle = abi.comm(word);
  check_views(t);
  if (__builtin_expect(t.last_comm.handle == handle && t.last_comm.known, 1)) return t.last_comm;
  return look_up_comm(t, handle, call.rc);
}
template <class AnyCall>
inline const TypeView& type_of(AnyCall& call, Word word) {
  Thread& t = call.thread;
  const uint64_t handle = abi.datatype(word);
  check_views(t);
  if (__builtin_expect(t.last_type.handle == handle && t.last_type.known, 1)) return t.last_type;
  return look_up_type(t, handle, call.rc);
}
inline int32_t relative(const CommView& comm, int32_t rank) {
  if (rank >= 0) return rank - comm.rank;
  if (rank == abi.proc_null) return trace::peer_null;
  if (rank == abi.any_source) return trace::peer_any;
  if (rank == abi.root) return trace::peer_root;
  return trace::peer_none;
}
inline int32_t tag_of(int32_t tag) { return tag == abi.any_tag ? trace::tag_any : tag; }
inline uint32_t wildcard_flags(int32_t source, int32_t tag) {
  return (source == abi.any_source ? trace::flag_any_source : 0) | (tag == abi.any_tag ? trace::flag_any_tag : 0);
}

struct Status {
  int32_t source, tag;
  int64_t bytes;  // trace::unknown_value where the library does not tell
};
Status read_status(Word at);

// Puts a status of ours where the program passed MPI_STATUS_IGNORE.
template <class AnyCall>
inline void substitute_status(AnyCall& call) {
  const int8_t role = call.roles().status;
  if (role < 0 || call.args[role] != abi.status_ignore) return;
  call.own_statuses = reinterpret_cast<Word>(call.thread.status);
  call.args[role] = call.own_statuses;
}
// The status the call filled in, 0 if there is none.
template <class AnyCall>
inline Word filled_status(const AnyCall& call) {
  const int8_t role = call.roles().status;
  return role < 0 || call.rc != 0 || call.args[role] == abi.status_ignore ? 0 : call.args[role];
}

// A call that the library refused: nothing was moved, and its arguments may be invalid.
inline void refuse(trace::Key* key) {
  key->comm &= trace::comm_mask;
  key->count = 0;
  key->peer = trace::peer_none;
  key->tag = 0;
  key->datatype = 0;
  key->extra = 0;
  key->value = 0;
}
// Whether a receive that failed has taken its message nevertheless: it was longer than the buffer.
bool took_message(int rc);

// Enters the request a call made. `receives`, `wildcard`: what it waits for.
struct NewRequest {
  bool receives = false, wildcard = false, persistent = false;
  uint8_t file_moves = 0;  // as in Request
  int64_t posted_bytes = 0;
  uint32_t pending = 0;
};
void add_request(Thread& t, const trace::Key& maker, Word request_address, const NewRequest& made);
// Completes the request (rc 0 or not) and gives the key, whose site is set, the fields of its maker as they turned out.
void complete_into(Thread& t, uint64_t handle, Word address, Word status, trace::Key* key);
// Link from a completion to the maker (event.hpp).
uint32_t link_to(Thread& t, uint16_t thread, uint32_t site, uint64_t counter, uint64_t number);
// The same to the creator of a persistent request; its age is 0 where it was created while recording was paused.
uint32_t link_to_creator(Thread& t, const Request& r);
// Updates the table of requests for a call that completed requests while recording was paused.
void complete_while_paused(Call& call);
void complete_while_paused(uint64_t handle, Word address);

}  // namespace leadline::recorder
