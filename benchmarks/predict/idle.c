/* Ranks that wait for messages sleep instead of polling, where their library yields (Open MPI: mpi_yield_when_idle), so
   that few cores carry many of them. */
#include <sched.h>
#include <time.h>

int sched_yield(void) {
  const struct timespec nap = {0, 300000};
  return nanosleep(&nap, 0);
}
