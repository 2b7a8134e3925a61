/* Collectives that are not needed, are too many, or are made by hand. */
#include "suite.h"

CASE(barrier_each_step) { /* the exchange orders neighbours already */
  for (int step = 0; step < steps; ++step) {
    compute(40);
    swap_faces(out, 100);
    if (!mended) MPI_Barrier(COMM);
  }
}

CASE(barrier_before_sum) { /* the sum waits for all ranks anyway */
  for (int step = 0; step < steps; ++step) {
    compute(60);
    if (!mended) MPI_Barrier(COMM);
    sum();
  }
}

CASE(sums_in_a_row) {
  for (int step = 0; step < steps; ++step) {
    compute(40);
    if (mended) {
      MPI_Allreduce(out, in, 6, MPI_DOUBLE, MPI_SUM, COMM);
    } else {
      MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, COMM);
      MPI_Allreduce(out + 1, in + 1, 1, MPI_DOUBLE, MPI_SUM, COMM);
      MPI_Allreduce(out + 2, in + 2, 1, MPI_DOUBLE, MPI_SUM, COMM);
      MPI_Allreduce(out + 3, in + 3, 1, MPI_DOUBLE, MPI_SUM, COMM);
      MPI_Allreduce(out + 4, in + 4, 1, MPI_DOUBLE, MPI_SUM, COMM);
      MPI_Allreduce(out + 5, in + 5, 1, MPI_DOUBLE, MPI_SUM, COMM);
    }
  }
}

CASE(sums_in_a_loop) { /* an array is summed number by number */
  for (int step = 0; step < steps; ++step) {
    compute(200);
    if (mended)
      MPI_Allreduce(out, in, 40, MPI_DOUBLE, MPI_SUM, COMM);
    else
      for (int i = 0; i < 40; ++i) MPI_Allreduce(out + i, in + i, 1, MPI_DOUBLE, MPI_SUM, COMM);
  }
}

CASE(broadcasts_in_a_row) { /* parameters, each by itself */
  for (int step = 0; step < steps; ++step) {
    compute(40);
    if (mended) {
      MPI_Bcast(out, 6, MPI_DOUBLE, 0, COMM);
    } else {
      MPI_Bcast(out, 1, MPI_DOUBLE, 0, COMM);
      MPI_Bcast(out + 1, 1, MPI_DOUBLE, 0, COMM);
      MPI_Bcast(out + 2, 1, MPI_DOUBLE, 0, COMM);
      MPI_Bcast(out + 3, 1, MPI_DOUBLE, 0, COMM);
      MPI_Bcast(out + 4, 1, MPI_DOUBLE, 0, COMM);
      MPI_Bcast(out + 5, 1, MPI_DOUBLE, 0, COMM);
    }
    sum();
  }
}

CASE(checked_too_often) { /* convergence is looked at after each short iteration instead of each tenth */
  for (int step = 0; step < steps; ++step) {
    compute(2);
    if (!mended || step % 10 == 9) sum();
  }
}

CASE(own_broadcast) { /* the first rank sends to each of the others */
  for (int step = 0; step < steps; ++step) {
    compute(200);
    if (mended)
      MPI_Bcast(out, 2000, MPI_DOUBLE, 0, COMM);
    else if (rank)
      MPI_Recv(in, 2000, MPI_DOUBLE, 0, 1, COMM, NO_STATUS);
    else
      for (int r = 1; r < size; ++r) MPI_Send(out, 2000, MPI_DOUBLE, r, 1, COMM);
    sum();
  }
}

CASE(own_gather) { /* all send to the first rank */
  for (int step = 0; step < steps; ++step) {
    compute(200);
    if (mended)
      MPI_Gather(out, 2000, MPI_DOUBLE, in, 2000, MPI_DOUBLE, 0, COMM);
    else if (rank)
      MPI_Send(out, 2000, MPI_DOUBLE, 0, 1, COMM);
    else
      for (int r = 1; r < size; ++r) MPI_Recv(in + 2000 * r, 2000, MPI_DOUBLE, r, 1, COMM, NO_STATUS);
  }
}

CASE(own_scatter) {
  for (int step = 0; step < steps; ++step) {
    compute(200);
    if (mended)
      MPI_Scatter(out, 2000, MPI_DOUBLE, in, 2000, MPI_DOUBLE, 0, COMM);
    else if (rank)
      MPI_Recv(in, 2000, MPI_DOUBLE, 0, 1, COMM, NO_STATUS);
    else
      for (int r = 1; r < size; ++r) MPI_Send(out + 2000 * r, 2000, MPI_DOUBLE, r, 1, COMM);
    sum();
  }
}

CASE(own_allreduce) { /* to the first rank, and back from it */
  for (int step = 0; step < steps; ++step) {
    compute(100);
    if (mended) {
      MPI_Allreduce(out, in, 20, MPI_DOUBLE, MPI_SUM, COMM);
    } else if (rank) {
      MPI_Send(out, 20, MPI_DOUBLE, 0, 1, COMM);
      MPI_Recv(in, 20, MPI_DOUBLE, 0, 2, COMM, NO_STATUS);
    } else {
      for (int r = 1; r < size; ++r) MPI_Recv(in, 20, MPI_DOUBLE, r, 1, COMM, NO_STATUS);
      for (int r = 1; r < size; ++r) MPI_Send(out, 20, MPI_DOUBLE, r, 2, COMM);
    }
  }
}

