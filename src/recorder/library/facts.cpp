#include "recorder/library/facts.hpp"

#include <string.h>

#include <initializer_list>

#include "recorder/library/functions.hpp"

namespace leadline::recorder {

namespace {

bool found = false;

// The handle that two requests to MPI_PROC_NULL have in common, 0 if they have none.
uint64_t shared_by(Fn start, uint64_t comm) {
  alignas(16) static char buffer[16];
  uint64_t first = 0, second = 0;
  const uint8_t width = abi.family->handle_bytes.request;
  const int32_t count = 0, tag = 0;
  if (call_real(start, buffer, count, abi.byte, abi.proc_null, tag, comm, &first) != 0) return 0;
  const bool made = call_real(start, buffer, count, abi.byte, abi.proc_null, tag, comm, &second) == 0;
  const uint64_t a = Abi::handle(first, width), b = made ? Abi::handle(second, width) : 0;
  call_real(Fn::Wait, &first, abi.status_ignore);
  if (made) call_real(Fn::Wait, &second, abi.status_ignore);
  return a == b && a != abi.request_null ? a : 0;
}

void learn_shared_requests(uint64_t comm) {
  constexpr uint64_t nearby = 8;  // kinds of requests that libraries tell apart
  const uint64_t send = shared_by(Fn::Isend, comm), receive = shared_by(Fn::Irecv, comm);
  if (!send || abi.shared_request(send)) return;
  abi.shared_first = send;
  abi.shared_span = 0;
  if (!receive || receive == send) return;
  const uint64_t low = send < receive ? send : receive, distance = send < receive ? receive - send : send - receive;
  if (distance > nearby) return;
  abi.shared_first = low;
  abi.shared_span = distance;
}

// Fills a status with `bytes` as received.
bool set_bytes(char* status, size_t size, int64_t bytes) {
  memset(status, 0, size);
  constexpr auto fn = static_cast<int>(Fn::Status_set_elements);
  if (void* large = real_functions[fn][static_cast<int>(Name::pmpi_c)]) {
    return reinterpret_cast<int (*)(char*, uint64_t, int64_t)>(large)(status, abi.byte, bytes) == 0;
  }
  return has_real(Fn::Status_set_elements_x) && call_real(Fn::Status_set_elements_x, status, abi.byte, bytes) == 0;
}

// Tries each place in the status for a number that fills more than 32 bits, and again with another number.
void learn_status() {
  if (abi.status.count_code != CountCode::ask) return;
  const size_t size = abi.status.size;
  alignas(16) char status[2][64];
  const int64_t bytes[2] = {0x123456789a, 0x0fedcba987};
  if (size > sizeof(status[0])) return;
  for (int i = 0; i < 2; ++i) {
    if (!set_bytes(status[i], size, bytes[i])) return;
  }
  for (const CountCode code : {CountCode::two_words, CountCode::one_word}) {
    for (uint8_t at = 0; at + sizeof(uint64_t) <= size; at += 4) {
      StatusLayout layout = abi.status;
      layout.count = at;
      layout.count_code = code;
      if (bytes_in(layout, status[0]) != bytes[0] || bytes_in(layout, status[1]) != bytes[1]) continue;
      abi.status = layout;
      return;
    }
  }
}

}  // namespace

void find_library_facts(uint64_t comm) {
  if (found) return;
  found = true;
  learn_shared_requests(comm);
  learn_status();
}

}  // namespace leadline::recorder
