#include "bench/pair.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "network/eager_limit.hpp"

namespace leadline::bench {

namespace {

constexpr int order_tag = 32, result_tag = 33, eager_tag = 40;

// Without MPI, and without giving the core away.
void compute_for(int64_t ns) {
  const int64_t end = local_ns() + ns;
  while (local_ns() < end) {
  }
}

// What reading the clock twice takes, which is part of every single call that is timed.
int64_t clock_ns() {
  static const int64_t found = [] {
    int64_t least = INT64_MAX;
    for (int i = 0; i < 1000; ++i) {
      const int64_t begin = local_ns();
      least = std::min(least, local_ns() - begin);
    }
    return least;
  }();
  return found;
}

double since(int64_t begin) { return double(std::max<int64_t>(local_ns() - begin - clock_ns(), 0)); }

class LateMessages {
 public:
  LateMessages(MPI_Comm comm, int other, char* out, char* in) : comm_(comm), other_(other), out_(out), in_(in) {}
  void begin(int64_t bytes) {
    MPI_Isend(out_, int(bytes), MPI_BYTE, other_, tag(network::EagerTag::message), comm_, &request_);
  }
  bool is_over() {
    int done = 0;
    MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }
  void finish() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }
  void send(network::EagerTag which) { MPI_Send(nullptr, 0, MPI_BYTE, other_, tag(which), comm_); }
  void receive(network::EagerTag which) {
    MPI_Recv(nullptr, 0, MPI_BYTE, other_, tag(which), comm_, MPI_STATUS_IGNORE);
  }
  void tell(char what) { MPI_Send(&what, 1, MPI_BYTE, other_, tag(network::EagerTag::next), comm_); }
  char hear() {
    char what = 0;
    MPI_Recv(&what, 1, MPI_BYTE, other_, tag(network::EagerTag::next), comm_, MPI_STATUS_IGNORE);
    return what;
  }
  void take(int64_t most) {
    MPI_Recv(in_, int(most + 1), MPI_BYTE, other_, tag(network::EagerTag::message), comm_, MPI_STATUS_IGNORE);
  }

