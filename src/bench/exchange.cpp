// Two ranks: the message there and back, in each of the ways MPI has for it.
#include "bench/candidate.hpp"

namespace leadline::bench {

namespace {

constexpr int exchange_tag = 1;

class Exchange : public Candidate {
 public:
  Exchange(const Job& job, Contents* contents)
      : comm_(job.comm),
        first_(job.rank == 0),
        peer_(1 - job.rank),
        count_(int(contents->count())),
        type_(contents->type()),
        out_(contents->input()),
        in_(contents->data()) {
    times_per_run = 2;
  }

 protected:
  MPI_Comm comm_;
  bool first_;
  int peer_, count_;
  MPI_Datatype type_;
  char* out_;
  char* in_;
};

class Blocking : public Exchange {
 public:
  using Exchange::Exchange;
  void run() override {
    if (first_) MPI_Send(out_, count_, type_, peer_, exchange_tag, comm_);
    MPI_Recv(in_, count_, type_, peer_, exchange_tag, comm_, MPI_STATUS_IGNORE);
    if (!first_) MPI_Send(out_, count_, type_, peer_, exchange_tag, comm_);
  }
};

class Nonblocking : public Exchange {
 public:
  using Exchange::Exchange;
  void run() override {
    MPI_Request send, receive;
    MPI_Irecv(in_, count_, type_, peer_, exchange_tag, comm_, &receive);
    if (first_) MPI_Isend(out_, count_, type_, peer_, exchange_tag, comm_, &send);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    if (!first_) MPI_Isend(out_, count_, type_, peer_, exchange_tag, comm_, &send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
};

class Persistent : public Exchange {
 public:
  Persistent(const Job& job, Contents* contents) : Exchange(job, contents) {
    MPI_Send_init(out_, count_, type_, peer_, exchange_tag, comm_, &send_);
    MPI_Recv_init(in_, count_, type_, peer_, exchange_tag, comm_, &receive_);
  }
  ~Persistent() override {
    MPI_Request_free(&send_);
    MPI_Request_free(&receive_);
  }
  void run() override {
    MPI_Start(&receive_);
    if (first_) MPI_Start(&send_);
    MPI_Wait(&receive_, MPI_STATUS_IGNORE);
    if (!first_) MPI_Start(&send_);
    MPI_Wait(&send_, MPI_STATUS_IGNORE);
  }

 private:
  MPI_Request send_, receive_;
};

// Both at once.
class Sendrecv : public Exchange {
 public:
  Sendrecv(const Job& job, Contents* contents) : Exchange(job, contents) { times_per_run = 1; }
  void run() override {
    MPI_Sendrecv(out_, count_, type_, peer_, exchange_tag, in_, count_, type_, peer_, exchange_tag, comm_,
                 MPI_STATUS_IGNORE);
  }
};

class BroadcastOfTwo : public Exchange {
 public:
  using Exchange::Exchange;
  void run() override {
    MPI_Bcast(first_ ? out_ : in_, count_, type_, 0, comm_);
    MPI_Bcast(first_ ? in_ : out_, count_, type_, 1, comm_);
  }
};

}  // namespace

std::unique_ptr<Candidate> make_exchange(const Job& job, const CandidateName& name, Contents* contents,
                                         std::string* why) {
  if (job.size != 2) {
    *why = "point-to-point benchmarks need exactly 2 ranks";
    return nullptr;
  }
  if (name.name == "blocking") return std::make_unique<Blocking>(job, contents);
  if (name.name == "nonblocking") return std::make_unique<Nonblocking>(job, contents);
  if (name.name == "persistent") return std::make_unique<Persistent>(job, contents);
  if (name.name == "sendrecv") return std::make_unique<Sendrecv>(job, contents);
  if (name.name == "bcast" && contents->count() > 0) return std::make_unique<BroadcastOfTwo>(job, contents);
  *why = name.name == "bcast" ? "a zero-byte broadcast sends nothing" : "unknown way of sending " + name.name;
  return nullptr;
}

}  // namespace leadline::bench
