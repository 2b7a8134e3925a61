// The library's own collective, and the schedules of src/collectives over its point-to-point messages.
#include <cstring>
#include <vector>

#include "bench/candidate.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/execute.hpp"

namespace leadline::bench {

namespace {

constexpr int tag = 2;

using collectives::Operation;
// Kinds begin with the operations, in their order.
static_assert(int(Kind::broadcast) == int(Operation::broadcast) && int(Kind::reduce) == int(Operation::reduce) &&
              int(Kind::allreduce) == int(Operation::allreduce));

struct Call {
  Kind kind;
  MPI_Comm comm;
  int root;
  MPI_Datatype type;
  int64_t extent;

  int native(const void* from, void* to, int64_t count) const {
    const int n = int(count);
    if (kind == Kind::broadcast) return MPI_Bcast(to, n, type, root, comm);
    const void* input = from == to ? MPI_IN_PLACE : from;
    if (kind == Kind::allreduce) return MPI_Allreduce(input, to, n, type, MPI_SUM, comm);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return MPI_Reduce(rank == root ? input : from, to, n, type, MPI_SUM, root, comm);
  }
};

const Call& call_of(void* state) { return *static_cast<Call*>(state); }

int send(void* state, const void* from, const collectives::Step& step, void* request) {
  const Call& call = call_of(state);
  return MPI_Isend(from, int(step.from.count), call.type, step.peer, tag, call.comm,
                   static_cast<MPI_Request*>(request));
}

int receive(void* state, void* to, const collectives::Step& step, void* request) {
  const Call& call = call_of(state);
  return MPI_Irecv(to, int(step.to.count), call.type, step.peer, tag, call.comm, static_cast<MPI_Request*>(request));
}

int wait(void*, const collectives::Step&, void* request) {
  return MPI_Wait(static_cast<MPI_Request*>(request), MPI_STATUS_IGNORE);
}

int reduce(void* state, const void* from, void* to, int64_t count) {
  return MPI_Reduce_local(from, to, int(count), call_of(state).type, MPI_SUM);
}

int copy(void* state, const void* from, void* to, int64_t count) {
  std::memmove(to, from, std::size_t(count * call_of(state).extent));
  return MPI_SUCCESS;
}

int native(void* state, const void* from, void* to, int64_t count) { return call_of(state).native(from, to, count); }

class Native : public Candidate {
 public:
  Native(const Call& call, Contents* contents) : call_(call), contents_(contents) {}
  void run() override { call_.native(contents_->input(), contents_->data(), contents_->count()); }

 private:
  Call call_;
  Contents* contents_;
};

class Scheduled : public Candidate {
 public:
  Scheduled(const Call& call, Contents* contents, collectives::Schedule&& schedule)
      : call_(call),
        schedule_(std::move(schedule)),
        scratch_(std::size_t(schedule_.scratch_elements * call.extent) + 1),
        requests_(schedule_.requests + 1),
        transport_{&call_, sizeof(MPI_Request), send, receive, wait, reduce, copy, native},
        buffers_{contents->data(), contents->input(), scratch_.data(), call.extent} {}
  void run() override { collectives::execute(schedule_, transport_, buffers_, requests_.data()); }

 private:
  Call call_;
  collectives::Schedule schedule_;
  std::vector<char> scratch_;
  std::vector<MPI_Request> requests_;
  collectives::Transport transport_;
  collectives::Buffers buffers_;
};

// Does nothing: faster than any other, and never right. It shows that results are checked.
class Nothing : public Candidate {
 public:
  void run() override {}
};

std::vector<int> nodes(const Job& job, int pretended) {
  if (pretended <= 0) return job.host_of;
  std::vector<int> node_of(job.size);
  for (int rank = 0; rank < job.size; ++rank) node_of[rank] = int(int64_t{rank} * pretended / job.size);
  return node_of;
}

}  // namespace

std::unique_ptr<Candidate> make_collective(const Job& job, const Plan& plan, Kind kind, const CandidateName& name,
                                           Contents* contents, std::string* why) {
  const Call call{kind, job.comm, plan.root, contents->type(), contents->extent()};
  if (name.name == "native") return std::make_unique<Native>(call, contents);
  if (name.name == "nothing") return std::make_unique<Nothing>();
  const auto operation = static_cast<Operation>(kind);
  const collectives::Algorithm* algorithm = collectives::find_algorithm(operation, name.name);
  if (!algorithm) {
    *why = "no such algorithm";
    return nullptr;
  }
  const std::vector<int> node_of = nodes(job, plan.nodes);
  collectives::Problem problem;
  problem.operation = operation;
  problem.processes = job.size;
  problem.rank = job.rank;
  problem.root = plan.root;
  problem.count = contents->count();
  problem.element_bytes = contents->extent();
  problem.segment_bytes = name.segment_bytes;
  if (name.radix > 0) problem.radix = name.radix;
  problem.node_of = node_of.data();
  collectives::Schedule schedule;
  if (!algorithm->build(problem, &schedule)) {
    *why = "not for this number of processes and size";
    return nullptr;
  }
  return std::make_unique<Scheduled>(call, contents, std::move(schedule));
}

bool kind_of(const std::string& operation, Kind* kind) {
  if (operation == "p2p") {
    *kind = Kind::exchange;
    return true;
  }
  Operation found;
  if (!collectives::operation_of(operation, &found)) return false;
  *kind = static_cast<Kind>(found);
  return true;
}

std::unique_ptr<Candidate> make_candidate(const Job& job, const Plan& plan, Kind kind, const CandidateName& name,
                                          Contents* contents, std::string* why) {
  if (kind == Kind::exchange) return make_exchange(job, name, contents, why);
  return make_collective(job, plan, kind, name, contents, why);
}

}  // namespace leadline::bench
