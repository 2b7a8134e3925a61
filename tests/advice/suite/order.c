/* The order in which ranks send, receive and compute. */
#include "suite.h"

#define LARGE 40000 /* numbers: sent when the receive is there */

CASE(send_chain) { /* large sends first, in a row of ranks: each waits for the next one to receive */
  for (int step = 0; step < steps; ++step) {
    compute(300);
    if (mended) {
      MPI_Sendrecv(out, LARGE, MPI_DOUBLE, above, 1, in, LARGE, MPI_DOUBLE, below, 1, COMM, NO_STATUS);
    } else {
      MPI_Send(out, LARGE, MPI_DOUBLE, above, 1, COMM);
      MPI_Recv(in, LARGE, MPI_DOUBLE, below, 1, COMM, NO_STATUS);
    }
  }
}

CASE(receive_chain) { /* each rank receives before it sends, though what it sends does not depend on that */
  for (int step = 0; step < steps; ++step) {
    if (mended) {
      MPI_Request one;
      MPI_Irecv(in, 1000, MPI_DOUBLE, below, 1, COMM, &one);
      compute(400);
      MPI_Send(out, 1000, MPI_DOUBLE, above, 1, COMM);
      MPI_Wait(&one, NO_STATUS);
    } else {
      MPI_Recv(in, 1000, MPI_DOUBLE, below, 1, COMM, NO_STATUS);
      compute(400);
      MPI_Send(out, 1000, MPI_DOUBLE, above, 1, COMM);
    }
    sum();
  }
}

CASE(synchronous_sends) { /* the sender waits until its partner, which still computes, receives */
  for (int step = 0; step < steps; ++step) {
    int sends = rank % 2 == step % 2;
    int partner = rank ^ 1;
    compute(sends ? 300 : 900);
    if (partner >= size) continue;
    if (!sends)
      MPI_Recv(in, 10, MPI_DOUBLE, partner, 1, COMM, NO_STATUS);
    else if (mended)
      MPI_Send(out, 10, MPI_DOUBLE, partner, 1, COMM);
    else
      MPI_Ssend(out, 10, MPI_DOUBLE, partner, 1, COMM);
  }
}

CASE(late_receive) { /* a large message is sent early, and its receive is posted only after computation */
  for (int step = 0; step < steps; ++step) {
    MPI_Request all[2];
    if (mended) MPI_Irecv(in, LARGE, MPI_DOUBLE, left, 1, COMM, &all[0]);
    compute(rank % 2 ? 900 : 200);
    if (rank % 2 == 0) {
      MPI_Send(out, LARGE, MPI_DOUBLE, right, 1, COMM);
      compute(700);
      if (mended)
        MPI_Wait(&all[0], NO_STATUS);
      else
        MPI_Recv(in, LARGE, MPI_DOUBLE, left, 1, COMM, NO_STATUS);
    } else {
      if (mended)
        MPI_Wait(&all[0], NO_STATUS);
      else
        MPI_Recv(in, LARGE, MPI_DOUBLE, left, 1, COMM, NO_STATUS);
      MPI_Send(out, LARGE, MPI_DOUBLE, right, 1, COMM);
    }
  }
}

CASE(late_sender) { /* in each step, the first rank writes before it sends; mended, in each 25th */
  char name[64];
  sprintf(name, "late-sender-%d.dat", mended);
  int file = rank ? -1 : open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  for (int step = 0; step < steps; ++step) {
    compute(400);
    if (!rank && (!mended || step % 25 == 0))
      for (int i = 0; i < 40; ++i) pwrite(file, out, sizeof out / 16, 0);
    if (rank)
      MPI_Recv(in, 500, MPI_DOUBLE, 0, 1, COMM, NO_STATUS);
    else
      for (int r = 1; r < size; ++r) MPI_Send(out, 500, MPI_DOUBLE, r, 1, COMM);
    sum();
  }
  if (!rank) close(file), unlink(name);
}

