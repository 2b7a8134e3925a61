// Compares the clocks of a job's hosts: offsets in MPI_Init, and again in MPI_Finalize for the drift.
//
// Processes of one kernel have the same monotonic clock, so they have nothing to exchange. The reader recognises them
// by the clock's identity (the kernel's boot, the time namespace). If a job has several hosts, every rank compares its
// clock with that of its parent in a binomial tree whose root is rank 0, and then serves its children. A rank has at
// most log2(p) partners, and the path to the root at most as many steps. A comparison is a number of round trips, of
// which the shortest counts. The partner's clock was read at some moment of that trip, so half of its time bounds the
// error. Errors add up along the path.
//
// The messages have their own communicator, a duplicate of MPI_COMM_WORLD that lives until MPI_Finalize, so no other
// receive can match them. Everything is started without blocking and tested until a deadline. A rank that is late or
// dead costs the others only that time and the comparison. Making the duplicate needs all ranks, so it is tried only if
// all of them are recorded, which `leadline record` states (LEADLINE_CLOCKS=hosts).
#pragma once

#include <cstdint>

#include "recording/live_clock.hpp"

namespace leadline::recorder {

class ClockExchange {
 public:
  // Of this process: before MPI_Init.
  void begin(recording::LiveClock* clock);
  // Inside MPI_Init and MPI_Finalize; `run_ns`: so long the program took. True: time was spent on it.
  bool in_init(int32_t rank, int32_t size);
  bool in_finalize(uint64_t run_ns);

 private:
  struct Message {
    uint64_t identity;
    int64_t number;  // clock, or offset to rank 0's
    uint64_t error_ns;
    uint64_t known_at_ns;  // on the sender's clock; 0: it does not know its offset
  };
  bool make_communicator();
  void compare();
  bool ask_parent(int32_t parent);
  bool serve(int32_t child);
  bool send(int32_t to, const Message& message);
  bool receive(int32_t from, Message* message);
  bool wait(uint64_t* request);

  recording::LiveClock* clock_ = nullptr;
  int32_t rank_ = 0, size_ = 0;
  uint64_t deadline_ns_ = 0;
  bool ready_ = false;  // the communicator is there, and no exchange has failed
  recording::ClockComparison own_{};
  bool known_ = false;
  uint64_t comm_ = 0, comm_request_ = 0;  // of which the library writes even after we have given up
  Message out_{}, in_{};
};

extern ClockExchange clock_exchange;

}  // namespace leadline::recorder
