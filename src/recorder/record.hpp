// One call, from its arguments to its key: what the wrappers hand over, and the recording functions by class.
#pragma once

#include "recorder/recording.hpp"

namespace leadline::recorder {

struct Call {
  Thread& thread;
  const Traits& traits;
  Word* args;
  Caller caller;
  Fn fn;
  bool large;  // counts are MPI_Count
  int rc = 0;
  Ticks begin = 0, end = 0;
  // Kept from before the call:
  uint64_t handle = 0;                  // of what it frees, completes or starts
  uint32_t request = Requests::none;
  uint64_t* handles = nullptr;          // of the requests it may complete
  Word own_statuses = 0;                // ours in place of MPI_STATUS(ES)_IGNORE

  const Roles& roles() const { return traits.roles; }
  Word arg(int8_t role) const { return args[role]; }
  int32_t int_arg(int8_t role) const { return static_cast<int32_t>(args[role]); }
  int64_t count_arg(int8_t role) const {
    return large ? static_cast<int64_t>(args[role]) : static_cast<int32_t>(args[role]);
  }
};

// Classes whose handles or statuses are looked at before the call.
constexpr bool looks_before(CallClass c) {
  switch (c) {
    case CallClass::recv: case CallClass::mrecv: case CallClass::sendrecv: case CallClass::sendrecv_replace:
    case CallClass::probe: case CallClass::iprobe: case CallClass::mprobe: case CallClass::improbe:
    case CallClass::imrecv:
    case CallClass::wait: case CallClass::test: case CallClass::waitany: case CallClass::testany:
    case CallClass::waitall: case CallClass::testall: case CallClass::waitsome: case CallClass::testsome:
    case CallClass::request_free: case CallClass::cancel:
    case CallClass::comm_free: case CallClass::win_free: case CallClass::file_close:
    case CallClass::abort: case CallClass::finalize:
      return true;
    default: return false;
  }
}

void before(Call& call);
void before_type_free(Thread& t, Word type_address);
void record(Call& call);  // by class, from here:

void record_send(Call& call);
void record_recv(Call& call);
void record_sendrecv(Call& call);
void record_probe(Call& call);
void record_message(Call& call);  // mrecv, imrecv
void record_init_request(Call& call);
void record_start(Call& call);
void record_startall(Call& call);
void before_completion(Call& call);
void record_completion(Call& call);        // of one request
void record_completions(Call& call);       // of a list
void record_collective(Call& call);
void record_comm_create(Call& call);
void record_comm_free(Call& call);
void record_object(Call& call);            // windows and files: made and freed
void record_rma(Call& call);
void record_file_io(Call& call);
void record_other(Call& call);

// --- what they share (record.cpp) ---

// The key with the call's site; false: the call is a layer's own.
bool begin_key(Call& call, trace::Key* key);
// Gives the event to the graph.
void add_event(Call& call, const trace::Key& key);

CommView comm_of(Thread& t, Word handle);
TypeView type_of(Thread& t, Word handle);
int32_t relative(const CommView& comm, int32_t rank);
inline int32_t tag_of(int32_t tag) { return tag == abi.any_tag ? trace::tag_any : tag; }
inline uint32_t wildcard_flags(int32_t source, int32_t tag) {
  return (source == abi.any_source ? trace::flag_any_source : 0) | (tag == abi.any_tag ? trace::flag_any_tag : 0);
}

struct Status {
  int32_t source, tag;
  int64_t bytes;  // trace::unknown_value where the library does not tell
};
Status read_status(Word at);

// Puts a status of ours where the program passed MPI_STATUS_IGNORE.
void substitute_status(Call& call);
// The status the call filled in, 0 if there is none.
Word filled_status(const Call& call);

// Enters the request a call made. `receives`, `wildcard`: what it waits for.
void add_request(Call& call, const trace::Key& maker, Word request_address, bool receives, bool wildcard,
                 int64_t posted_bytes, bool persistent);
// Link from a completion to the maker (event.hpp).
uint32_t link_to(Thread& t, const Request& r, uint64_t counter, uint64_t number);

}  // namespace leadline::recorder
