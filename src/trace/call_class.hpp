// What kind of call a function is: decides how its arguments are recorded and how its messages and bytes are counted.
#pragma once

#include <cstdint>

namespace leadline::trace {

enum class CallClass : uint8_t {
  local,  // touches no other rank: counted and timed in aggregate, not in the order of events
  init,
  finalize,
  abort,
  pcontrol,
  send,
  isend,
  recv,
  irecv,
  sendrecv,
  sendrecv_replace,
  isendrecv,
  probe,
  iprobe,
  mprobe,
  improbe,
  mrecv,
  imrecv,
  wait,
  waitall,
  waitany,
  waitsome,
  test,
  testall,
  testany,
  testsome,
  send_init,
  recv_init,
  coll_init,
  psend_init,
  precv_init,
  start,
  startall,
  pready,
  parrived,
  request_free,
  cancel,
  coll,
  icoll,
  comm_create,
  comm_icreate,
  comm_free,
  type_free,
  win_create,
  win_free,
  rma,
  rma_request,
  rma_sync,
  file_open,
  file_close,
  file_io,
  file_iio,
  file_other,
  other,
};

inline constexpr int call_class_count = static_cast<int>(CallClass::other) + 1;

inline constexpr const char* call_class_names[call_class_count] = {
    "local",       "init",       "finalize",  "abort",        "pcontrol",     "send",        "isend",
    "recv",        "irecv",      "sendrecv",  "sendrecv_replace", "isendrecv", "probe",      "iprobe",
    "mprobe",      "improbe",    "mrecv",     "imrecv",       "wait",         "waitall",     "waitany",
    "waitsome",    "test",       "testall",   "testany",      "testsome",     "send_init",   "recv_init",
    "coll_init",   "psend_init", "precv_init", "start",       "startall",     "pready",      "parrived",
    "request_free", "cancel",    "coll",      "icoll",        "comm_create",  "comm_icreate", "comm_free",
    "type_free",   "win_create", "win_free",  "rma",          "rma_request",  "rma_sync",    "file_open",
    "file_close",  "file_io",    "file_iio",  "file_other",   "other",
};

}  // namespace leadline::trace
