#include "bench/parts.hpp"

#include <climits>
#include <cstring>
#include <utility>
#include <vector>

namespace leadline::bench {

namespace {

using collectives::Operation;

// Counts and places of blocks, by rank: in elements, or in bytes where that is said.
struct Blocks {
  std::vector<int> counts, places;
};

Blocks equal_blocks(int length, int size) {
  Blocks blocks{std::vector<int>(size, length), {}};
  for (int rank = 0; rank < size; ++rank) blocks.places.push_back(rank * length);
  return blocks;
}

// `length` in parts as equal as whole elements allow.
Blocks parts_of(int length, int size) {
  Blocks blocks;
  for (int rank = 0, begin = 0; rank < size; ++rank) {
    blocks.counts.push_back(length / size + (rank < length % size));
    blocks.places.push_back(begin);
    begin += blocks.counts.back();
  }
  return blocks;
}

// What the operations work with. n: elements of a block; share: a p-th of them.
struct Work {
  const char* from;
  char *to, *between;  // between: as long as the blocks of all ranks
  int n, share;
  MPI_Datatype type;
  int extent;
  int root, rank, size;
  MPI_Comm comm;
  Blocks each, bytes, split, of_root;  // n each; the same in bytes; n in all, split up; n of the root, none of others
  std::vector<MPI_Datatype> types;

