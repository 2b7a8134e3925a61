// The library's own collective, and the schedules of src/collectives over its point-to-point messages.
#include <algorithm>
#include <climits>
#include <cstring>
#include <vector>

#include "bench/candidate.hpp"
#include "bench/native_call.hpp"
#include "bench/parts.hpp"
#include "bench/team.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/execute.hpp"

namespace leadline::bench {

namespace {

constexpr int collective_tag = 2;

using collectives::Operation;

struct Call {
  Operation operation;
  MPI_Comm comm;
  int rank, root;
  MPI_Datatype type;
  int64_t extent;
  std::vector<int> counts, places;  // of all blocks, where they have their own
  std::vector<MPI_Datatype> types;  // and their datatypes
  std::vector<MPI_Aint> places_in_memory;
  collectives::node::Team* team = nullptr;
  collectives::node::Combine combine = nullptr;

  // `count` elements of each block. In place if the contribution is where the result is to be.
  int native(const void* from, void* to, int64_t count) const {
    const bool may_be_in_place = collectives::facts_of(operation).has_result(rank == root);
    const void* const input = from == to && may_be_in_place ? MPI_IN_PLACE : from;
    const int n = int(count);
    return call_native(operation,
                       {input, n, type, to, n, type, MPI_SUM, root, comm, counts.data(), places.data(), counts.data(),
                        places.data(), types.data(), types.data(), places_in_memory.data(), places_in_memory.data()});
  }
};

const Call& call_of(void* state) { return *static_cast<Call*>(state); }

int send(void* state, const void* from, const collectives::Step& step, void* request) {
  const Call& call = call_of(state);
  return MPI_Isend(from, int(step.from.count), call.type, step.peer, collective_tag, call.comm,
                   static_cast<MPI_Request*>(request));
}

int receive(void* state, void* to, const collectives::Step& step, void* request) {
  const Call& call = call_of(state);
  return MPI_Irecv(to, int(step.to.count), call.type, step.peer, collective_tag, call.comm,
                   static_cast<MPI_Request*>(request));
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

int together(void* state, const void* from, void* to, const collectives::Step& step) {
  const Call& call = call_of(state);
  const collectives::node::Means means{.state = state,
                                       .reduce = reduce,
                                       .copy = copy,
                                       .progress = [](void* of) { go_on(call_of(of).comm); },
                                       .combine = call.combine,
                                       .extent = call.extent};
  return call.team->run({step.operation, step.root, std::max(step.from.count, step.to.count),
                         static_cast<const char*>(from), static_cast<char*>(to)},
                        means);
}

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
        transport_{&call_, sizeof(MPI_Request), send, receive, wait, reduce, copy, native, together},
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

// Does nothing: faster than any other candidate, and always wrong. It shows that results are checked.
class Nothing : public Candidate {
 public:
  void run() override {}
};

// What a schedule knows of the blocks, by rank or by neighbour.
struct Lengths {
  std::vector<int64_t> counts, places, places_by_source;
};

Lengths lengths_of(const Contents& contents, int blocks) {
  Lengths lengths;
  lengths.counts.assign(blocks, contents.count());
  for (int block = 0; block < blocks; ++block) lengths.places.push_back(block * contents.count());
  return lengths;
}

void describe_blocks(const collectives::OperationFacts& facts, const Contents& contents, Lengths* lengths,
                     collectives::Problem* problem) {
  if (facts.for_neighbours) {
    const Grid& grid = *contents.grid();
    for (int i = 0; i < grid.blocks(); ++i)
      lengths->places_by_source.push_back(lengths->places[grid.block_of_source(i)]);
    if (!facts.contributed.block_per_rank) lengths->places.assign(grid.blocks(), 0);
    problem->neighbours = grid.neighbours();
    problem->counts_contributed = problem->counts_received = lengths->counts.data();
    problem->places_contributed = lengths->places.data();
    problem->places_received = lengths->places_by_source.data();
    return;
  }
  if (facts.reduces) return;
  if (facts.received.count_per_rank) {
    problem->counts_received = lengths->counts.data();
    problem->places_received = lengths->places.data();
  }
  if (facts.contributed.count_per_rank) {
    problem->counts_contributed = lengths->counts.data();
    problem->places_contributed = lengths->places.data();
  }
}

// The library's own, and then a byte behind the buffer of a block. It shows that nothing may be written there.
class Beyond : public Candidate {
 public:
  Beyond(const Call& call, Contents* contents) : native_(call, contents), contents_(contents) {}
  void run() override {
    native_.run();
    contents_->write_behind();
  }

 private:
  Native native_;
  Contents* contents_;
};

std::vector<int> nodes(const Job& job, int pretended) {
  if (pretended <= 0) return job.host_of;
  std::vector<int> node_of(job.size);
  for (int rank = 0; rank < job.size; ++rank) node_of[rank] = int(int64_t{rank} * pretended / job.size);
  return node_of;
}

}  // namespace

std::unique_ptr<Candidate> make_collective(const Job& job, const Plan& plan, Operation operation,
                                           const CandidateName& name, Contents* contents, std::string* why) {
  const collectives::OperationFacts& facts = collectives::facts_of(operation);
  if (facts.for_neighbours && !contents->grid()) {
    *why = "its neighbours are unknown";
    return nullptr;
  }
  const int blocks = facts.for_neighbours ? contents->grid()->blocks() : job.size;
  // Blocks with their own counts are measured with even ones.
  Lengths lengths = lengths_of(*contents, blocks);
  Call call{operation,
            facts.for_neighbours ? contents->grid()->comm() : job.comm,
            job.rank,
            plan.root,
            contents->type(),
            contents->extent(),
            {lengths.counts.begin(), lengths.counts.end()},
            {lengths.places.begin(), lengths.places.end()},
            std::vector<MPI_Datatype>(blocks, contents->type())};
  for (const int64_t place : lengths.places) call.places_in_memory.push_back(MPI_Aint(place * contents->extent()));
  const bool in_bytes = facts.contributed.datatype_per_rank;  // places
  if (in_bytes && contents->count() * contents->extent() * blocks > INT_MAX) {
    *why = "blocks of all ranks of 2 GiB or more";
    return nullptr;
  }
  if (in_bytes)
    for (int& place : call.places) place *= int(contents->extent());
  if (name.name == "native") return std::make_unique<Native>(call, contents);
  if (name.name == "nothing") return std::make_unique<Nothing>();
  if (name.name == "beyond") return std::make_unique<Beyond>(call, contents);
  if (auto parts = make_parts(job, plan, operation, name.name, *contents, why); parts || !why->empty()) return parts;
  const collectives::Algorithm* algorithm = collectives::find_algorithm(operation, name.name);
  if (!algorithm) {
    *why = "unknown algorithm " + name.name;
    return nullptr;
  }
  const std::vector<int> node_of = nodes(job, plan.nodes);
  collectives::Problem problem;
  problem.operation = operation;
  problem.processes = job.size;
  problem.rank = job.rank;
  problem.root = plan.root;
  problem.count = contents->count();
  describe_blocks(facts, *contents, &lengths, &problem);
  problem.element_bytes = contents->extent();
  problem.segment_bytes = name.segment_bytes;
  if (name.radix > 0) problem.radix = name.radix;
  problem.node_of = node_of.data();
  if (algorithm->needs_memory) {
    call.team = team_of(job, node_of);
    if (!call.team) {
      *why = "the ranks of a node cannot share memory here";
      return nullptr;
    }
    problem.shares_memory = true;
    if (call.type == MPI_DOUBLE) call.combine = collectives::node::find_combine("MPI_SUM", "MPI_DOUBLE", 8);
  }
  collectives::Schedule schedule;
  if (!algorithm->build(problem, &schedule)) {
    *why = "not applicable to this number of ranks and size";
    return nullptr;
  }
  return std::make_unique<Scheduled>(call, contents, std::move(schedule));
}

bool facts_of(const std::string& operation, const collectives::OperationFacts** facts) {
  *facts = nullptr;
  if (operation == "p2p") return true;
  Operation found;
  if (!collectives::operation_of(operation, &found)) return false;
  *facts = &collectives::facts_of(found);
  return true;
}

std::unique_ptr<Candidate> make_candidate(const Job& job, const Plan& plan, const std::string& operation,
                                          const CandidateName& name, Contents* contents, std::string* why) {
  Operation found;
  if (!collectives::operation_of(operation, &found)) return make_exchange(job, name, contents, why);
  return make_collective(job, plan, found, name, contents, why);
}

}  // namespace leadline::bench
