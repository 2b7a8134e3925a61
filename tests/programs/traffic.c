// Traffic known by construction, in C; the same source is compiled as C++ too. traffic.F90 and traffic.py make the same
// calls in Fortran and Python. How often each function is called is the table in tests/recorder/traffic_table.py,
// section by section: change both together.  traffic ROUNDS DIRECTORY
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { length = 8, max_size = 16, room = length * max_size };

static const MPI_Comm world = MPI_COMM_WORLD;
static int rank, size, left, right;
static double out[room], in[room], result[room], check;
static char attached[4096];

static void add_up(const double* values, int count) {
  for (int i = 0; i < count; ++i) check += values[i];
}

static void fill(double value) {
  for (int i = 0; i < room; ++i) {
    out[i] = value + rank + i;
    in[i] = result[i] = 0;
  }
}

static void receive(int tag, MPI_Request* request) { MPI_Irecv(in, length, MPI_DOUBLE, left, tag, world, request); }

static void modes(void) {
  MPI_Request pair[2];
  MPI_Status statuses[2];
  void* buffer;
  int bytes;
  fill(1);
  for (int i = 0; i < 10; ++i) {
    receive(i, pair);
    MPI_Send(out, length, MPI_DOUBLE, right, i, world);
    MPI_Wait(pair, MPI_STATUS_IGNORE);
  }
  receive(10, pair);
  MPI_Ssend(out, length, MPI_DOUBLE, right, 10, world);
  MPI_Wait(pair, statuses);
  MPI_Buffer_attach(attached, sizeof attached);
  receive(11, pair);
  MPI_Bsend(out, length, MPI_DOUBLE, right, 11, world);
  MPI_Wait(pair, MPI_STATUS_IGNORE);
  receive(12, pair);
  MPI_Ibsend(out, length, MPI_DOUBLE, right, 12, world, pair + 1);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  MPI_Buffer_detach(&buffer, &bytes);
  receive(13, pair);
  MPI_Barrier(world);
  MPI_Rsend(out, length, MPI_DOUBLE, right, 13, world);
  MPI_Wait(pair, MPI_STATUS_IGNORE);
  receive(14, pair);
  MPI_Barrier(world);
  MPI_Irsend(out, length, MPI_DOUBLE, right, 14, world, pair + 1);
  MPI_Waitall(2, pair, statuses);
  receive(15, pair);
  MPI_Issend(out, length, MPI_DOUBLE, right, 15, world, pair + 1);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  MPI_Isend(out, length, MPI_DOUBLE, right, 16, world, pair);
  MPI_Recv(in, length, MPI_DOUBLE, left, 16, world, MPI_STATUS_IGNORE);
  MPI_Wait(pair, MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; ++i)
    MPI_Sendrecv(out, length, MPI_DOUBLE, right, 17, in, length, MPI_DOUBLE, left, 17, world, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; ++i) MPI_Sendrecv_replace(in, length, MPI_DOUBLE, right, 18, left, 18, world, statuses);
  add_up(in, length);
}