CASE(polling) { /* looks for a message that comes once in fifty steps again and again instead of once a step */
  int got = 0;
  for (int step = 0; step < steps; ++step) {
    int there = 0;
    compute(200);
    if (step % 50 == 49 && !rank)
      for (int r = 1; r < size; ++r) MPI_Send(out, 10, MPI_DOUBLE, r, 1, COMM);
    for (int i = 0; i < (mended ? 1 : 1000) && !there; ++i) MPI_Iprobe(0, 1, COMM, &there, NO_STATUS);
    if (there) MPI_Recv(in, 10, MPI_DOUBLE, 0, 1, COMM, NO_STATUS);
    got += there;
    sum();
  }
  for (; rank && got < steps / 50; ++got) MPI_Recv(in, 10, MPI_DOUBLE, 0, 1, COMM, NO_STATUS);
}

CASE(tiny_tasks) { /* the manager hands out tasks that take less than their messages do; ten at a time are mended */
  int bunch = mended ? 10 : 1;
  if (!rank) {
    for (int left_to_do = steps * (size - 1), here = size - 1; here;) {
      MPI_Status status;
      int task = left_to_do > 0 ? 1 : 0;
      MPI_Recv(in, 10, MPI_DOUBLE, MPI_ANY_SOURCE, 1, COMM, &status);
      MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 2, COMM);
      left_to_do -= bunch;
      here -= !task;
    }
  } else {
    for (;;) {
      int task;
      MPI_Send(out, 10, MPI_DOUBLE, 0, 1, COMM);
      MPI_Recv(&task, 1, MPI_INT, 0, 2, COMM, NO_STATUS);
      if (!task) break;
      for (int i = 0; i < bunch * 300; ++i) out[i % 100] += 1e-9 * i;
    }
  }
}

HEALTHY(healthy_tasks) { /* the same with tasks that take long */
  if (!rank) {
    for (int left_to_do = steps, here = size - 1; here;) {
      MPI_Status status;
      int task = left_to_do-- > 0;
      MPI_Recv(in, 10, MPI_DOUBLE, MPI_ANY_SOURCE, 1, COMM, &status);
      MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 2, COMM);
      here -= !task;
    }
  } else {
    for (;;) {
      int task;
      MPI_Send(out, 10, MPI_DOUBLE, 0, 1, COMM);
      MPI_Recv(&task, 1, MPI_INT, 0, 2, COMM, NO_STATUS);
      if (!task) break;
      compute(2000);
    }
  }
}

HEALTHY(healthy_sweep) { /* a wavefront over many planes: each plane needs the rank below; the pipeline is full */
  for (int step = 0; step < steps; ++step) {
    for (int plane = 0; plane < 20; ++plane) {
      MPI_Recv(in, 50, MPI_DOUBLE, below, 1, COMM, NO_STATUS);
      compute(200);
      MPI_Send(out, 50, MPI_DOUBLE, above, 1, COMM);
    }
  }
}

HEALTHY(healthy_even_odd) { /* even ranks send first, odd ones receive first */
  for (int step = 0; step < steps; ++step) {
    compute(1500);
    for (int way = 0; way < 2; ++way) {
      int partner = (rank + way) % 2 ? below : above;
      if (rank % 2) {
        MPI_Recv(in, 500, MPI_DOUBLE, partner, 1, COMM, NO_STATUS);
        MPI_Send(out, 500, MPI_DOUBLE, partner, 1, COMM);
      } else {
        MPI_Send(out, 500, MPI_DOUBLE, partner, 1, COMM);
        MPI_Recv(in, 500, MPI_DOUBLE, partner, 1, COMM, NO_STATUS);
      }
    }
  }
}

PROGRAM(IS(send_chain), IS(receive_chain), IS(synchronous_sends), IS(late_receive), IS(late_sender), IS(polling),
        IS(tiny_tasks), IS(healthy_tasks), IS(healthy_sweep), IS(healthy_even_odd))
