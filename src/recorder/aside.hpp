// Calls while recording is paused. They are passed on. The recorder keeps only what later calls need: communicators,
// windows and files that are made or freed, persistent requests, matched messages, and which requests are under way.
#pragma once

#include "recorder/record.hpp"

namespace leadline::recorder {

// Classes of calls that are recorded even while recording is paused.
constexpr bool always_recorded(CallClass c) {
  return c == CallClass::init || c == CallClass::finalize || c == CallClass::abort || c == CallClass::pcontrol;
}

// Calls that make requests. If made while paused, the recorder only notes that their completion has no known maker.
constexpr bool makes_request(CallClass c) {
  return c == CallClass::isend || c == CallClass::irecv || c == CallClass::isendrecv || c == CallClass::icoll ||
         c == CallClass::rma_request || c == CallClass::file_iio;
}

constexpr bool completes_requests(CallClass c) {
  return (c >= CallClass::wait && c <= CallClass::testsome) || c == CallClass::request_free;
}

// Made once and used often: recorded in full but for the event itself.
constexpr bool makes_or_frees(CallClass c) {
  switch (c) {
    case CallClass::send_init:
    case CallClass::recv_init:
    case CallClass::psend_init:
    case CallClass::precv_init:
    case CallClass::coll_init:
    case CallClass::mprobe:
    case CallClass::improbe:
    case CallClass::mrecv:
    case CallClass::imrecv:
    case CallClass::comm_create:
    case CallClass::comm_icreate:
    case CallClass::comm_free:
    case CallClass::win_create:
    case CallClass::win_free:
    case CallClass::file_open:
    case CallClass::file_close:
    case CallClass::other:  // MPI_Session_init
      return true;
    default:
      return false;
  }
}

constexpr bool starts_requests(CallClass c) { return c == CallClass::start || c == CallClass::startall; }

constexpr bool leaves_traces(CallClass c) {
  return makes_request(c) || completes_requests(c) || makes_or_frees(c) || starts_requests(c);
}

// The request at the address has just been made, by a call that is not among the events.
void enter_aside(Thread& t, Word address);
void before_aside(Call& call);
void after_aside(Call& call);

}  // namespace leadline::recorder
