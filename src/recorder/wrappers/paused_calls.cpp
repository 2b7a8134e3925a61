#include "recorder/wrappers/paused_calls.hpp"

namespace leadline::recorder {

namespace {

// The call is recorded as usual, but without an event: takes back the counting of calls that make requests.
void hide_request(Call& call) {
  if (call.rc != 0 || call.roles().request < 0) return;
  const Word address = call.arg(call.roles().request);
  const uint64_t handle = Abi::stored(address, abi.family->handle_bytes.request);
  if (handle == abi.request_null) return;
  const Locked locked(this_process.lock());
  Requests& requests = this_process.requests();
  const uint32_t index = requests.find(handle, address, abi.shared_request(handle));
  if (index == Requests::none) return;
  Request& r = requests[index];
  recording::ThreadHeader& h = *call.thread.header;
  if (r.created) {
    --h.persistent_made;
    r.created = Request::created_while_paused;
    return;
  }
  --h.requests_made;
  --r.number;
  r.active = r.wildcard = false;
}

// Started while paused: its completion has nothing to refer to.
void start_while_paused(Word address) {
  const uint64_t handle = Abi::stored(address, abi.family->handle_bytes.request);
  const Locked locked(this_process.lock());
  Requests& requests = this_process.requests();
  const uint32_t index = requests.find(handle, address, abi.shared_request(handle));
  if (index != Requests::none) requests[index].active = false;
}

}  // namespace

void enter_while_paused(Thread& t, Word address) {
  const uint64_t handle = Abi::stored(address, abi.family->handle_bytes.request);
  if (handle == abi.request_null) return;
  const Locked locked(this_process.lock());
  Requests& requests = this_process.requests();
  const uint32_t index = requests.add(handle, address, t.number, abi.shared_request(handle));
  if (index == Requests::none) return;
  Request& r = requests[index];
  r.number = t.header->requests_made;
  r.created = 0;
  r.thread = t.number;
  r.active = r.receives = r.wildcard = r.cancelled = false;
  r.file_moves = 0;
  r.pending = 0;
}

void before_paused_call(Call& call) {
  const Recorded recorded = recording_of(call.traits.cls);
  if (recorded.looks_before) recorded.before(call);
}

void after_paused_call(Call& call) {
  const CallClass c = call.traits.cls;
  const Roles& r = call.roles();
  if (completes_requests(c)) return complete_while_paused(call);
  if (call.rc != 0 && !makes_or_frees(c)) return;
  if (c == CallClass::start) return start_while_paused(call.arg(r.request));
  if (c == CallClass::startall) {
    const size_t width = abi.family->handle_bytes.request;
    for (int32_t i = 0; i < call.int_arg(r.nrequests); ++i) {
      start_while_paused(call.arg(r.requests) + static_cast<size_t>(i) * width);
    }
    return;
  }
  recording_of(c).after(call);
  if (c != CallClass::mrecv && c != CallClass::mprobe && c != CallClass::improbe) hide_request(call);
}

}  // namespace leadline::recorder
