// What messages between two ranks cost. The leader asks, the other answers until it is told that all is over.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "bench/job.hpp"

namespace leadline::bench {

enum class Question : int64_t {
  round_trip,  // ns of a message one way: half of there and back, blocking
  send,        // ns in MPI_Isend of a message whose receiver computes
  receive,     // ns in MPI_Wait for a message that has arrived while this rank computed
  stream,      // ns of one of several messages that are under way at once, all with receives posted before
  overlap,     // ns that the receiver waits for a message, once both ranks have computed for as long as it takes
  call,        // ns of a wait for a request that is complete
  post,        // ns of MPI_Irecv
  eager,       // bytes: the longest message that is sent before it is received, up to the given ones; -1: none
  copied,      // bytes: the longest message whose send ends while its receiver sleeps, likewise
  over,
};
inline constexpr const char* question_names[] = {"round_trip", "send", "receive", "stream", "overlap",
                                                 "call",       "post", "eager",   "copied"};

class Pair {
 public:
  // most_bytes: of a message.
  Pair(const Job& job, int other, int64_t most_bytes);

  // The leader. repeat: how often, in a row; the mean counts. pause_ns: how long a rank computes, where it does.
  double ask(Question what, int64_t bytes, int repeat, int64_t pause_ns = 0);
  void end() { ask(Question::over, 0, 0); }
  // The other rank; returns at the end.
  void answer();

  static constexpr int in_stream = 16;  // messages
  int64_t most_bytes() const { return most_bytes_; }

 private:
  struct Order {
    int64_t what, bytes, repeat, pause_ns;
  };
  class Buffer {
   public:
    explicit Buffer(int64_t bytes);
    char* at(int64_t place) const { return memory_.get() + place; }

   private:
    struct Free {
      void operator()(char* memory) const;
    };
    std::unique_ptr<char, Free> memory_;
  };

  double round_trip(const Order& order, bool leads);
  double send_alone(const Order& order, bool leads);
  double receive_alone(const Order& order, bool leads);
  double stream(const Order& order, bool leads);
  double overlap(const Order& order, bool leads);
  double calls(const Order& order, bool leads, bool posts);
  double eager(const Order& order, bool leads);
  double copied(const Order& order, bool leads);
  double perform(const Order& order, bool leads);
  void send_empty() { MPI_Send(nullptr, 0, MPI_BYTE, other_, tag_, comm_); }
  void receive_empty() { MPI_Recv(nullptr, 0, MPI_BYTE, other_, tag_, comm_, MPI_STATUS_IGNORE); }

  MPI_Comm comm_;
  int other_;
  int64_t most_bytes_;
  Buffer out_, in_;
  static constexpr int tag_ = 31;
};

}  // namespace leadline::bench
