// Point-to-point calls except the plain ones (record_hot.hpp).
#include "recorder/wrappers/record_hot.hpp"

namespace leadline::recorder {

using trace::Key;

void record_sendrecv(Call& call) {
  const Roles& r = call.roles();
  Thread& t = call.thread;
  Key key;
  if (!begin_key(call, &key)) return;
  const CommView comm = comm_of(call, call.arg(r.comm));
  const TypeView sent = type_of(call, call.arg(r.stype));
  const bool replace = r.rcount < 0;
  const TypeView received = replace ? sent : type_of(call, call.arg(r.rtype));
  key.comm = comm.id | wildcard_flags(call.int_arg(r.source), call.int_arg(r.rtag));
  key.count = call.count_arg(r.scount);
  key.peer = relative(comm, call.int_arg(r.dest));
  key.tag = call.int_arg(r.stag);
  key.datatype = sent.id;
  int64_t rcount = replace ? key.count : call.count_arg(r.rcount);
  int32_t source = relative(comm, call.int_arg(r.source));
  int32_t rtag = tag_of(call.int_arg(r.rtag));
  key.value = source == trace::peer_null ? 0 : trace::unknown_value;
  if (r.request < 0) {
    if (const Word status = filled_status(call); status && source != trace::peer_null) {
      const Status s = read_status(status);
      source = relative(comm, s.source);
      rtag = s.tag;
      // Beyond the budget one amount may be all that is kept of many calls: then it is what they sent.
      if (!t.header->unordered) key.value = s.bytes;
    }
  }
  const int64_t words[4] = {rcount, received.id, source, rtag};
  if (call.rc != 0 && !took_message(call.rc)) {
    refuse(&key);
    return add_event(call, key);
  }
  key.extra = t.graph.intern(words, 4);
  if (r.request >= 0) {
    Key maker = key;
    maker.extra = 0;
    const bool wildcard = key.comm & (trace::flag_any_source | trace::flag_any_tag);
    if (call.rc == 0) {
      add_request(t, maker, call.arg(r.request),
                  {.receives = true, .wildcard = wildcard, .posted_bytes = rcount * received.size});
    }
  }
  add_event(call, key);
}

void record_probe(Call& call) {
  const Roles& r = call.roles();
  Thread& t = call.thread;
  Key key;
  if (!begin_key(call, &key)) return;
  const CommView comm = comm_of(call, call.arg(r.comm));
  if (says_no(call)) return add_poll(call, key.site);
  const uint32_t wildcards = wildcard_flags(call.int_arg(r.source), call.int_arg(r.rtag));
  key.comm = comm.id | wildcards;
  key.peer = relative(comm, call.int_arg(r.source));
  key.tag = tag_of(call.int_arg(r.rtag));
  key.value = trace::unknown_value;
  if (const Word status = filled_status(call)) {
    const Status s = read_status(status);
    key.peer = relative(comm, s.source);
    key.tag = s.tag;
    key.value = s.bytes;
  }
  if (r.message >= 0 && call.rc == 0) {
    const Word at = call.arg(r.message);
    const uint64_t handle = Abi::stored(at, abi.family->handle_bytes.message);
    const Locked locked(this_process.lock());
    Requests& messages = this_process.messages();
    const uint32_t index = messages.add(handle, at, t.number, abi.shared_request(handle));
    if (index != Requests::none) {
      messages[index].maker = key;
      messages[index].number = 0;
      messages[index].thread = t.number;
    }
  }
  add_event(call, key);
}

// The receive of a message that was matched before: partner and tag are known from then.
void record_message(Call& call) {
  const Roles& r = call.roles();
  Thread& t = call.thread;
  Key key;
  if (!begin_key(call, &key)) return;
  const TypeView type = type_of(call, call.arg(r.rtype));
  const uint32_t site = key.site;
  {
    const Locked locked(this_process.lock());
    Requests& messages = this_process.messages();
    const uint32_t index = messages.find(call.handle, call.arg(r.message), abi.shared_request(call.handle));
    if (index != Requests::none) {
      key = messages[index].maker;
      messages.remove(index);
    } else {
      key.peer = trace::peer_any;
      key.tag = trace::tag_any;
      key.value = trace::unknown_value;
    }
  }
  key.site = site;
  key.count = call.count_arg(r.rcount);
  key.datatype = type.id;
  if (r.request >= 0) {
    if (call.rc == 0) {
      add_request(t, key, call.arg(r.request), {.receives = true, .posted_bytes = key.count * type.size});
    }
  } else if (const Word status = filled_status(call)) {
    key.value = read_status(status).bytes;
  }
  if (call.rc != 0 && !took_message(call.rc)) refuse(&key);
  add_event(call, key);
}

void record_init_request(Call& call) {
  const Roles& r = call.roles();
  Thread& t = call.thread;
  Key key;
  if (!begin_key(call, &key)) return;
  const bool receives = call.traits.cls == CallClass::recv_init || call.traits.cls == CallClass::precv_init;
  const CommView comm = comm_of(call, call.arg(r.comm));
  // Partitioned receives name their arguments like receives, whichever roles the table gives them.
  const TypeView type = type_of(call, call.arg(receives && r.rtype >= 0 ? r.rtype : r.stype));
  if (receives && r.rcount >= 0) {
    const uint32_t site = key.site;
    key = posted_receive(call, comm, type);
    key.site = site;
  } else {
    key.comm = comm.id;
    key.count = call.count_arg(r.scount);
    key.peer = relative(comm, call.int_arg(r.dest));
    key.tag = call.int_arg(r.stag);
    key.datatype = type.id;
  }
  if (r.partitions >= 0) {  // their only form has a 64-bit count, of each partition
    key.count =
        static_cast<int64_t>(call.arg(receives && r.rcount >= 0 ? r.rcount : r.scount)) * call.int_arg(r.partitions);
  }
  const bool wildcard = key.comm & (trace::flag_any_source | trace::flag_any_tag);
  if (call.rc == 0) {
    add_request(
        t, key, call.arg(r.request),
        {.receives = receives, .wildcard = wildcard, .persistent = true, .posted_bytes = key.count * type.size});
  } else {
    refuse(&key);
  }
  add_event(call, key);
}

}  // namespace leadline::recorder
