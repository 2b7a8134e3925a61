#include "kit/program.hpp"

#include <mpi.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <string_view>
#include <thread>

namespace kit {
namespace {

// Launchers drop the output that they have not passed on when a job is aborted: this one must have read it, for which
// it is given ten seconds at most, and then have had the time to pass it on.
void let_last_words_be_forwarded() {
  constexpr std::chrono::milliseconds a_look{10}, passing_on{300};
  int unread = 0;
  for (int looks = 0; looks < 1000; ++looks) {
    if (ioctl(STDERR_FILENO, FIONREAD, &unread) != 0 || unread == 0) break;
    std::this_thread::sleep_for(a_look);
  }
  std::this_thread::sleep_for(passing_on);
}

bool asks_for_help(int argc, char** argv) {
  for (int n = 1; n < argc; ++n) {
    if (std::string_view(argv[n]) == "--help") return true;
  }
  return false;
}

int run_body(const Program& program, const Session& session, int argc, char** argv) {
  if (asks_for_help(argc, argv)) {
    if (session.rank == 0) std::fputs(program.usage, stdout);
    return 0;
  }
  try {
    return program.body(session, argc, argv);
  } catch (const UsageError& error) {
    if (session.rank == 0) std::fprintf(stderr, "%s: %s\n", program.name, error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: rank %d: %s\n", program.name, session.rank, error.what());
    let_last_words_be_forwarded();
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  if (program.has_threads) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  } else {
    MPI_Init(&argc, &argv);
  }
  Session session{};
  MPI_Comm_rank(MPI_COMM_WORLD, &session.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &session.ranks);
  const int code = run_body(program, session, argc, argv);
  MPI_Finalize();
  return code;
}

}  // namespace kit
