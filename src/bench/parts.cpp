#include "bench/parts.hpp"

#include <climits>
#include <cstring>
#include <vector>

namespace leadline::bench {

namespace {

using collectives::Operation;

// What the operations work with. n: elements of a block; share: a p-th of them.
struct Work {
  const char* from;
  char *to, *between;  // between: as long as the blocks of all ranks
  int n, share;
  MPI_Datatype type;
  std::size_t extent;
  int root, rank, size;
  MPI_Comm comm;

  int all() const { return n * size; }
  void take_own(const char* blocks) const { std::memcpy(to, blocks + rank * n * extent, n * extent); }
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
    {Operation::reduce, "allreduce", false,
     [](const Work& w) { MPI_Allreduce(w.from, w.rank == w.root ? w.to : w.between, w.n, w.type, MPI_SUM, w.comm); }},
    {Operation::reduce, "reduce_scatter_block+gather", true,
     [](const Work& w) {
       MPI_Reduce_scatter_block(w.from, w.between, w.share, w.type, MPI_SUM, w.comm);
       MPI_Gather(w.between, w.share, w.type, w.to, w.share, w.type, w.root, w.comm);
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
    {Operation::gather, "allgather", false,
     [](const Work& w) {
       MPI_Allgather(w.from, w.n, w.type, w.rank == w.root ? w.to : w.between, w.n, w.type, w.comm);
     }},
    {Operation::gatherv, "gather", false,
     [](const Work& w) { MPI_Gather(w.from, w.n, w.type, w.to, w.n, w.type, w.root, w.comm); }},
    {Operation::allgather, "gather+bcast", false,
     [](const Work& w) {
       MPI_Gather(w.from, w.n, w.type, w.to, w.n, w.type, 0, w.comm);
       MPI_Bcast(w.to, w.all(), w.type, 0, w.comm);
     }},
    {Operation::allgatherv, "allgather", false,
     [](const Work& w) { MPI_Allgather(w.from, w.n, w.type, w.to, w.n, w.type, w.comm); }},
    {Operation::alltoallv, "alltoall", false,
     [](const Work& w) { MPI_Alltoall(w.from, w.n, w.type, w.to, w.n, w.type, w.comm); }},
    {Operation::scatter, "bcast", false,
     [](const Work& w) {
       char* const blocks = w.rank == w.root ? const_cast<char*>(w.from) : w.between;
       MPI_Bcast(blocks, w.all(), w.type, w.root, w.comm);
       w.take_own(blocks);
     }},
    {Operation::scatterv, "scatter", false,
     [](const Work& w) { MPI_Scatter(w.from, w.n, w.type, w.to, w.n, w.type, w.root, w.comm); }},
    {Operation::scan, "exscan+reduce_local", false,
     [](const Work& w) {
       MPI_Exscan(w.from, w.between, w.n, w.type, MPI_SUM, w.comm);
       std::memcpy(w.to, w.from, w.n * w.extent);
       if (w.rank > 0) MPI_Reduce_local(w.between, w.to, w.n, w.type, MPI_SUM);
     }},
    {Operation::barrier, "allreduce", false,
     [](const Work& w) { MPI_Allreduce(w.between, w.between + 1, 1, MPI_BYTE, MPI_BOR, w.comm); }},
};

class Composed : public Candidate {
 public:
  Composed(const Parts& parts, Work work, std::size_t between) : parts_(parts), work_(work), between_(between) {
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
    const int64_t n = contents.count();
    if (n * job.size > INT_MAX || (parts.shares && n % job.size != 0)) {
      *why = "not applicable to this number of ranks and size";
      return nullptr;
    }
    const Work work{contents.input(),
                    contents.data(),
                    nullptr,
                    int(n),
                    int(n / job.size),
                    contents.type(),
                    std::size_t(contents.extent()),
                    plan.root,
                    job.rank,
                    job.size,
                    job.comm};
    return std::make_unique<Composed>(parts, work, std::size_t(n * job.size * contents.extent()) + 2);
  }
  return nullptr;
}

}  // namespace leadline::bench