 private:
  static int tag(network::EagerTag which) { return eager_tag + int(which); }
  MPI_Comm comm_;
  int other_;
  char *out_, *in_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

Pair::Buffer::Buffer(int64_t bytes) {
  constexpr std::size_t page = 4096;
  memory_.reset(static_cast<char*>(std::aligned_alloc(page, (std::size_t(bytes) / page + 1) * page)));
  if (!memory_) MPI_Abort(MPI_COMM_WORLD, 1);
  std::memset(memory_.get(), 1, std::size_t(bytes) + 1);  // so that the pages exist
}

void Pair::Buffer::Free::operator()(char* memory) const { std::free(memory); }

Pair::Pair(const Job& job, int other, int64_t most_bytes)
    : comm_(job.comm), other_(other), most_bytes_(most_bytes), out_(most_bytes), in_(most_bytes) {}

double Pair::ask(Question what, int64_t bytes, int repeat, int64_t pause_ns) {
  const Order order{int64_t(what), bytes, repeat, pause_ns};
  MPI_Send(&order, 4, MPI_INT64_T, other_, order_tag, comm_);
  return perform(order, true);
}

void Pair::answer() {
  Order order{};
  while (true) {
    MPI_Recv(&order, 4, MPI_INT64_T, other_, order_tag, comm_, MPI_STATUS_IGNORE);
    if (order.what == int64_t(Question::over)) return;
    perform(order, false);
  }
}

// On the leader: the answer.
double Pair::perform(const Order& order, bool leads) {
  switch (Question(order.what)) {
    case Question::round_trip:
      return round_trip(order, leads);
    case Question::send:
      return send_alone(order, leads);
    case Question::receive:
      return receive_alone(order, leads);
    case Question::stream:
      return stream(order, leads);
    case Question::overlap:
      return overlap(order, leads);
    case Question::call:
    case Question::post:
      return calls(order, leads, Question(order.what) == Question::post);
    case Question::eager:
      return eager(order, leads);
    case Question::copied:
      return copied(order, leads);
    case Question::over:
      break;
  }
  return 0;
}

double Pair::round_trip(const Order& order, bool leads) {
  const int n = int(order.bytes);
  if (leads)
    receive_empty();
  else
    send_empty();
  const int64_t begin = local_ns();
  for (int64_t i = 0; i < order.repeat; ++i) {
    if (leads) MPI_Send(out_.at(0), n, MPI_BYTE, other_, tag_, comm_);
    MPI_Recv(in_.at(0), n, MPI_BYTE, other_, tag_, comm_, MPI_STATUS_IGNORE);
    if (!leads) MPI_Send(out_.at(0), n, MPI_BYTE, other_, tag_, comm_);
  }
  return since(begin) / (2 * double(order.repeat));
}

double Pair::send_alone(const Order& order, bool leads) {
  double sum = 0;
  for (int64_t i = 0; i < order.repeat; ++i) {
    if (!leads) {
      MPI_Request request;
      MPI_Irecv(in_.at(0), int(order.bytes), MPI_BYTE, other_, tag_, comm_, &request);
      send_empty();
      compute_for(order.pause_ns);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      continue;
    }
    receive_empty();
    MPI_Request request;
    const int64_t begin = local_ns();
    MPI_Isend(out_.at(0), int(order.bytes), MPI_BYTE, other_, tag_, comm_, &request);
    sum += since(begin);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return sum / double(order.repeat);
}

double Pair::receive_alone(const Order& order, bool leads) {
  double sum = 0;
  for (int64_t i = 0; i < order.repeat; ++i) {
    if (!leads) {
      receive_empty();
      MPI_Send(out_.at(0), int(order.bytes), MPI_BYTE, other_, tag_, comm_);
      continue;
    }
    MPI_Request request;
    MPI_Irecv(in_.at(0), int(order.bytes), MPI_BYTE, other_, tag_, comm_, &request);
    send_empty();
    compute_for(order.pause_ns);
    const int64_t begin = local_ns();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += since(begin);
  }
  return sum / double(order.repeat);
}

// The answer at the end is an empty message, whose time the caller knows.
double Pair::stream(const Order& order, bool leads) {
  const int64_t apart = std::max<int64_t>(order.bytes, 1);
  MPI_Request requests[in_stream];
  double sum = 0;
  for (int64_t i = 0; i < order.repeat; ++i) {
    if (!leads) {
      for (int m = 0; m < in_stream; ++m)
        MPI_Irecv(in_.at(m * apart), int(order.bytes), MPI_BYTE, other_, tag_, comm_, &requests[m]);
      send_empty();
      MPI_Waitall(in_stream, requests, MPI_STATUSES_IGNORE);
      send_empty();
      continue;
    }
    receive_empty();
    const int64_t begin = local_ns();
    for (int m = 0; m < in_stream; ++m)
      MPI_Isend(out_.at(m * apart), int(order.bytes), MPI_BYTE, other_, tag_, comm_, &requests[m]);
    MPI_Waitall(in_stream, requests, MPI_STATUSES_IGNORE);
    receive_empty();
    sum += since(begin);
  }
  return sum / (double(order.repeat) * in_stream);
}

// The leader receives.
double Pair::overlap(const Order& order, bool leads) {
  double sum = 0;
  for (int64_t i = 0; i < order.repeat; ++i) {
    MPI_Request request;
    if (leads) {
      MPI_Irecv(in_.at(0), int(order.bytes), MPI_BYTE, other_, tag_, comm_, &request);
      send_empty();
    } else {
      receive_empty();
      MPI_Isend(out_.at(0), int(order.bytes), MPI_BYTE, other_, tag_, comm_, &request);
    }
    compute_for(order.pause_ns);
    const int64_t begin = local_ns();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += since(begin);
  }
  return sum / double(order.repeat);
}

double Pair::calls(const Order& order, bool leads, bool posts) {
  MPI_Request requests[in_stream];
  double sum = 0;
  for (int64_t i = 0; i < order.repeat; ++i) {
    int64_t begin = local_ns();
    for (MPI_Request& request : requests) {
      if (leads == posts) MPI_Irecv(in_.at(0), 1, MPI_BYTE, other_, tag_, comm_, &request);
    }
    if (leads && posts) sum += since(begin);
    if (leads == posts)
      send_empty();
    else
      receive_empty();
    if (leads != posts) {
      for (MPI_Request& request : requests) MPI_Isend(out_.at(0), 1, MPI_BYTE, other_, tag_, comm_, &request);
    }
    if (leads && !posts) {
      receive_empty();  // they have arrived, so their sends are complete
      begin = local_ns();
      for (MPI_Request& request : requests) MPI_Wait(&request, MPI_STATUS_IGNORE);
      sum += since(begin);
      continue;
    }
    MPI_Waitall(in_stream, requests, MPI_STATUSES_IGNORE);
    if (!posts) send_empty();
  }
  return sum / (double(order.repeat) * in_stream);
}

double Pair::eager(const Order& order, bool leads) {
  LateMessages messages(comm_, other_, out_.at(0), in_.at(0));
  const int64_t most = std::min(order.bytes, most_bytes_ - 1);
  if (leads) return double(network::longest_unreceived(messages, most));
  network::receive_late(messages, most);
  return 0;
}

double Pair::copied(const Order& order, bool leads) {
  LateMessages messages(comm_, other_, out_.at(0), in_.at(0));
  const int64_t most = std::min(order.bytes, most_bytes_ - 1);
  if (leads) return double(network::longest_copied(messages, most));
  network::receive_asleep(messages, most);
  return 0;
}

}  // namespace leadline::bench