static void nobody(void) {
  MPI_Request pair[2];
  for (int i = 0; i < 4; ++i) {
    MPI_Send(out, length, MPI_DOUBLE, MPI_PROC_NULL, i, world);
    MPI_Recv(in, length, MPI_DOUBLE, MPI_PROC_NULL, i, world, MPI_STATUS_IGNORE);
  }
  MPI_Sendrecv(out, 1, MPI_DOUBLE, MPI_PROC_NULL, 1, in, 1, MPI_DOUBLE, MPI_PROC_NULL, 1, world, MPI_STATUS_IGNORE);
  MPI_Irecv(in, length, MPI_DOUBLE, MPI_PROC_NULL, 1, world, pair);
  MPI_Isend(out, length, MPI_DOUBLE, MPI_PROC_NULL, 1, world, pair + 1);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  // As many calls as the rank says: ranks differ.
  for (int i = 0; i < rank; ++i)
    MPI_Sendrecv(out, 1, MPI_DOUBLE, 0, 2, in, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void persistent(void) {
  MPI_Request pair[2];
  fill(2);
  MPI_Recv_init(in, length, MPI_DOUBLE, left, 1, world, pair);
  MPI_Send_init(out, length, MPI_DOUBLE, right, 1, world, pair + 1);
  for (int i = 0; i < 5; ++i) {
    MPI_Startall(2, pair);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 3; ++i) {
    MPI_Start(pair);
    MPI_Start(pair + 1);
    MPI_Wait(pair, MPI_STATUS_IGNORE);
    MPI_Wait(pair + 1, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(pair);
  MPI_Request_free(pair + 1);
  MPI_Recv_init(in, length, MPI_DOUBLE, left, 2, world, pair);
  MPI_Ssend_init(out, length, MPI_DOUBLE, right, 2, world, pair + 1);
  MPI_Startall(2, pair);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  MPI_Request_free(pair);
  MPI_Request_free(pair + 1);
  MPI_Bsend_init(out, length, MPI_DOUBLE, MPI_PROC_NULL, 3, world, pair);
  MPI_Rsend_init(out, length, MPI_DOUBLE, MPI_PROC_NULL, 3, world, pair + 1);
  for (int i = 0; i < 2; ++i) {
    MPI_Start(pair + i);
    MPI_Wait(pair + i, MPI_STATUS_IGNORE);
    MPI_Request_free(pair + i);
  }
  add_up(in, length);
}

static void probes(void) {
  MPI_Status status;
  MPI_Message message;
  MPI_Request pair[2];
  int flag, count;
  fill(3);
  for (int i = 0; i < 5; ++i) MPI_Iprobe(left, 999, world, &flag, MPI_STATUS_IGNORE);
  MPI_Iprobe(MPI_PROC_NULL, 999, world, &flag, &status);
  MPI_Isend(out, 3, MPI_DOUBLE, right, 20, world, pair);
  MPI_Probe(left, 20, world, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  MPI_Recv(in, count, MPI_DOUBLE, left, 20, world, MPI_STATUS_IGNORE);
  MPI_Wait(pair, MPI_STATUS_IGNORE);
  MPI_Isend(out, 5, MPI_DOUBLE, right, 21, world, pair);
  MPI_Mprobe(left, 21, world, &message, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  MPI_Mrecv(in, count, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  MPI_Wait(pair, MPI_STATUS_IGNORE);
  MPI_Isend(out, 6, MPI_DOUBLE, right, 22, world, pair);
  MPI_Mprobe(MPI_ANY_SOURCE, 22, world, &message, &status);
  MPI_Imrecv(in, length, MPI_DOUBLE, &message, pair + 1);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 3; ++i) MPI_Improbe(left, 998, world, &flag, &message, &status);
  MPI_Improbe(MPI_PROC_NULL, 998, world, &flag, &message, &status);
  MPI_Mrecv(in + length, 0, MPI_DOUBLE, &message, &status);
  add_up(in, length);
}

static void completions(void) {
  MPI_Request pair[2];
  MPI_Status status, statuses[2];
  int flag, index, done, indices[2];
  fill(4);
  MPI_Irecv(in, length, MPI_DOUBLE, left, 30, world, pair);
  MPI_Irecv(result, length, MPI_DOUBLE, left, 31, world, pair + 1);
  for (int i = 0; i < 7; ++i) MPI_Test(pair, &flag, MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; ++i) MPI_Testall(2, pair, &flag, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 2; ++i) MPI_Testany(2, pair, &index, &flag, &status);
  for (int i = 0; i < 2; ++i) MPI_Testsome(2, pair, &done, indices, statuses);
  for (int i = 0; i < 2; ++i) MPI_Request_get_status(pair[0], &flag, &status);
  MPI_Barrier(world);  // only now does anybody send
  MPI_Send(out, length, MPI_DOUBLE, right, 30, world);
  MPI_Send(out, length, MPI_DOUBLE, right, 31, world);
  for (int i = 0; i < 2; ++i) MPI_Waitany(2, pair, &index, i ? &status : MPI_STATUS_IGNORE);
  add_up(result, length);
  receive(32, pair);
  MPI_Send(out, length, MPI_DOUBLE, right, 32, world);
  MPI_Waitsome(1, pair, &done, indices, statuses);
  receive(33, pair);
  MPI_Isend(out, length, MPI_DOUBLE, right, 33, world, pair + 1);
  MPI_Wait(pair + 1, MPI_STATUS_IGNORE);
  MPI_Wait(pair, MPI_STATUS_IGNORE);
  MPI_Test(pair, &flag, MPI_STATUS_IGNORE);
  MPI_Irecv(in, length, MPI_DOUBLE, left, 997, world, pair);
  MPI_Cancel(pair);
  MPI_Wait(pair, &status);
  MPI_Test_cancelled(&status, &flag);
  check += flag;
}

static void wildcards(void) {
  MPI_Request request;
  MPI_Status status;
  int count;
  fill(5);
  for (int i = 0; i < 3; ++i) {
    MPI_Irecv(in, length, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &request);
    MPI_Send(out, length - i, MPI_DOUBLE, right, 40 + i, world);
    if (i == 0)
      MPI_Wait(&request, &status);
    else
      MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  check += status.MPI_TAG;
  MPI_Isend(out, 4, MPI_DOUBLE, right, 50, world, &request);
  MPI_Recv(in, length, MPI_DOUBLE, MPI_ANY_SOURCE, 50, world, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Isend(out, length, MPI_DOUBLE, right, 51, world, &request);
  MPI_Recv(in, length, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check += count;
  add_up(in, length);
}

#include "traffic_groups.h"
#include "traffic_objects.h"

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  const char* directory = argc > 2 ? argv[2] : ".";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  for (int round = 0; round < rounds; ++round) {
    modes();
    nobody();
    persistent();
    probes();
    completions();
    wildcards();
    collectives();
    nonblocking_collectives();
    communicators();
    topologies();
    enquiries();
    datatypes();
    windows();
    files(directory);
    attributes();
    errors();
  }
  printf("rank %d of %d: check %.17g\n", rank, size, check);
  MPI_Finalize();
  return 0;
}
