#include "recorder/wrappers/record.hpp"

#include <string.h>

namespace leadline::recorder {

void time_own_work(Thread& t) {
  const Ticks last = t.header->last_end, moment = now();
  const Ticks took = moment > last ? moment - last : 0;
  if (t.left_before) {
    // The usual part is among the time before the next call, like that of other calls.
    const Ticks usual = t.samples ? t.sampled_ticks / t.samples : 0;
    t.sample_left = t.left_before > 1 ? t.left_before - 1 : 1;
    t.left_before = 0;
    return this_process.leave_out(t, took > usual ? took - usual : 0);
  }
  t.sample_left = Thread::sample_every;
  if (took < preempted_ticks) {
    t.sampled_ticks += took;
    ++t.samples;
  }
  this_process.note_conditions(t);
}

const CommView& look_up_comm(Thread& t, uint64_t handle, int rc) {
  t.time_this_call();
  const Locked locked(this_process.lock());
  Handles& handles = this_process.handles();
  return t.last_comm = rc == 0 ? handles.comm(handle) : handles.known_comm(handle);
}

const TypeView& look_up_type(Thread& t, uint64_t handle, int rc) {
  t.time_this_call();
  const Locked locked(this_process.lock());
  Handles& handles = this_process.handles();
  return t.last_type = rc == 0 ? handles.type(handle) : handles.known_type(handle);
}

namespace {

// The library's answer about a status whose layout is not documented.
int64_t asked_bytes(Word status) {
  constexpr auto get_count = static_cast<int>(Fn::Get_count);
  if (void* large = real_functions[get_count][static_cast<int>(Name::pmpi_c)]) {
    int64_t bytes = 0;
    const auto real = reinterpret_cast<int (*)(Word, uint64_t, int64_t*)>(large);
    return real(status, abi.byte, &bytes) == 0 && bytes != abi.undefined ? bytes : trace::unknown_value;
  }
  int32_t bytes = 0;
  if (call_real(Fn::Get_count, status, abi.byte, &bytes) != 0 || bytes == abi.undefined) return trace::unknown_value;
  return bytes;
}

}  // namespace

Status read_status(Word at) {
  const StatusLayout& layout = abi.status;
  const auto* bytes = reinterpret_cast<const char*>(at);
  Status s{};
  memcpy(&s.source, bytes + layout.source, sizeof(s.source));
  memcpy(&s.tag, bytes + layout.tag, sizeof(s.tag));
  s.bytes = layout.count_code == CountCode::ask ? asked_bytes(at) : bytes_in(layout, bytes);
  return s;
}

void add_request(Thread& t, const trace::Key& maker, Word address, const NewRequest& made) {
  const uint64_t handle = Abi::stored(address, abi.family->handle_bytes.request);
  if (handle == abi.request_null) return;
  recording::ThreadHeader& h = *t.header;
  const Locked locked(this_process.lock());
  Requests& requests = this_process.requests();
  const uint32_t index = requests.add(handle, address, t.number, abi.shared_request(handle));
  if (index == Requests::none) return;
  Request& r = requests[index];
  r.maker = maker;
  r.posted_bytes = maker.peer == trace::peer_null ? 0 : made.posted_bytes;  // nothing goes to MPI_PROC_NULL
  r.thread = t.number;
  r.receives = made.receives;
  r.file_moves = made.file_moves;
  r.wildcard = made.wildcard;
  r.cancelled = false;
  r.pending = made.pending;
  r.active = !made.persistent;
  r.created = made.persistent ? ++h.persistent_made : 0;
  r.number = made.persistent ? 0 : ++h.requests_made;
}

uint32_t link_to(Thread& t, uint16_t thread, uint32_t site, uint64_t counter, uint64_t number) {
  if (thread != t.number) {
    // Made by another thread: its own count, its own site.
    const int64_t words[3] = {static_cast<int64_t>(number), site, thread};
    return t.graph.intern(words, 3) | trace::link_interned;
  }
  const uint64_t age = counter - number + 1;
  if (trace::link_fits(age, site)) return trace::link_pack(age, site);
  const int64_t words[2] = {static_cast<int64_t>(age), site};
  return t.graph.intern(words, 2) | trace::link_interned;
}

uint32_t link_to_creator(Thread& t, const Request& r) {
  if (r.created == Request::created_while_paused)
    return link_to(t, r.thread, r.maker.site, 0, r.thread == t.number ? 1 : 0);
  return link_to(t, r.thread, r.maker.site, t.header->persistent_made, r.created);
}

void before_receive(Call& call) { substitute_status(call); }

void before_message(Call& call) {
  call.handle = Abi::stored(call.arg(call.roles().message), abi.family->handle_bytes.message);
  substitute_status(call);
}

bool took_message(int rc) {
  int32_t error_class = rc;
  call_real(Fn::Error_class, rc, &error_class);
  return error_class == abi.family->err_truncate;
}

void before_object_free(Call& call) {
  const Roles& r = call.roles();
  const HandleBytes& width = abi.family->handle_bytes;
  call.handle = r.win >= 0    ? Abi::stored(call.arg(r.win), width.win)
                : r.file >= 0 ? Abi::stored(call.arg(r.file), width.file)
                              : Abi::stored(call.arg(r.comm), width.comm);
}

void before_init(Call&) { this_process.initializes(); }

void before_finalize(Call&) { this_process.finalizes(); }

void before_abort(Call& call) {  // does not come back, or only until the process is ended
  call.begin = call.end = now();
  call.site = call.thread.paths.site(call.fn, call.caller);
  record_other(call);
  if (call.site == no_site) return;
  recording::ThreadHeader& h = *call.thread.header;
  h.aborted_at = call.begin;
  h.aborted_site = recording::in_site + call.site;
}

void before_other(Call& call) {
  if (call.fn == Fn::Session_init) this_process.initializes();
  if (call.fn == Fn::Session_finalize) {
    this_process.session_closes(Abi::stored(call.args[0], abi.family->handle_bytes.session));
  }
}

void before_type_free(Thread& t, Word address) {
  const uint64_t handle = Abi::stored(address, abi.family->handle_bytes.datatype);
  const Locked locked(this_process.lock());
  this_process.handles().forget_type(handle);
  t.last_type = TypeView{};
}

void record_init(Call& call) {
  call.thread.time_this_call();
  if (call.rc == 0) {
    this_process.initialized(call.begin);
    if (this_process.compares_clocks()) {
      call.end = now();  // no computation of the program's
      call.thread.long_work_from = 0;
      call.thread.begins_long_work();
    }
  } else {
    this_process.not_initialized();
  }
  record_other(call);
}

void record_finalize(Call& call) {
  if (const Ticks began = this_process.compared_clocks()) call.begin = began;
  record_other(call);
  this_process.finalized(call.end);
}

void record_nothing(Call&) {}

void record_unseen(Call&) {}

void record_other(Call& call) {
  trace::Key key;
  if (!begin_key(call, &key)) return;
  if (call.traits.cls == CallClass::parrived && says_no(call)) return add_poll(call, key.site);
  const Roles& r = call.roles();
  const bool by_value = facts_of(call.traits.cls).category != Category::startup;
  if (r.comm >= 0 && by_value) key.comm = comm_of(call, call.arg(r.comm)).id;
  key.peer = trace::peer_none;
  if (call.rc != 0 && call.fn == Fn::Session_init) this_process.not_initialized();
  if (call.rc == 0 && call.fn == Fn::Session_init) {
    call.thread.time_this_call();
    call.thread.begins_long_work();
    this_process.session_opened(Abi::stored(call.args[2], abi.family->handle_bytes.session), call.begin);
  }
  if (call.rc == 0 && call.traits.cls == CallClass::other && r.request >= 0) {  // MPI_Comm_iflush_buffer
    add_request(call.thread, key, call.arg(r.request), {});
  }
  add_event(call, key);
  if (call.rc == 0 && call.fn == Fn::Session_finalize) this_process.session_closed(call.end);
}

}  // namespace leadline::recorder
