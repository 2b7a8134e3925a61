// An error handler that throws: the exception passes through MPI, and through whoever stands before it, to the program.
// thrown STEPS
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace {

int rank_, size_;

extern "C" void complain(MPI_Comm*, int* code, ...) {
  throw std::runtime_error("code " + std::to_string(*code != MPI_SUCCESS));
}

double step(int i, MPI_Comm comm) {
  double out = rank_ + i, in = 0;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_DOUBLE, (rank_ + size_ - 1) % size_, 1, comm, &request);
  MPI_Send(&out, 1, MPI_DOUBLE, (rank_ + 1) % size_, 1, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return in;
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 100;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(complain, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  double sum = 0;
  int caught = 0;
  for (int i = 0; i < steps; ++i) {
    sum += step(i, comm);
    if (i % 10 != 0) continue;
    try {
      MPI_Send(&sum, 1, MPI_DOUBLE, size_ + 5, 1, comm);
    } catch (const std::runtime_error& error) {
      ++caught;
    }
  }
  std::printf("rank %d: sum %.17g, caught %d\n", rank_, sum, caught);
  MPI_Comm_free(&comm);
  MPI_Finalize();
}
