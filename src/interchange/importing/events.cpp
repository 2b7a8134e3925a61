#include "interchange/importing/events.hpp"

namespace leadline::interchange::importing {

using Kind = Effect::Kind;
using otf2::AttributeList;
using otf2::Callback;

namespace {

constexpr int success = 0;

// What OTF2 passes before an event's own arguments.
#define LEADLINE_EVENT uint64_t, uint64_t time, uint64_t, void *data, AttributeList *

LocationEvents& of(void* data) { return *static_cast<LocationEvents*>(data); }
int tell(void* data, uint64_t time, const Effect& effect) {
  of(data).effect(time, effect);
  return success;
}

int enter(uint64_t, uint64_t time, uint64_t, void* data, AttributeList* attributes, uint32_t region) {
  const LocationEvents& events = of(data);
  uint32_t made_in = otf2::undefined;
  if (events.call_path != otf2::undefined && attributes) {
    events.library->AttributeList_GetCallingContextRef(attributes, events.call_path, &made_in);
  }
  of(data).enter(time, region, made_in);
  return success;
}
int leave(LEADLINE_EVENT, uint32_t region) {
  of(data).leave(time, region);
  return success;
}
int enter_context(LEADLINE_EVENT, uint32_t context, uint32_t) {
  of(data).enter_context(time, context);
  return success;
}
int leave_context(LEADLINE_EVENT, uint32_t context) {
  of(data).leave_context(time, context);
  return success;
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
int parameter(LEADLINE_EVENT, uint32_t number, uint64_t value) {
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
int io_create(LEADLINE_EVENT, uint32_t handle, uint8_t, uint32_t, uint32_t) {
  return tell(data, time, {.kind = Kind::file_opened, .comm = handle});
}
int io_destroy(LEADLINE_EVENT, uint32_t handle) {
  return tell(data, time, {.kind = Kind::file_closed, .comm = handle});
}
int io_seek(LEADLINE_EVENT, uint32_t handle, int64_t, uint8_t, uint64_t position) {
  return tell(data, time, {.kind = Kind::file_moved, .comm = handle, .bytes = position});
}
int io_begin(LEADLINE_EVENT, uint32_t handle, uint8_t mode, uint32_t, uint64_t bytes, uint64_t id) {
  return tell(data, time, {.kind = Kind::transfer, .writes = mode != 0, .comm = handle, .bytes = bytes, .id = id});
}
int io_complete(LEADLINE_EVENT, uint32_t handle, uint64_t bytes, uint64_t id) {
  return tell(data, time, {.kind = Kind::transfer_done, .comm = handle, .bytes = bytes, .id = id});
}
#undef LEADLINE_EVENT

template <class Function>
Callback plain(Function function) {
  return reinterpret_cast<Callback>(function);
}

}  // namespace

otf2::EvtReaderCallbacks* event_callbacks(const otf2::ReadingLibrary& otf2) {
  otf2::EvtReaderCallbacks* c = otf2.EvtReaderCallbacks_New();
  if (!c) return nullptr;
  otf2.EvtReaderCallbacks_SetEnterCallback(c, plain(enter));
  otf2.EvtReaderCallbacks_SetLeaveCallback(c, plain(leave));
  otf2.EvtReaderCallbacks_SetCallingContextEnterCallback(c, plain(enter_context));
  otf2.EvtReaderCallbacks_SetCallingContextLeaveCallback(c, plain(leave_context));
  otf2.EvtReaderCallbacks_SetMpiSendCallback(c, plain(send));
  otf2.EvtReaderCallbacks_SetMpiIsendCallback(c, plain(isend));
  otf2.EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, plain(isend_complete));
  otf2.EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, plain(irecv_request));
  otf2.EvtReaderCallbacks_SetMpiRecvCallback(c, plain(receive));
  otf2.EvtReaderCallbacks_SetMpiIrecvCallback(c, plain(irecv));
  otf2.EvtReaderCallbacks_SetMpiRequestTestCallback(c, plain(request_test));
  otf2.EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, plain(request_cancelled));
  otf2.EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, plain(collective_begin));
  otf2.EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, plain(collective_end));
  otf2.EvtReaderCallbacks_SetParameterUnsignedIntCallback(c, plain(parameter));
  otf2.EvtReaderCallbacks_SetRmaWinCreateCallback(c, plain(window_create));
  otf2.EvtReaderCallbacks_SetRmaWinDestroyCallback(c, plain(window_destroy));
  otf2.EvtReaderCallbacks_SetRmaPutCallback(c, plain(put));
  otf2.EvtReaderCallbacks_SetRmaGetCallback(c, plain(get));
  otf2.EvtReaderCallbacks_SetRmaAtomicCallback(c, plain(atomic));
  otf2.EvtReaderCallbacks_SetIoCreateHandleCallback(c, plain(io_create));
  otf2.EvtReaderCallbacks_SetIoDestroyHandleCallback(c, plain(io_destroy));
  otf2.EvtReaderCallbacks_SetIoSeekCallback(c, plain(io_seek));
  otf2.EvtReaderCallbacks_SetIoOperationBeginCallback(c, plain(io_begin));
  otf2.EvtReaderCallbacks_SetIoOperationCompleteCallback(c, plain(io_complete));
  if (otf2.EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback) {
    otf2.EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(c, plain(collective_request));
  }
  if (otf2.EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback) {
    otf2.EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, plain(collective_complete));
  }
  return c;
}

}  // namespace leadline::interchange::importing
