// What the programs that look MPI up call: types that fit any library, as programs without its header have them.
#pragma once

typedef int (*any_function)();

struct looked_up {
  any_function init, rank, send, receive, barrier, finalize;
  long world, byte;  // handles
};

enum { messages = 7, message_bytes = 100, barriers = 3 };

// Rank 0 sends to rank 1.
static int exchange(const struct looked_up* mpi) {
  static char data[message_bytes], status[64];
  int rank = -1;
  mpi->init((void*)0, (void*)0);
  mpi->rank(mpi->world, &rank);
  for (int i = 0; i < messages; ++i) {
    if (rank == 0) mpi->send((void*)data, message_bytes, mpi->byte, 1, 5, mpi->world);
    if (rank == 1) mpi->receive((void*)data, message_bytes, mpi->byte, 0, 5, mpi->world, (void*)status);
  }
  for (int i = 0; i < barriers; ++i) mpi->barrier(mpi->world);
  mpi->finalize();
  return 0;
}
