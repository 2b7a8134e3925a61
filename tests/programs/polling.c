// Asks in vain, in any order: polling MESSAGES MEAN [LAST]. For each message to itself the rank makes polls of five
// kinds before it is sent: none in every third case, else up to 3 * MEAN. Prints how many of each kind failed. With
// LAST, kills itself after that many more polls.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { test, testany, testsome, testall, iprobe, kinds };
static const char* const names[kinds] = {"MPI_Test", "MPI_Testany", "MPI_Testsome", "MPI_Testall", "MPI_Iprobe"};
static long failed[kinds];
static unsigned long long state = 88172645463325252ull;

static unsigned long long random_number(void) {
  state ^= state << 13, state ^= state >> 7;
  return state ^= state << 17;
}

// Another message's tag is probed for, so that nothing is ever found.
static int poll(int kind, MPI_Request* request) {
  int flag = 0, index = 0, done = 0;
  switch (kind) {
    case test:
      MPI_Test(request, &flag, MPI_STATUS_IGNORE);
      break;
    case testany:
      MPI_Testany(1, request, &index, &flag, MPI_STATUS_IGNORE);
      break;
    case testsome:
      MPI_Testsome(1, request, &done, &index, MPI_STATUSES_IGNORE);
      flag = done > 0;
      break;
    case testall:
      MPI_Testall(1, request, &flag, MPI_STATUSES_IGNORE);
      break;
    default:
      MPI_Iprobe(0, 99, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  }
  failed[kind] += !flag;
  return flag;
}

static void polls(unsigned long long n, MPI_Request* request) {
  for (; n > 0; --n) poll((int)(random_number() % kinds), request);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long messages = argc > 1 ? atol(argv[1]) : 1000;
  const unsigned long long mean = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
  long in = 0, sum = 0;
  for (long out = 1; out <= messages; ++out) {
    MPI_Request received, sent;
    MPI_Irecv(&in, 1, MPI_LONG, 0, 1, MPI_COMM_SELF, &received);
    polls(random_number() % 3 ? random_number() % (3 * mean) : 0, &received);
    MPI_Isend(&out, 1, MPI_LONG, 0, 1, MPI_COMM_SELF, &sent);
    while (!poll(test, &received)) continue;
    sum += in;
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
  }
  if (argc > 3) {
    MPI_Request never;
    MPI_Irecv(&in, 1, MPI_LONG, 0, 2, MPI_COMM_SELF, &never);
    polls(strtoull(argv[3], NULL, 10), &never);
    raise(SIGKILL);
  }
  for (int kind = 0; kind < kinds; ++kind) printf("%s %ld\n", names[kind], failed[kind]);
  MPI_Finalize();
  return sum == messages * (messages + 1) / 2 ? 0 : 1;
}