CASE(own_alltoall) { /* to each rank in turn, beginning with rank 0: all wait for one */
  for (int step = 0; step < steps; ++step) {
    compute(300);
    if (mended) {
      MPI_Alltoall(out, 3000, MPI_DOUBLE, in, 3000, MPI_DOUBLE, COMM);
    } else {
      MPI_Request all[64];
      for (int r = 0; r < size; ++r) MPI_Irecv(in + 3000 * r, 3000, MPI_DOUBLE, r, 1, COMM, &all[r]);
      for (int r = 0; r < size; ++r) MPI_Send(out + 3000 * r, 3000, MPI_DOUBLE, r, 1, COMM);
      MPI_Waitall(size, all, NO_STATUSES);
    }
  }
}

CASE(own_allgather) { /* the same block to each rank */
  for (int step = 0; step < steps; ++step) {
    compute(300);
    if (mended) {
      MPI_Allgather(out, 1000, MPI_DOUBLE, in, 1000, MPI_DOUBLE, COMM);
    } else {
      MPI_Request all[128];
      int made = 0;
      for (int r = 0; r < size; ++r) {
        if (r == rank) continue;
        MPI_Irecv(in + 1000 * r, 1000, MPI_DOUBLE, r, 1, COMM, &all[made++]);
        MPI_Isend(out, 1000, MPI_DOUBLE, r, 1, COMM, &all[made++]);
      }
      MPI_Waitall(made, all, NO_STATUSES);
    }
  }
}

/* A block for each partner of the two counts; every rank calls it. */
OWN void swap_by_counts(int below_count, int above_count) {
  int counts[64] = {0}, places[64];
  if (rank) counts[rank - 1] = below_count;
  if (rank + 1 < size) counts[rank + 1] = above_count;
  for (int r = 0; r < size; ++r) places[r] = 1000 * r;
  MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, COMM);
  KEEP;
}

CASE(few_partners) { /* faces for neighbours in a row of ranks, by an all-to-all */
  for (int step = 0; step < steps; ++step) {
    compute(200);
    if (mended)
      swap_faces(out, 500);
    else
      swap_by_counts(500, 500);
    swap_faces(in, 100);
  }
}

CASE(idle_in_exchange) { /* the last rank has nothing to exchange, and comes late */
  MPI_Comm others;
  MPI_Comm_split(COMM, rank + 1 < size ? 0 : MPI_UNDEFINED, rank, &others);
  int counts[64] = {0}, places[64];
  for (int r = 0; r < size; ++r) places[r] = 1000 * r, counts[r] = r + 1 < size && rank + 1 < size ? 1000 : 0;
  for (int step = 0; step < steps; ++step) {
    compute(rank + 1 < size ? 100 : 180);
    if (!mended)
      MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, COMM);
    else if (rank + 1 < size)
      MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, others);
    compute(rank + 1 < size ? 180 : 100);
    sum();
  }
  if (rank + 1 < size) MPI_Comm_free(&others);
}

CASE(gather_of_everything) { /* rank 0 collects all fields in each step to compute one number */
  for (int step = 0; step < steps; ++step) {
    compute(300);
    if (mended) {
      sum();
    } else {
      MPI_Gather(out, 40000, MPI_DOUBLE, in, 40000, MPI_DOUBLE, 0, COMM);
      MPI_Bcast(&total, 1, MPI_DOUBLE, 0, COMM);
    }
  }
}

HEALTHY(healthy_transpose) { /* a transform in two directions */
  for (int step = 0; step < steps; ++step) {
    compute(900);
    MPI_Alltoall(out, 500, MPI_DOUBLE, in, 500, MPI_DOUBLE, COMM);
    compute(900);
    MPI_Alltoall(in, 500, MPI_DOUBLE, out, 500, MPI_DOUBLE, COMM);
  }
}

HEALTHY(healthy_redistribution) { /* parts of unlike lengths between all ranks */
  int counts[64], places[64];
  for (int r = 0; r < size; ++r) places[r] = 1000 * r, counts[r] = 100 + 10 * (r + rank) % 90;
  for (int step = 0; step < steps; ++step) {
    compute(1500);
    MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, COMM);
  }
}

HEALTHY(healthy_gradients) { /* conjugate gradients: the second sum needs the first one */
  for (int step = 0; step < steps; ++step) {
    swap_faces(out, 200);
    compute(900);
    sum();
    compute(700);
    part = total / 2;
    sum();
  }
}

HEALTHY(healthy_hidden_sum) {
  for (int step = 0; step < steps; ++step) {
    MPI_Request one;
    MPI_Iallreduce(&part, &total, 1, MPI_DOUBLE, MPI_SUM, COMM, &one);
    compute(1500);
    MPI_Wait(&one, NO_STATUS);
  }
}

HEALTHY(healthy_panels) { /* a panel from another rank in each step */
  for (int step = 0; step < steps; ++step) {
    MPI_Bcast(out, 500, MPI_DOUBLE, step % size, COMM);
    compute(1500);
  }
}

PROGRAM(IS(barrier_each_step), IS(barrier_before_sum), IS(sums_in_a_row), IS(sums_in_a_loop), IS(broadcasts_in_a_row),
        IS(checked_too_often), IS(own_broadcast), IS(own_gather), IS(own_scatter), IS(own_allreduce), IS(own_alltoall),
        IS(own_allgather), IS(few_partners), IS(idle_in_exchange), IS(gather_of_everything), IS(healthy_transpose),
        IS(healthy_gradients), IS(healthy_hidden_sum), IS(healthy_panels), IS(healthy_redistribution))
