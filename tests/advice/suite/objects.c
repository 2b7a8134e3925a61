/* Objects that every step creates. */
#include "suite.h"

CASE(communicator_each_step) {
  MPI_Comm kept;
  MPI_Comm_dup(COMM, &kept);
  for (int step = 0; step < steps; ++step) {
    MPI_Comm one = kept;
    compute(100);
    if (!mended) MPI_Comm_dup(COMM, &one);
    MPI_Allreduce(&part, &total, 1, MPI_DOUBLE, MPI_SUM, one);
    if (!mended) MPI_Comm_free(&one);
  }
  MPI_Comm_free(&kept);
}

CASE(split_each_step) { /* the same halves every time */
  MPI_Comm kept;
  MPI_Comm_split(COMM, rank % 2, rank, &kept);
  for (int step = 0; step < steps; ++step) {
    MPI_Comm half = kept;
    compute(100);
    if (!mended) MPI_Comm_split(COMM, rank % 2, rank, &half);
    MPI_Allreduce(&part, &total, 1, MPI_DOUBLE, MPI_SUM, half);
    if (!mended) MPI_Comm_free(&half);
    sum();
  }
  MPI_Comm_free(&kept);
}

CASE(window_each_step) {
  MPI_Win kept, window;
  MPI_Win_create(in, sizeof in, sizeof *in, MPI_INFO_NULL, COMM, &kept);
  for (int step = 0; step < steps; ++step) {
    compute(200);
    window = kept;
    if (!mended) MPI_Win_create(in, sizeof in, sizeof *in, MPI_INFO_NULL, COMM, &window);
    MPI_Win_fence(0, window);
    MPI_Put(out, 100, MPI_DOUBLE, right, 0, 100, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    if (!mended) MPI_Win_free(&window);
  }
  MPI_Win_free(&kept);
}

static MPI_Datatype irregular(void) {
  static int lengths[8000], places[8000];
  MPI_Datatype made;
  for (int i = 0; i < 8000; ++i) lengths[i] = 1 + i % 3, places[i] = 5 * i;
  MPI_Type_indexed(8000, lengths, places, MPI_DOUBLE, &made);
  MPI_Type_commit(&made);
  return made;
}

CASE(datatype_each_step) { /* with 8,000 blocks */
  MPI_Datatype kept = irregular();
  for (int step = 0; step < steps; ++step) {
    MPI_Datatype one = kept;
    compute(100);
    if (!mended) one = irregular();
    MPI_Sendrecv(out, 1, one, right, 1, in, MOST, MPI_DOUBLE, left, 1, COMM, NO_STATUS);
    if (!mended) MPI_Type_free(&one);
  }
  MPI_Type_free(&kept);
}

PROGRAM(IS(communicator_each_step), IS(split_each_step), IS(window_each_step), IS(datatype_each_step))
