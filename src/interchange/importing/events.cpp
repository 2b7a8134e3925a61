#include "interchange/importing/events.hpp"

namespace leadline::interchange::importing {

using Kind = Effect::Kind;
using otf2::AttributeList;

namespace {

constexpr int taken = 0;

// The arguments that OTF2 passes before an event's own.
#define LEADLINE_EVENT uint64_t, uint64_t time, uint64_t, void *data, AttributeList *

LocationEvents& events_of(void* data) { return *static_cast<LocationEvents*>(data); }
int tell(void* data, uint64_t time, const Effect& effect) {
  events_of(data).effect(time, effect);
  return taken;
}

int enter(uint64_t, uint64_t time, uint64_t, void* data, AttributeList* attributes, uint32_t region) {
  const LocationEvents& events = events_of(data);
  Attributes with;
  if (attributes && events.call_path != otf2::undefined) {
    events.library->AttributeList_GetCallingContextRef(attributes, events.call_path, &with.made_in);
  }
  if (attributes && events.on_file != otf2::undefined) {
    events.library->AttributeList_GetIoHandleRef(attributes, events.on_file, &with.file);
  }
  events_of(data).enter(time, region, with);
  return taken;
}
int leave(LEADLINE_EVENT, uint32_t region) {
  events_of(data).leave(time, region);
  return taken;
}
int enter_context(LEADLINE_EVENT, uint32_t context, uint32_t) {
  events_of(data).enter_context(time, context);
  return taken;
}
int leave_context(LEADLINE_EVENT, uint32_t context) {
  events_of(data).leave_context(time, context);
  return taken;
}
int send(LEADLINE_EVENT, uint32_t receiver, uint32_t comm, uint32_t tag, uint64_t bytes) {
  return tell(data, time, {.kind = Kind::send, .comm = comm, .peer = receiver, .tag = tag, .bytes = bytes});
}
int receive(LEADLINE_EVENT, uint32_t sender, uint32_t comm, uint32_t tag, uint64_t bytes) {
  return tell(data, time, {.kind = Kind::receive, .comm = comm, .peer = sender, .tag = tag, .bytes = bytes});
}
int isend(LEADLINE_EVENT, uint32_t receiver, uint32_t comm, uint32_t tag, uint64_t bytes, uint64_t id) {
  return tell(data, time,
              {.kind = Kind::send_request, .comm = comm, .peer = receiver, .tag = tag, .bytes = bytes, .id = id});
}
int isend_complete(LEADLINE_EVENT, uint64_t id) { return tell(data, time, {.kind = Kind::send_done, .id = id}); }
int irecv_request(LEADLINE_EVENT, uint64_t id) {
  return tell(data, time, {.kind = Kind::receive_request, .told = false, .id = id});
}
int irecv(LEADLINE_EVENT, uint32_t sender, uint32_t comm, uint32_t tag, uint64_t bytes, uint64_t id) {
  return tell(data, time,
              {.kind = Kind::receive_done, .comm = comm, .peer = sender, .tag = tag, .bytes = bytes, .id = id});
}
int request_test(LEADLINE_EVENT, uint64_t id) { return tell(data, time, {.kind = Kind::untested, .id = id}); }
int request_cancelled(LEADLINE_EVENT, uint64_t id) { return tell(data, time, {.kind = Kind::cancelled, .id = id}); }
int collective_begin(LEADLINE_EVENT) { return tell(data, time, {.kind = Kind::collective_begin}); }
int collective_end(LEADLINE_EVENT, uint8_t, uint32_t comm, uint32_t root, uint64_t sent, uint64_t received) {
  return tell(data, time, {.kind = Kind::collective, .comm = comm, .peer = root, .bytes = sent, .other = received});
}
int collective_request(LEADLINE_EVENT, uint64_t id) {
  return tell(data, time, {.kind = Kind::collective_request, .told = false, .id = id});
}
int collective_complete(LEADLINE_EVENT, uint8_t, uint32_t comm, uint32_t root, uint64_t sent, uint64_t received,
                        uint64_t id) {
  return tell(data, time,
              {.kind = Kind::collective_done, .comm = comm, .peer = root, .bytes = sent, .other = received, .id = id});
}
int parameter_set(LEADLINE_EVENT, uint32_t number, uint64_t value) {
  return tell(data, time, {.kind = Kind::parameter, .comm = number, .bytes = value});
}
int window_create(LEADLINE_EVENT, uint32_t window) {
  return tell(data, time, {.kind = Kind::window_made, .comm = window});
}
int window_destroy(LEADLINE_EVENT, uint32_t window) {
  return tell(data, time, {.kind = Kind::window_freed, .comm = window});
}
int put(LEADLINE_EVENT, uint32_t window, uint32_t target, uint64_t bytes, uint64_t id) {
  return tell(data, time, {.kind = Kind::put, .comm = window, .peer = target, .bytes = bytes, .id = id});
}
int get(LEADLINE_EVENT, uint32_t window, uint32_t target, uint64_t bytes, uint64_t id) {
  return tell(data, time, {.kind = Kind::get, .comm = window, .peer = target, .bytes = bytes, .id = id});
}
int atomic(LEADLINE_EVENT, uint32_t window, uint32_t target, uint8_t, uint64_t sent, uint64_t received, uint64_t id) {
  return tell(data, time,
              {.kind = Kind::atomic, .comm = window, .peer = target, .bytes = sent, .other = received, .id = id});
}
int access_done(LEADLINE_EVENT, uint32_t window, uint64_t id) {
  return tell(data, time, {.kind = Kind::access_done, .comm = window, .id = id});
}
int access_there(LEADLINE_EVENT, uint32_t window, uint64_t id) {
  return tell(data, time, {.kind = Kind::access_there, .comm = window, .id = id});
}
int io_create(LEADLINE_EVENT, uint32_t handle, uint8_t access, uint32_t creation, uint32_t status) {
  return tell(data, time,
              {.kind = Kind::file_opened, .comm = handle, .peer = access, .tag = creation, .other = status});
}
int io_destroy(LEADLINE_EVENT, uint32_t handle) {
  return tell(data, time, {.kind = Kind::file_closed, .comm = handle});
}
int io_seek(LEADLINE_EVENT, uint32_t handle, int64_t offset, uint8_t whence, uint64_t) {
  return tell(data, time,
              {.kind = Kind::file_moved, .comm = handle, .peer = whence, .bytes = static_cast<uint64_t>(offset)});
}
int io_begin(LEADLINE_EVENT, uint32_t handle, uint8_t mode, uint32_t, uint64_t bytes, uint64_t id) {
  return tell(data, time, {.kind = Kind::transfer, .writes = mode != 0, .comm = handle, .bytes = bytes, .id = id});
}
int io_issued(LEADLINE_EVENT, uint32_t handle, uint64_t id) {
  return tell(data, time, {.kind = Kind::transfer_issued, .comm = handle, .id = id});
}
int io_complete(LEADLINE_EVENT, uint32_t handle, uint64_t bytes, uint64_t id) {
  return tell(data, time, {.kind = Kind::transfer_done, .comm = handle, .bytes = bytes, .id = id});
}
int io_test(LEADLINE_EVENT, uint32_t, uint64_t id) { return tell(data, time, {.kind = Kind::untested, .id = id}); }
int io_cancelled(LEADLINE_EVENT, uint32_t, uint64_t id) {
  return tell(data, time, {.kind = Kind::cancelled, .id = id});
}
#undef LEADLINE_EVENT

}  // namespace

otf2::EvtReaderCallbacks* event_callbacks(const otf2::ReadingLibrary& otf2) {
  otf2::EvtReaderCallbacks* c = otf2.EvtReaderCallbacks_New();
  if (!c) return nullptr;
  otf2.EvtReaderCallbacks_SetEnterCallback(c, otf2::callback(enter));
  otf2.EvtReaderCallbacks_SetLeaveCallback(c, otf2::callback(leave));
  otf2.EvtReaderCallbacks_SetCallingContextEnterCallback(c, otf2::callback(enter_context));
  otf2.EvtReaderCallbacks_SetCallingContextLeaveCallback(c, otf2::callback(leave_context));
  otf2.EvtReaderCallbacks_SetMpiSendCallback(c, otf2::callback(send));
  otf2.EvtReaderCallbacks_SetMpiIsendCallback(c, otf2::callback(isend));
  otf2.EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, otf2::callback(isend_complete));
  otf2.EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, otf2::callback(irecv_request));
  otf2.EvtReaderCallbacks_SetMpiRecvCallback(c, otf2::callback(receive));
  otf2.EvtReaderCallbacks_SetMpiIrecvCallback(c, otf2::callback(irecv));
  otf2.EvtReaderCallbacks_SetMpiRequestTestCallback(c, otf2::callback(request_test));
  otf2.EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, otf2::callback(request_cancelled));
  otf2.EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, otf2::callback(collective_begin));
  otf2.EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, otf2::callback(collective_end));
  otf2.EvtReaderCallbacks_SetParameterUnsignedIntCallback(c, otf2::callback(parameter_set));
  otf2.EvtReaderCallbacks_SetRmaWinCreateCallback(c, otf2::callback(window_create));
  otf2.EvtReaderCallbacks_SetRmaWinDestroyCallback(c, otf2::callback(window_destroy));
  otf2.EvtReaderCallbacks_SetRmaPutCallback(c, otf2::callback(put));
  otf2.EvtReaderCallbacks_SetRmaGetCallback(c, otf2::callback(get));
  otf2.EvtReaderCallbacks_SetRmaAtomicCallback(c, otf2::callback(atomic));
  otf2.EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(c, otf2::callback(access_done));
  otf2.EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(c, otf2::callback(access_done));
  otf2.EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(c, otf2::callback(access_there));
  otf2.EvtReaderCallbacks_SetIoCreateHandleCallback(c, otf2::callback(io_create));
  otf2.EvtReaderCallbacks_SetIoDestroyHandleCallback(c, otf2::callback(io_destroy));
  otf2.EvtReaderCallbacks_SetIoSeekCallback(c, otf2::callback(io_seek));
  otf2.EvtReaderCallbacks_SetIoOperationBeginCallback(c, otf2::callback(io_begin));
  otf2.EvtReaderCallbacks_SetIoOperationIssuedCallback(c, otf2::callback(io_issued));
  otf2.EvtReaderCallbacks_SetIoOperationTestCallback(c, otf2::callback(io_test));
  otf2.EvtReaderCallbacks_SetIoOperationCancelledCallback(c, otf2::callback(io_cancelled));
  otf2.EvtReaderCallbacks_SetIoOperationCompleteCallback(c, otf2::callback(io_complete));
  if (otf2.EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback) {
    otf2.EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(c, otf2::callback(collective_request));
  }
  if (otf2.EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback) {
    otf2.EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, otf2::callback(collective_complete));
  }
  return c;
}

}  // namespace leadline::interchange::importing
