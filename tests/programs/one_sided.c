// One-sided communication of every kind around a ring of ranks, or gets alone.  one_sided all|gets
// Every operation and byte is known by construction: tests/recorder/test_one_sided.py has the table.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { room = 64 };

static int rank, size, right;
static double out[room], in[room], memory[room];

static void gets_alone(void) {
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 100; ++i) {
    MPI_Get(in, 12, MPI_DOUBLE, right, 4, 12, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
  }
  MPI_Win_free(&win);
}

static void plain(MPI_Win win) {
  MPI_Win_fence(0, win);
  MPI_Put(out, 10, MPI_DOUBLE, right, 0, 10, MPI_DOUBLE, win);
  MPI_Get(in, 3, MPI_DOUBLE, right, 16, 3, MPI_DOUBLE, win);
  MPI_Accumulate(out, 5, MPI_DOUBLE, right, 20, 5, MPI_DOUBLE, MPI_SUM, win);
  MPI_Put(out, 7, MPI_DOUBLE, MPI_PROC_NULL, 0, 7, MPI_DOUBLE, win);
  MPI_Put(out, 0, MPI_DOUBLE, right, 0, 0, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
}

static void with_requests(MPI_Win win) {
  MPI_Request requests[4];
  MPI_Win_lock_all(0, win);
  MPI_Rput(out, 2, MPI_DOUBLE, right, 0, 2, MPI_DOUBLE, win, &requests[0]);
  MPI_Rget(in, 4, MPI_DOUBLE, right, 8, 4, MPI_DOUBLE, win, &requests[1]);
  MPI_Raccumulate(out, 6, MPI_DOUBLE, right, 16, 6, MPI_DOUBLE, MPI_SUM, win, &requests[2]);
  MPI_Rget_accumulate(out, 1, MPI_DOUBLE, in + 8, 1, MPI_DOUBLE, right, 32, 1, MPI_DOUBLE, MPI_SUM, win, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Rput(out, 0, MPI_DOUBLE, MPI_PROC_NULL, 0, 0, MPI_DOUBLE, win, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(win);
}

// Nothing is put by MPI_NO_OP.
static void atomics(MPI_Win win) {
  double one = 1, result = 0, values[8];
  long compared = 0, value = 1, found = 0;
  MPI_Win_lock_all(0, win);
  MPI_Get_accumulate(out, 8, MPI_DOUBLE, values, 8, MPI_DOUBLE, right, 40, 8, MPI_DOUBLE, MPI_SUM, win);
  MPI_Get_accumulate(out, 0, MPI_DOUBLE, values, 8, MPI_DOUBLE, right, 40, 8, MPI_DOUBLE, MPI_NO_OP, win);
  MPI_Fetch_and_op(&one, &result, MPI_DOUBLE, right, 50, MPI_SUM, win);
  MPI_Fetch_and_op(&one, &result, MPI_DOUBLE, right, 50, MPI_NO_OP, win);
  MPI_Compare_and_swap(&value, &compared, &found, MPI_LONG, right, 60, win);
  MPI_Win_unlock_all(win);
}

static void failing(MPI_Win win) {
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win);
  if (MPI_Put(out, 9, MPI_DOUBLE, size + 7, 0, 9, MPI_DOUBLE, win) == MPI_SUCCESS) printf("rank %d: no error\n", rank);
  MPI_Win_fence(0, win);
}

// Its rank 0 is the last of MPI_COMM_WORLD.
static void over_reversed_ranks(void) {
  MPI_Comm reversed;
  MPI_Win win;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, reversed, &win);
  MPI_Win_fence(0, win);
  MPI_Put(out, 11, MPI_DOUBLE, 0, 0, 11, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Comm_free(&reversed);
}

static void dynamic(void) {
  MPI_Win win;
  MPI_Aint address, there;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, memory, sizeof memory);
  MPI_Get_address(memory, &address);
  MPI_Sendrecv(&address, 1, MPI_AINT, (rank + size - 1) % size, 1, &there, 1, MPI_AINT, right, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Win_fence(0, win);
  MPI_Put(out, 13, MPI_DOUBLE, right, there, 13, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  MPI_Win_detach(win, memory);
  MPI_Win_free(&win);
}

static void shared(void) {
  MPI_Win win;
  double* mine;
  MPI_Win_allocate_shared(sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_fence(0, win);
  *mine = rank;
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

#ifdef LARGE_COUNTS
static void large_counts(MPI_Win win) {
  MPI_Win_fence(0, win);
  MPI_Put_c(out, 17, MPI_DOUBLE, right, 0, 17, MPI_DOUBLE, win);
  MPI_Get_c(in, 19, MPI_DOUBLE, right, 32, 19, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  if (argc > 1 && strcmp(argv[1], "gets") == 0) {
    gets_alone();
  } else {
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    plain(win);
    with_requests(win);
    atomics(win);
    failing(win);
#ifdef LARGE_COUNTS
    large_counts(win);
#endif
    MPI_Win_free(&win);
    over_reversed_ranks();
    dynamic();
    shared();
  }
  printf("rank %d: done\n", rank);
  MPI_Finalize();
  return 0;
}
