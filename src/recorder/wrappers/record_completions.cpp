// Calls that complete, start or give up requests.
#include <string.h>

#include "recorder/wrappers/mpi_files.hpp"
#include "recorder/wrappers/record.hpp"
#include "trace/completions.hpp"

namespace leadline::recorder {

using trace::Key;

namespace {

bool takes_list(const Call& call) { return call.roles().requests >= 0; }

// Whether the call tests and does not wait: with null requests only, it counts as one that found nothing.
bool polls(CallClass c) {
  return c == CallClass::test || c == CallClass::testany || c == CallClass::testall || c == CallClass::testsome;
}

uint32_t find_request(uint64_t handle, Word address) {
  return this_process.requests().find(handle, address, abi.shared_request(handle));
}

// The facts about one completed request, copied out under the lock.
struct Completed {
  Request request{};
  bool found = false;
  bool unknown = false;  // it is not a null request, but it is not known what was completed, if anything was
};

// The effects of unusual requests when they are over. Call under the lock.
void settle_special(Request& r) {
  if (r.pending) {
    if (Thread* t = own_thread()) t->time_this_call();
    this_process.handles().finish_comm(r.pending);
  }
  r.pending = 0;
  r.cancelled = false;
}
void settle(Request& r) {
  if (r.special()) settle_special(r);
}

// Takes the request out of the table, or marks a persistent one as inactive.
Completed complete(uint64_t handle, Word address, bool while_paused = false) {
  Completed c;
  if (handle == abi.request_null) return c;
  const Locked locked(this_process.lock());
  Requests& requests = this_process.requests();
  const uint32_t index = find_request(handle, address);
  if (index == Requests::none) {
    if (!while_paused) this_process.lose(trace::LossKind::requests_unknown);
    c.unknown = true;
    return c;
  }
  Request& r = requests[index];
  if (!r.active) {  // inactive, or made or started while recording was paused
    if (r.special()) settle_special(r);
    if (!r.created) requests.remove(index);
    c.unknown = true;
    return c;
  }
  c.request = r;
  c.found = true;
  settle(r);
  if (r.created) {
    r.active = false;
  } else {
    requests.remove(index);
  }
  return c;
}

// Whether the call that made it is among the events.
bool known(const Request& r) { return r.active || r.created; }

// Partner, tag and bytes as they turned out, of a receive.
void resolve(bool wildcard, Word status, Key* key) {
  if (key->peer == trace::peer_null) return;
  const Status s = read_status(status);
  key->value = s.bytes;
  if (!wildcard) return;
  // Own rank in the communicator follows from no field of the key: ask the table.
  const Locked locked(this_process.lock());
  const CommView comm = this_process.handles().by_id(key->comm & trace::comm_mask);
  key->peer = relative(comm, s.source);
  key->tag = s.tag;
}

bool was_cancelled(Word status) {
  int32_t flag = 0;
  return status && call_real(Fn::Test_cancelled, status, &flag) == 0 && flag;
}

void mark_cancelled(Key* key) {
  key->comm |= trace::flag_cancelled;
  key->value = 0;
}

// Bytes that a file operation moved, as its status says.
void resolve_file(const Request& r, Word status, Key* key) {
  key->value = trace::unknown_value;
  key->comm &= ~trace::flag_bytes_told;
  if (!status) return;
  const int64_t bytes = read_status(status).bytes;
  if (bytes < 0) return;
  key->value = bytes;
  key->comm |= trace::flag_bytes_told;
  correct_mpi_file_bytes(key->comm & trace::comm_mask, r.file_moves, bytes - r.posted_bytes);
}

void resolve(const Request& r, Word status, Key* key) {
  if (r.cancelled && was_cancelled(status)) return mark_cancelled(key);
  if (r.file_moves) return resolve_file(r, status, key);
  key->value = r.receives && key->peer != trace::peer_null ? trace::unknown_value : 0;
  if (r.receives && status) resolve(r.wildcard, status, key);
}

}  // namespace

void complete_into(Thread& t, uint64_t handle, Word address, Word status, Key* key) {
  key->peer = trace::peer_none;
  if (handle == abi.request_null) return;
  const uint32_t site = key->site;
  Request request{};
  {
    const Locked locked(this_process.lock());
    Requests& requests = this_process.requests();
    uint32_t* link = requests.link(handle, address, abi.shared_request(handle));
    if (!link) return this_process.lose(trace::LossKind::requests_unknown);
    Request& r = requests[*link];
    if (!r.active) {
      if (r.special()) settle_special(r);
      if (!r.created) requests.remove(link);
      return;
    }
    *key = r.maker;
    request = r;
    if (__builtin_expect(r.special(), 0)) settle_special(r);
    if (r.created) {
      r.active = false;
    } else {
      requests.remove(link);
    }
  }
  const uint32_t made_at = key->site;
  key->site = site;
  resolve(request, status, key);
  key->extra = link_to(t, request.thread, made_at, t.header->requests_made, request.number);
}

namespace {

size_t handle_size() { return abi.family->handle_bytes.request; }

// The link to one request of a list (event.hpp).
int64_t link_in_list(const Thread& t, uint16_t thread, uint32_t site, uint64_t counter, uint64_t number) {
  const bool own = thread == t.number;
  return trace::listed_link(own ? counter - number + 1 : number, site, own ? -1 : thread);
}

uint64_t* copy_handles(Call& call, Word requests, int64_t n) {
  if (!requests) return nullptr;
  auto* copy = call.thread.handles.get<uint64_t>(static_cast<size_t>(n));
  if (!copy) return nullptr;
  for (int64_t i = 0; i < n; ++i) {
    copy[i] = Abi::stored(requests + static_cast<size_t>(i) * handle_size(), abi.family->handle_bytes.request);
  }
  return copy;
}

}  // namespace

void before_completion(Call& call) {
  const Roles& r = call.roles();
  if (!takes_list(call)) {
    const Word at = call.arg(r.request);
    call.handle = Abi::stored(at, abi.family->handle_bytes.request);
    return substitute_status(call);
  }
  const int64_t n = call.int_arg(r.nrequests);
  if (n <= 0) return;
  call.handles = copy_handles(call, call.arg(r.requests), n);
  if (r.status >= 0) return substitute_status(call);
  if (r.statuses >= 0 && call.arg(r.statuses) == abi.statuses_ignore) {
    if (char* own = call.thread.statuses.get<char>(static_cast<size_t>(n) * abi.family->status.size)) {
      call.own_statuses = call.args[r.statuses] = reinterpret_cast<Word>(own);
    }
  }
}

void record_completion(Call& call) {
  const Roles& r = call.roles();
  Thread& t = call.thread;
  Key site;
  if (!begin_key(call, &site)) return;
  Key key;
  key.site = site.site;
  key.peer = trace::peer_none;
  const bool list = takes_list(call);
  if (says_no(call)) return add_poll(call, site.site);
  uint64_t handle = call.handle;
  Word address = list ? 0 : call.arg(r.request);
  if (list) {
    const int64_t n = call.int_arg(r.nrequests);
    const int32_t index = call.rc == 0 ? *reinterpret_cast<const int32_t*>(call.arg(r.index)) : -1;
    const bool one = index >= 0 && index < n && call.handles;
    handle = one ? call.handles[index] : abi.request_null;
    address = one ? call.arg(r.requests) + static_cast<Word>(index) * handle_size() : 0;
  }
  Completed c;
  if (call.traits.cls == CallClass::cancel) {  // still to be completed
    const Locked locked(this_process.lock());
    const uint32_t index = find_request(handle, address);
    if (index != Requests::none && known(this_process.requests()[index])) {
      Request& r = this_process.requests()[index];
      c = {r, true};
      if (call.rc == 0 && !r.cancelled && r.active) {
        r.cancelled = true;
      }
    }
  } else if (call.traits.cls == CallClass::request_free) {
    const Locked locked(this_process.lock());
    const uint32_t index = find_request(handle, address);
    if (index != Requests::none) {
      c = {this_process.requests()[index], known(this_process.requests()[index])};
      if (c.request.active) settle(this_process.requests()[index]);
      this_process.requests().remove(index);
    }
  } else {
    c = complete(handle, address);
    if (!c.found && !c.unknown && polls(call.traits.cls)) return add_poll(call, site.site);
  }
  if (c.found) {
    key = c.request.maker;
    key.site = site.site;
    resolve(c.request, filled_status(call), &key);
    const bool inactive = c.request.created && !c.request.active && call.traits.cls == CallClass::request_free;
    const Request& made = c.request;
    key.extra = inactive ? link_to_creator(t, made)
                         : link_to(t, made.thread, made.maker.site, t.header->requests_made, made.number);
  }
  add_event(call, key);
}

void complete_while_paused(uint64_t handle, Word address) { complete(handle, address, true); }

void complete_while_paused(Call& call) {
  const Roles& r = call.roles();
  const CallClass c = call.traits.cls;
  const bool tells = r.flag >= 0 || r.index >= 0 || r.outcount >= 0;  // what it completed, unless it failed
  if ((tells && call.rc != 0) || (r.flag >= 0 && !*reinterpret_cast<const int32_t*>(call.arg(r.flag)))) return;
  if (c == CallClass::request_free) {
    const Locked locked(this_process.lock());
    const uint32_t index = find_request(call.handle, call.arg(r.request));
    if (index == Requests::none) return;
    return this_process.requests().remove(index);
  }
  if (!takes_list(call)) {
    complete(call.handle, call.arg(r.request), true);
    return;
  }
  if (!call.handles) return;
  const int64_t n = call.int_arg(r.nrequests);
  const int32_t* indices = nullptr;
  int64_t done = n;
  if (r.outcount >= 0) {
    indices = reinterpret_cast<const int32_t*>(call.arg(r.indices));
    done = *reinterpret_cast<const int32_t*>(call.arg(r.outcount));
  } else if (r.index >= 0) {
    indices = reinterpret_cast<const int32_t*>(call.arg(r.index));
    done = 1;
  }
  for (int64_t i = 0; i < done; ++i) {
    const int64_t index = indices ? indices[i] : i;
    if (index < 0 || index >= n) continue;
    complete(call.handles[index], call.arg(r.requests) + static_cast<size_t>(index) * handle_size(), true);
  }
}

void record_completions(Call& call) {
  const Roles& r = call.roles();
  Thread& t = call.thread;
  Key key;
  if (!begin_key(call, &key)) return;
  const int64_t n = call.int_arg(r.nrequests);
  const bool some = r.outcount >= 0;
  int64_t done = n;
  if (some) done = call.rc == 0 ? *reinterpret_cast<const int32_t*>(call.arg(r.outcount)) : 0;
  if (says_no(call) || (polls(call.traits.cls) && done <= 0)) return add_poll(call, key.site);
  key.count = n;
  key.peer = trace::peer_none;
  if (done < 0 || !call.handles) done = 0;  // MPI_UNDEFINED: none was active
  Word statuses = r.statuses >= 0 && call.rc == 0 ? call.arg(r.statuses) : 0;
  if (statuses == abi.statuses_ignore) statuses = 0;
  auto* words = t.words.get<int64_t>(1 + 4 * static_cast<size_t>(done));
  if (!words) return add_event(call, key);
  const auto* indices = some ? reinterpret_cast<const int32_t*>(call.arg(r.indices)) : nullptr;
  int64_t m = 0;
  bool nothing = polls(call.traits.cls);
  for (int64_t i = 0; i < done; ++i) {
    const int64_t index = indices ? indices[i] : i;
    if (index < 0 || index >= n) continue;
    const Completed c =
        complete(call.handles[index], call.arg(r.requests) + static_cast<size_t>(index) * handle_size());
    nothing = nothing && !c.found && !c.unknown;
    if (!c.found) continue;
    Key of = c.request.maker;
    resolve(c.request, statuses ? statuses + static_cast<size_t>(i) * abi.family->status.size : 0, &of);
    int64_t* w = words + 1 + 4 * m++;
    w[0] = link_in_list(t, c.request.thread, of.site, t.header->requests_made, c.request.number);
    w[1] = of.value;
    w[2] = c.request.wildcard
               ? static_cast<int64_t>(uint64_t{static_cast<uint32_t>(of.peer)} << 32 | static_cast<uint32_t>(of.tag))
               : 0;
    if (of.comm & trace::flag_cancelled) w[2] = trace::listed_cancelled;
    if (c.request.file_moves && of.value >= 0) w[2] = trace::listed_bytes_told;
    w[3] = c.request.posted_bytes;
  }
  if (nothing) return add_poll(call, key.site);
  words[0] = m;
  if (m) key.extra = t.graph.intern(words, static_cast<uint32_t>(1 + 4 * m));
  add_event(call, key);
}

namespace {

// Makes a persistent request active again. False: its creation was not seen.
bool start_one(Thread& t, Word address, Request* started) {
  const uint64_t handle = Abi::stored(address, abi.family->handle_bytes.request);
  const Locked locked(this_process.lock());
  const uint32_t index = find_request(handle, address);
  if (index == Requests::none) return false;
  Request& r = this_process.requests()[index];
  *started = r;
  r.active = true;
  r.number = ++t.header->requests_made;
  return true;
}

}  // namespace

void record_start(Call& call) {
  Thread& t = call.thread;
  Key key;
  if (!begin_key(call, &key)) return;
  Request r;
  if (start_one(t, call.arg(call.roles().request), &r)) {
    const uint32_t site = key.site;
    key = r.maker;
    key.site = site;
    key.extra = link_to_creator(t, r);
    if (key.comm & trace::flag_persistent_collective) {
      key.count = r.maker.value;
      key.value = r.posted_bytes;
      key.datatype = 0;
    }
  } else {
    key.peer = trace::peer_none;
    this_process.lose(trace::LossKind::requests_unknown);
  }
  add_event(call, key);
}

void record_startall(Call& call) {
  Thread& t = call.thread;
  Key key;
  if (!begin_key(call, &key)) return;
  const int64_t n = call.int_arg(call.roles().nrequests);
  key.count = n;
  key.peer = trace::peer_none;
  auto* words = n > 0 ? t.words.get<int64_t>(1 + 4 * static_cast<size_t>(n)) : nullptr;
  if (!words) return add_event(call, key);
  int64_t m = 0;
  for (int64_t i = 0; i < n; ++i) {
    Request r;
    if (!start_one(t, call.arg(call.roles().requests) + static_cast<size_t>(i) * handle_size(), &r)) {
      this_process.lose(trace::LossKind::requests_unknown);
      continue;
    }
    int64_t* w = words + 1 + 4 * m++;
    w[0] = r.created == Request::created_while_paused
               ? trace::listed_link(UINT32_MAX, r.maker.site, r.thread == t.number ? -1 : r.thread)
               : link_in_list(t, r.thread, r.maker.site, t.header->persistent_made, r.created);
    w[1] = r.posted_bytes;
    const auto partner = uint64_t{static_cast<uint32_t>(r.maker.peer)} << 32 | static_cast<uint32_t>(r.maker.tag);
    const bool collective = r.maker.comm & trace::flag_persistent_collective;
    w[2] = collective ? r.maker.value : static_cast<int64_t>(partner);
    w[3] = r.maker.comm & (trace::comm_mask | trace::flag_persistent_collective);
  }
  words[0] = m;
  if (m) key.extra = t.graph.intern(words, static_cast<uint32_t>(1 + 4 * m));
  add_event(call, key);
}

}  // namespace leadline::recorder
