/* One-sided operations whose completion the order of the calls tells, in every kind of epoch: a ring of ranks.
   tests/interchange/test_otf2_one_sided.py has the list. */
#include <mpi.h>

static double out[8], memory[64];

int main(int argc, char** argv) {
  int rank, size;
  MPI_Win win;
  MPI_Group all, sources, targets;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &left, &sources);
  MPI_Group_incl(all, 1, &right, &targets);

  MPI_Win_fence(0, win);
  MPI_Put(out, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win); /* 0 */
  MPI_Win_fence(0, win);

  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
  MPI_Put(out, 1, MPI_DOUBLE, right, 1, 1, MPI_DOUBLE, win); /* 1 */
  MPI_Get(out, 1, MPI_DOUBLE, right, 9, 1, MPI_DOUBLE, win); /* 2 */
  MPI_Win_flush_local(right, win);
  MPI_Put(out, 1, MPI_DOUBLE, right, 2, 1, MPI_DOUBLE, win); /* 3 */
  MPI_Win_flush(right, win);
  MPI_Put(out, 1, MPI_DOUBLE, right, 3, 1, MPI_DOUBLE, win); /* 4 */
  MPI_Win_unlock(right, win);

  MPI_Win_lock_all(0, win);
  MPI_Put(out, 1, MPI_DOUBLE, right, 4, 1, MPI_DOUBLE, win);                 /* 5 */
  MPI_Accumulate(out, 1, MPI_DOUBLE, left, 20, 1, MPI_DOUBLE, MPI_SUM, win); /* 6 */
  MPI_Put(out, 1, MPI_DOUBLE, MPI_PROC_NULL, 4, 1, MPI_DOUBLE, win);         /* none */
  MPI_Win_flush(right, win);
  MPI_Win_flush_local_all(win);
  MPI_Win_flush_all(win);
  MPI_Rput(out, 1, MPI_DOUBLE, right, 5, 1, MPI_DOUBLE, win, &request); /* 7 */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(win);

  MPI_Win_post(sources, 0, win);
  MPI_Win_start(targets, 0, win);
  MPI_Put(out, 1, MPI_DOUBLE, right, 6, 1, MPI_DOUBLE, win); /* 8 */
  MPI_Win_complete(win);
  MPI_Win_wait(win);

  MPI_Group_free(&all);
  MPI_Group_free(&sources);
  MPI_Group_free(&targets);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
