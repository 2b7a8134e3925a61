// MPI's retired C++ bindings, as Open MPI 4 has them: its libmpi_cxx calls MPI in a constructor.
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  MPI::Init(argc, argv);
  const int rank = MPI::COMM_WORLD.Get_rank();
  double mine = rank, sum = 0;
  for (int step = 0; step < 5; ++step) MPI::COMM_WORLD.Allreduce(&mine, &sum, 1, MPI::DOUBLE, MPI::SUM);
  MPI::Intracomm copy = MPI::COMM_WORLD.Dup();
  copy.Barrier();
  copy.Free();
  if (rank == 0) std::printf("sum %g\n", sum);
  MPI::Finalize();
}
