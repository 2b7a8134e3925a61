#include "recorder/record.hpp"

#include <string.h>

#include "leadline/symbols.hpp"
#include "recorder/call.hpp"

namespace leadline::recorder {

Word missing(Fn fn, Name name) {
  tell("%s was called, but no library behind the recorder has it", symbol_names[static_cast<int>(fn)][static_cast<int>(name)]);
  constexpr Word error_other = 15;  // MPI_ERR_OTHER in the MPICH family; any value but MPI_SUCCESS will do
  return error_other;
}

namespace {
constexpr Ticks preempted_ticks = 60000;  // longer than any recording: the operating system was at work
}

bool begin_key(Call& call, trace::Key* key) {
  const uint32_t site = call.thread.paths.site(call.fn, call.caller);
  if (site == no_site) return false;
  key->site = site;
  return true;
}

void add_event(Call& call, const trace::Key& key) {
  Thread& t = call.thread;
  const Ticks last = t.header->last_end;
  t.header->last_end = call.end;
  t.graph.add(key, call.end - call.begin, call.begin > last ? call.begin - last : 0);
  if (__builtin_expect(--t.sample_left == 0, 0)) {
    t.sample_left = Thread::sample_every;
    const Ticks took = now() - call.end;
    if (took < preempted_ticks) {
      t.sampled_ticks += took;
      ++t.samples;
    }
  }
}

namespace {

void check_views(Thread& t) {
  const uint32_t epoch = recording.handles().epoch();
  if (__builtin_expect(t.views_epoch != epoch, 0)) {
    t.views_epoch = epoch;
    t.last_comm = CommView{};
    t.last_type = TypeView{};
  }
}

}  // namespace

CommView comm_of(Thread& t, Word word) {
  const uint64_t handle = abi.comm(word);
  check_views(t);
  if (__builtin_expect(t.last_comm.handle == handle && t.last_comm.known, 1)) return t.last_comm;
  const Locked locked(recording.lock());
  return t.last_comm = recording.handles().comm(handle);
}

TypeView type_of(Thread& t, Word word) {
  const uint64_t handle = abi.datatype(word);
  check_views(t);
  if (__builtin_expect(t.last_type.handle == handle && t.last_type.known, 1)) return t.last_type;
  const Locked locked(recording.lock());
  return t.last_type = recording.handles().type(handle);
}

int32_t relative(const CommView& comm, int32_t rank) {
  if (rank >= 0) return rank - comm.rank;
  if (rank == abi.proc_null) return trace::peer_null;
  if (rank == abi.any_source) return trace::peer_any;
  if (rank == abi.root) return trace::peer_root;
  return trace::peer_none;
}

Status read_status(Word at) {
  const StatusLayout& layout = abi.family->status;
  const auto* bytes = reinterpret_cast<const char*>(at);
  Status s{};
  memcpy(&s.source, bytes + layout.source, sizeof(s.source));
  memcpy(&s.tag, bytes + layout.tag, sizeof(s.tag));
  s.bytes = trace::unknown_value;
  switch (layout.count_code) {
    case CountCode::two_words: {
      uint32_t words[2];
      memcpy(words, bytes + layout.count, sizeof(words));
      s.bytes = static_cast<int64_t>(uint64_t{words[0]} | uint64_t{words[1] >> 1} << 32);
      break;
    }
    case CountCode::one_word: memcpy(&s.bytes, bytes + layout.count, sizeof(s.bytes)); break;
    case CountCode::ask: break;
  }
  return s;
}

void substitute_status(Call& call) {
  const int8_t role = call.roles().status;
  if (role < 0 || call.args[role] != abi.status_ignore) return;
  call.own_statuses = reinterpret_cast<Word>(call.thread.status);
  call.args[role] = call.own_statuses;
}

Word filled_status(const Call& call) {
  const int8_t role = call.roles().status;
  return role < 0 || call.rc != 0 || call.args[role] == abi.status_ignore ? 0 : call.args[role];
}

void add_request(Call& call, const trace::Key& maker, Word address, bool receives, bool wildcard, int64_t posted,
                 bool persistent) {
  if (call.rc != 0) return;
  const uint64_t handle = Abi::stored(address, abi.family->handle_bytes.request);
  if (handle == abi.request_null) return;
  trace::ThreadHeader& h = *call.thread.header;
  const Locked locked(recording.lock());
  Requests& requests = recording.requests();
  const uint32_t index = requests.add(handle, address, abi.shared_request(handle));
  if (index == Requests::none) return;
  Request& r = requests[index];
  r.maker = maker;
  r.posted_bytes = maker.peer == trace::peer_null ? 0 : posted;
  r.thread = call.thread.number;
  r.receives = receives;
  r.wildcard = wildcard;
  if (persistent) {
    r.created = ++h.persistent_made;
    r.active = false;
  } else {
    r.number = ++h.requests_made;
    if (wildcard) ++recording.wildcards;
  }
}

uint32_t link_to(Thread& t, const Request& r, uint64_t counter, uint64_t number) {
  if (r.thread != t.number) {
    // Made by another thread: its own count, its own site.
    const int64_t words[3] = {static_cast<int64_t>(number), r.maker.site, r.thread};
    return t.graph.intern(words, 3) | trace::link_interned;
  }
  const uint64_t age = counter - number + 1;
  if (trace::link_fits(age, r.maker.site)) return trace::link_pack(age, r.maker.site);
  const int64_t words[2] = {static_cast<int64_t>(age), r.maker.site};
  return t.graph.intern(words, 2) | trace::link_interned;
}

void before(Call& call) {
  switch (call.traits.cls) {
    case CallClass::recv:
    case CallClass::probe:
    case CallClass::iprobe:
    case CallClass::mprobe:
    case CallClass::improbe:
    case CallClass::sendrecv:
    case CallClass::sendrecv_replace:
      if (wildcard_flags(call.int_arg(call.roles().source), call.int_arg(call.roles().rtag))) substitute_status(call);
      break;
    case CallClass::mrecv:
    case CallClass::imrecv: call.handle = Abi::stored(call.arg(call.roles().message), abi.family->handle_bytes.message); break;
    case CallClass::comm_free: call.handle = Abi::stored(call.arg(call.roles().comm), abi.family->handle_bytes.comm); break;
    case CallClass::win_free: call.handle = Abi::stored(call.arg(call.roles().win), abi.family->handle_bytes.win); break;
    case CallClass::file_close: call.handle = Abi::stored(call.arg(call.roles().file), abi.family->handle_bytes.file); break;
    case CallClass::abort:  // does not come back
      call.begin = call.end = now();
      record_other(call);
      break;
    case CallClass::finalize: break;
    default: before_completion(call);
  }
}

void before_type_free(Thread& t, Word address) {
  const uint64_t handle = Abi::stored(address, abi.family->handle_bytes.datatype);
  const Locked locked(recording.lock());
  recording.handles().forget_type(handle);
  t.last_type = TypeView{};
}

void record(Call& call) {
  switch (call.traits.cls) {
    case CallClass::send:
    case CallClass::isend: return record_send(call);
    case CallClass::recv:
    case CallClass::irecv: return record_recv(call);
    case CallClass::wait:
    case CallClass::test:
    case CallClass::waitany:
    case CallClass::testany:
    case CallClass::request_free:
    case CallClass::cancel: return record_completion(call);
    case CallClass::waitall:
    case CallClass::testall:
    case CallClass::waitsome:
    case CallClass::testsome: return record_completions(call);
    case CallClass::coll:
    case CallClass::icoll:
    case CallClass::coll_init: return record_collective(call);
    case CallClass::sendrecv:
    case CallClass::sendrecv_replace:
    case CallClass::isendrecv: return record_sendrecv(call);
    case CallClass::probe:
    case CallClass::iprobe:
    case CallClass::mprobe:
    case CallClass::improbe: return record_probe(call);
    case CallClass::mrecv:
    case CallClass::imrecv: return record_message(call);
    case CallClass::send_init:
    case CallClass::recv_init:
    case CallClass::psend_init:
    case CallClass::precv_init: return record_init_request(call);
    case CallClass::start: return record_start(call);
    case CallClass::startall: return record_startall(call);
    case CallClass::comm_create:
    case CallClass::comm_icreate: return record_comm_create(call);
    case CallClass::comm_free: return record_comm_free(call);
    case CallClass::win_create:
    case CallClass::win_free:
    case CallClass::file_open:
    case CallClass::file_close: return record_object(call);
    case CallClass::rma:
    case CallClass::rma_request:
    case CallClass::rma_sync: return record_rma(call);
    case CallClass::file_io:
    case CallClass::file_iio:
    case CallClass::file_other: return record_file_io(call);
    case CallClass::abort: return;  // recorded before
    case CallClass::init:
      if (call.rc == 0) recording.initialized(call.begin);
      return record_other(call);
    case CallClass::finalize:
      record_other(call);
      return recording.finalized(call.end);
    default: return record_other(call);
  }
}

void record_other(Call& call) {
  trace::Key key;
  if (!begin_key(call, &key)) return;
  const Roles& r = call.roles();
  const bool by_value = call.traits.cls != CallClass::abort && call.traits.cls != CallClass::finalize &&
                        call.traits.cls != CallClass::init;
  if (r.comm >= 0 && by_value) key.comm = comm_of(call.thread, call.arg(r.comm)).id;
  key.peer = trace::peer_none;
  if (call.traits.cls == CallClass::pcontrol) key.count = call.int_arg(0);
  add_event(call, key);
}

}  // namespace leadline::recorder
