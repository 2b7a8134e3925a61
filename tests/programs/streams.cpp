// Steps of one reduction; every tenth one writes a file by a stream that is closed through its table of functions, so
// that one instruction leads to several calls of libc.
// streams STEPS
#include <mpi.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

namespace {

[[gnu::noinline]] std::ostream* opened(int rank) { return new std::ofstream("stream." + std::to_string(rank)); }

[[gnu::noinline]] void closed(std::ostream* stream) {
  delete stream;
  asm volatile("");  // not by a jump
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 40;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double sum = 0;
  for (int step = 1; step <= steps; ++step) {
    double own = step;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (step % 10) continue;
    std::ostream* const stream = opened(rank);
    *stream << step << ' ' << sum << '\n';
    closed(stream);
  }
  MPI_Finalize();
  return sum > 0 ? 0 : 1;
}
