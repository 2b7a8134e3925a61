// The events of a location, as OTF2's library gives them: what they change in a call is a list of effects.
#pragma once

#include <cstdint>

#include "interchange/importing/reading_library.hpp"

namespace leadline::interchange::importing {

// One record within a call.
struct Effect {
  enum class Kind : uint8_t {
    send,
    receive,
    send_request,     // a nonblocking send
    receive_request,  // a nonblocking receive: its message is known when it completes
    send_done,
    receive_done,
    untested,  // a request was looked at and had not completed
    cancelled,
    collective_begin,
    collective,
    collective_request,
    collective_done,
    window_made,
    window_freed,
    put,
    get,
    atomic,
    access_done,   // at this rank
    access_there,  // done at the target
    file_opened,   // peer, tag, other: as OTF2 numbers access mode, creation and status
    file_closed,
    file_moved,  // the position in it; peer: what `bytes` are counted from, as OTF2 numbers that
    file_named,  // the call is about it
    transfer,
    transfer_issued,
    transfer_done,
    parameter,  // of the region: comm is its number, bytes its value
  };
  Kind kind{};
  bool told = true;               // false: a request whose comm, peer, tag and bytes come later
  bool writes = false;            // of a transfer
  uint32_t comm = 0;              // window or file
  uint32_t peer = 0, tag = 0;     // a collective's root
  uint64_t bytes = 0, other = 0;  // a collective's: sent, received
  uint64_t id = 0;                // of a request, or what pairs a transfer's begin and end
};

// What our own export says of a call beside its region; undefined where the archive does not.
struct Attributes {
  uint32_t made_in = otf2::undefined;  // the calling context that the region was entered from
  uint32_t file = otf2::undefined;     // the handle of a file
};

class LocationEvents {
 public:
  virtual ~LocationEvents() = default;
  virtual void enter(uint64_t time, uint32_t region, const Attributes& with) = 0;
  virtual void leave(uint64_t time, uint32_t region) = 0;
  virtual void enter_context(uint64_t time, uint32_t context) = 0;
  virtual void leave_context(uint64_t time, uint32_t context) = 0;
  virtual void effect(uint64_t time, const Effect& effect) = 0;

  // What an event's attributes are read with, and their numbers.
  const otf2::ReadingLibrary* library = nullptr;
  uint32_t call_path = otf2::undefined, on_file = otf2::undefined;
};

// To be given to OTF2 with a LocationEvents, then deleted. nullptr: no memory.
otf2::EvtReaderCallbacks* event_callbacks(const otf2::ReadingLibrary& library);

}  // namespace leadline::interchange::importing