  int all() const { return n * size; }
  void take_own(const char* blocks) const { std::memcpy(to, blocks + rank * n * extent, n * extent); }
  // A block for each rank in `between`: this rank's own is that of `from`, the others are zeros.
  void put_own_among_zeros() const {
    std::memset(between, 0, std::size_t(all()) * extent);
    std::memcpy(between + rank * n * extent, from, n * extent);
  }
};

struct Parts {
  Operation operation;
  const char* name;
  bool shares;  // the elements must be a multiple of the ranks
  void (*run)(const Work& w);
};

const Parts known[] = {
    {Operation::broadcast, "scatter+allgather", true,
     [](const Work& w) {
       MPI_Scatter(w.to, w.share, w.type, w.between, w.share, w.type, w.root, w.comm);
       MPI_Allgather(w.between, w.share, w.type, w.to, w.share, w.type, w.comm);
     }},
    {Operation::broadcast, "allgatherv", false,
     [](const Work& w) {
       MPI_Allgatherv(MPI_IN_PLACE, 0, w.type, w.to, w.of_root.counts.data(), w.of_root.places.data(), w.type, w.comm);
     }},
    {Operation::reduce, "allreduce", false,
     [](const Work& w) { MPI_Allreduce(w.from, w.rank == w.root ? w.to : w.between, w.n, w.type, MPI_SUM, w.comm); }},
    {Operation::reduce, "reduce_scatter_block+gather", true,
     [](const Work& w) {
       MPI_Reduce_scatter_block(w.from, w.between, w.share, w.type, MPI_SUM, w.comm);
       MPI_Gather(w.between, w.share, w.type, w.to, w.share, w.type, w.root, w.comm);
     }},
    {Operation::reduce, "reduce_scatter+gatherv", false,
     [](const Work& w) {
       MPI_Reduce_scatter(w.from, w.between, w.split.counts.data(), w.type, MPI_SUM, w.comm);
       MPI_Gatherv(w.between, w.split.counts[w.rank], w.type, w.to, w.split.counts.data(), w.split.places.data(),
                   w.type, w.root, w.comm);
     }},
    {Operation::allreduce, "reduce+bcast", false,
     [](const Work& w) {
       MPI_Reduce(w.from, w.to, w.n, w.type, MPI_SUM, 0, w.comm);
       MPI_Bcast(w.to, w.n, w.type, 0, w.comm);
     }},
    {Operation::allreduce, "reduce_scatter_block+allgather", true,
     [](const Work& w) {
       MPI_Reduce_scatter_block(w.from, w.between, w.share, w.type, MPI_SUM, w.comm);
       MPI_Allgather(w.between, w.share, w.type, w.to, w.share, w.type, w.comm);
     }},
    {Operation::allreduce, "reduce_scatter+allgatherv", false,
     [](const Work& w) {
       MPI_Reduce_scatter(w.from, w.between, w.split.counts.data(), w.type, MPI_SUM, w.comm);
       MPI_Allgatherv(w.between, w.split.counts[w.rank], w.type, w.to, w.split.counts.data(), w.split.places.data(),
                      w.type, w.comm);
     }},
    {Operation::reduce_scatter_block, "allreduce", false,
     [](const Work& w) {
       MPI_Allreduce(w.from, w.between, w.all(), w.type, MPI_SUM, w.comm);
       w.take_own(w.between);
     }},
    {Operation::reduce_scatter_block, "reduce+scatter", false,
     [](const Work& w) {
       MPI_Reduce(w.from, w.between, w.all(), w.type, MPI_SUM, 0, w.comm);
       MPI_Scatter(w.between, w.n, w.type, w.to, w.n, w.type, 0, w.comm);
     }},
    {Operation::reduce_scatter, "reduce_scatter_block", false,
     [](const Work& w) { MPI_Reduce_scatter_block(w.from, w.to, w.n, w.type, MPI_SUM, w.comm); }},
    {Operation::reduce_scatter, "allreduce", false,
     [](const Work& w) {
       MPI_Allreduce(w.from, w.between, w.all(), w.type, MPI_SUM, w.comm);
       w.take_own(w.between);
     }},
    {Operation::reduce_scatter, "reduce+scatterv", false,
     [](const Work& w) {
       MPI_Reduce(w.from, w.between, w.all(), w.type, MPI_SUM, 0, w.comm);
       MPI_Scatterv(w.between, w.each.counts.data(), w.each.places.data(), w.type, w.to, w.n, w.type, 0, w.comm);
     }},
    {Operation::reduce_scatter_block, "reduce_scatter", false,
     [](const Work& w) { MPI_Reduce_scatter(w.from, w.to, w.each.counts.data(), w.type, MPI_SUM, w.comm); }},
    {Operation::gather, "allgather", false,
     [](const Work& w) {
       MPI_Allgather(w.from, w.n, w.type, w.rank == w.root ? w.to : w.between, w.n, w.type, w.comm);
     }},
    {Operation::gather, "gatherv", false,
     [](const Work& w) {
       MPI_Gatherv(w.from, w.n, w.type, w.to, w.each.counts.data(), w.each.places.data(), w.type, w.root, w.comm);
     }},
    {Operation::gather, "reduce", false,
     [](const Work& w) {
       w.put_own_among_zeros();
       MPI_Reduce(w.between, w.to, w.all() * w.extent, MPI_BYTE, MPI_BOR, w.root, w.comm);
     }},
    {Operation::gatherv, "allgatherv", false,
     [](const Work& w) {
       MPI_Allgatherv(w.from, w.n, w.type, w.rank == w.root ? w.to : w.between, w.each.counts.data(),
                      w.each.places.data(), w.type, w.comm);
     }},
    {Operation::gatherv, "gather", false,
     [](const Work& w) { MPI_Gather(w.from, w.n, w.type, w.to, w.n, w.type, w.root, w.comm); }},
    {Operation::allgather, "gather+bcast", false,
     [](const Work& w) {
       MPI_Gather(w.from, w.n, w.type, w.to, w.n, w.type, 0, w.comm);
       MPI_Bcast(w.to, w.all(), w.type, 0, w.comm);
     }},
    {Operation::allgather, "allgatherv", false,
     [](const Work& w) {
       MPI_Allgatherv(w.from, w.n, w.type, w.to, w.each.counts.data(), w.each.places.data(), w.type, w.comm);
     }},
    {Operation::allgather, "alltoall", false,
     [](const Work& w) {
       for (int rank = 0; rank < w.size; ++rank) std::memcpy(w.between + rank * w.n * w.extent, w.from, w.n * w.extent);
       MPI_Alltoall(w.between, w.n, w.type, w.to, w.n, w.type, w.comm);
     }},
    {Operation::allgather, "allreduce", false,
     [](const Work& w) {
       w.put_own_among_zeros();
       MPI_Allreduce(w.between, w.to, w.all() * w.extent, MPI_BYTE, MPI_BOR, w.comm);
     }},
    {Operation::allgatherv, "gatherv+bcast", false,
     [](const Work& w) {
       MPI_Gatherv(w.from, w.n, w.type, w.to, w.each.counts.data(), w.each.places.data(), w.type, 0, w.comm);
       MPI_Bcast(w.to, w.all(), w.type, 0, w.comm);
     }},
    {Operation::allgatherv, "allgather", false,
     [](const Work& w) { MPI_Allgather(w.from, w.n, w.type, w.to, w.n, w.type, w.comm); }},
    {Operation::alltoall, "alltoallv", false,
     [](const Work& w) {
       MPI_Alltoallv(w.from, w.each.counts.data(), w.each.places.data(), w.type, w.to, w.each.counts.data(),
                     w.each.places.data(), w.type, w.comm);
     }},
    {Operation::alltoallv, "alltoallw", false,
     [](const Work& w) {
       MPI_Alltoallw(w.from, w.each.counts.data(), w.bytes.places.data(), w.types.data(), w.to, w.each.counts.data(),
                     w.bytes.places.data(), w.types.data(), w.comm);
     }},
    {Operation::alltoallv, "alltoall", false,
     [](const Work& w) { MPI_Alltoall(w.from, w.n, w.type, w.to, w.n, w.type, w.comm); }},
    {Operation::alltoallw, "alltoallv", false,
     [](const Work& w) {
       const std::vector<int> counts(w.size, w.n);
       std::vector<int> places(w.size);
       for (int rank = 0; rank < w.size; ++rank) places[rank] = rank * w.n;
       MPI_Alltoallv(w.from, counts.data(), places.data(), w.type, w.to, counts.data(), places.data(), w.type, w.comm);
     }},
    {Operation::scatter, "bcast", false,
     [](const Work& w) {
       char* const blocks = w.rank == w.root ? const_cast<char*>(w.from) : w.between;
       MPI_Bcast(blocks, w.all(), w.type, w.root, w.comm);
       w.take_own(blocks);
     }},
    {Operation::scatter, "scatterv", false,
     [](const Work& w) {
       MPI_Scatterv(w.from, w.each.counts.data(), w.each.places.data(), w.type, w.to, w.n, w.type, w.root, w.comm);
     }},
    {Operation::scatterv, "scatter", false,
     [](const Work& w) { MPI_Scatter(w.from, w.n, w.type, w.to, w.n, w.type, w.root, w.comm); }},
    {Operation::scan, "exscan+reduce_local", false,
     [](const Work& w) {
       MPI_Exscan(w.from, w.between, w.n, w.type, MPI_SUM, w.comm);
       std::memcpy(w.to, w.from, w.n * w.extent);
       if (w.rank > 0) MPI_Reduce_local(w.between, w.to, w.n, w.type, MPI_SUM);
     }},
    {Operation::exscan, "scan+sendrecv", false,
     [](const Work& w) {
       MPI_Scan(w.from, w.between, w.n, w.type, MPI_SUM, w.comm);
       const int next = w.rank + 1 < w.size ? w.rank + 1 : MPI_PROC_NULL;
       const int before = w.rank > 0 ? w.rank - 1 : MPI_PROC_NULL;
       MPI_Sendrecv(w.between, w.n, w.type, next, 0, w.to, w.n, w.type, before, 0, w.comm, MPI_STATUS_IGNORE);
     }},
    {Operation::barrier, "allreduce", false,
     [](const Work& w) { MPI_Allreduce(w.between, w.between + 1, 1, MPI_BYTE, MPI_BOR, w.comm); }},
    {Operation::barrier, "allgather", false,
     [](const Work& w) { MPI_Allgather(w.between, 1, MPI_BYTE, w.between + 1, 1, MPI_BYTE, w.comm); }},
    {Operation::barrier, "reduce+bcast", false,
     [](const Work& w) {
       MPI_Reduce(w.between, w.between + 1, 1, MPI_BYTE, MPI_BOR, 0, w.comm);
       MPI_Bcast(w.between, 1, MPI_BYTE, 0, w.comm);
     }},
};

class Composed : public Candidate {
 public:
  Composed(const Parts& parts, Work&& work, std::size_t between)
      : parts_(parts), work_(std::move(work)), between_(between) {
    work_.between = between_.data();
  }
  void run() override { parts_.run(work_); }

 private:
  const Parts& parts_;
  Work work_;
  std::vector<char> between_;
};

}  // namespace

std::unique_ptr<Candidate> make_parts(const Job& job, const Plan& plan, Operation operation, const std::string& name,
                                      const Contents& contents, std::string* why) {
  for (const Parts& parts : known) {
    if (parts.operation != operation || name != parts.name) continue;
    const int64_t n = contents.count(), extent = contents.extent();
    if (n * job.size * extent > INT_MAX || (parts.shares && n % job.size != 0)) {
      *why = "not applicable to this number of ranks and size";
      return nullptr;
    }
    Work work{};
    work.from = contents.input();
    work.to = contents.data();
    work.n = int(n);
    work.share = int(n / job.size);
    work.type = contents.type();
    work.extent = int(extent);
    work.root = plan.root;
    work.rank = job.rank;
    work.size = job.size;
    work.comm = job.comm;
    work.each = equal_blocks(work.n, job.size);
    work.bytes = equal_blocks(int(n * extent), job.size);
    work.split = parts_of(work.n, job.size);
    work.of_root = {std::vector<int>(job.size, 0), std::vector<int>(job.size, 0)};
    work.of_root.counts[plan.root] = work.n;
    work.types.assign(job.size, work.type);
    return std::make_unique<Composed>(parts, std::move(work), std::size_t(n * job.size * extent) + job.size + 1);
  }
  return nullptr;
}

}  // namespace leadline::bench
