// Pauses and resumes the recording around requests, communicators and datatypes that live across the borders.
//   paused [ranks that pause: all | first | none] [times]
// Prints, for each rank, what must have been recorded: calls, messages, bytes sent, bytes received, and calls that
// were not recorded. Local calls aside.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long calls[2], messages, sent, received;
static int on = 1, rank, partner;

#define CALL(x) (++calls[on], (x))

static void message(int bytes) {
  if (!on) return;
  ++messages;
  sent += bytes;
}

static void exchange(MPI_Comm comm, MPI_Datatype type, int bytes, int tag) {
  char out[4096], in[4096];
  memset(out, tag, sizeof(out));
  memset(in, 0, sizeof(in));
  MPI_Request request;
  CALL(MPI_Irecv(in, 1, type, partner, tag, comm, &request));
  CALL(MPI_Send(out, 1, type, partner, tag, comm));
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  message(bytes);
  if (on) received += bytes;
  if (in[0] != (char)tag) printf("rank %d: wrong bytes\n", rank);
}

static void persistent(MPI_Comm comm, int bytes, char* in, char* out, MPI_Request pair[2]) {
  CALL(MPI_Recv_init(in, bytes, MPI_CHAR, MPI_ANY_SOURCE, 50, comm, &pair[0]));
  CALL(MPI_Send_init(out, bytes, MPI_CHAR, partner, 50, comm, &pair[1]));
}

static void start(MPI_Request pair[2], int bytes) {
  CALL(MPI_Startall(2, pair));
  message(bytes);
  if (on) received += bytes;
}

static void one_round(int pauses, int round) {
  MPI_Comm before, during, after;
  MPI_Datatype type, block;
  MPI_Request early[3], late, first[2], second[2], swap;
  char a[1000], b[1000], c[4000], in1[64], out1[64] = "one", in2[80], out2[80] = "two", x[8] = "x", y[8];
  int done = 0, index = 0;
  MPI_Status status;
  memset(c, 0, sizeof(c));
  MPI_Type_contiguous(100, MPI_CHAR, &block);
  MPI_Type_commit(&block);

  CALL(MPI_Comm_dup(MPI_COMM_WORLD, &before));
  for (int i = 0; i < 5; ++i) exchange(before, block, 100, 1 + i);
  persistent(before, 64, in1, out1, first);
  CALL(MPI_Irecv(a, 1000, MPI_CHAR, MPI_ANY_SOURCE, 20, before, &early[0]));
  CALL(MPI_Irecv(c, 2000, MPI_CHAR, partner, 21, before, &early[1]));
  memset(b, 7, sizeof(b));
  CALL(MPI_Isend(b, 500, MPI_CHAR, partner, 20, before, &early[2]));
  message(500);
  if (on) received += 1000 + 2000;  // as posted, unless the completion is recorded

  CALL(MPI_Barrier(MPI_COMM_WORLD));
  if (pauses) MPI_Pcontrol(0), ++calls[1], on = 0;
  for (int i = 0; i < 7; ++i) exchange(before, block, 100, 1 + i);
  CALL(MPI_Wait(&early[0], MPI_STATUS_IGNORE));
  if (on) received -= 500;
  start(first, 64);
  CALL(MPI_Comm_dup(before, &during));
  persistent(during, 80, in2, out2, second);
  start(second, 80);
  CALL(MPI_Waitall(2, second, MPI_STATUSES_IGNORE));
  MPI_Type_free(&block);
  MPI_Type_vector(10, 3, 5, MPI_INT, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < 3; ++i) {
    CALL(MPI_Irecv(y, 8, MPI_CHAR, partner, 30, during, &swap));
    CALL(MPI_Send(x, 8, MPI_CHAR, partner, 30, during));
    message(8);
    if (on) received += 8;
    for (done = 0; !done;) CALL(MPI_Test(&swap, &done, MPI_STATUS_IGNORE));
  }
  CALL(MPI_Send(c + 2000, 1200, MPI_CHAR, partner, 21, before));
  message(1200);
  CALL(MPI_Comm_free(&before));
  CALL(MPI_Irecv(y, 8, MPI_CHAR, MPI_ANY_SOURCE, 31, during, &late));
  if (on) received += 8;
  if (pauses) MPI_Pcontrol(1), ++calls[1], on = 1;

  CALL(MPI_Send(b, 8, MPI_CHAR, partner, 31, during));
  message(8);
  CALL(MPI_Wait(&late, MPI_STATUS_IGNORE));
  CALL(MPI_Waitany(1, &early[2], &index, MPI_STATUS_IGNORE));
  CALL(MPI_Waitall(2, first, MPI_STATUSES_IGNORE));
  exchange(during, type, 120, 9);
  start(second, 80);
  CALL(MPI_Waitall(2, second, MPI_STATUSES_IGNORE));
  CALL(MPI_Comm_split(during, 0, -rank, &after));
  CALL(MPI_Send(b, 300, MPI_CHAR, rank, 21, after));  // numbered backwards: the partner
  message(300);
  CALL(MPI_Recv(c, 300, MPI_CHAR, rank, 21, after, MPI_STATUS_IGNORE));
  received += 300;
  CALL(MPI_Wait(&early[1], &status));
  received -= 2000 - 1200;
  for (int i = 0; i < 2; ++i) CALL(MPI_Request_free(&first[i]));
  for (int i = 0; i < 2; ++i) CALL(MPI_Request_free(&second[i]));
  CALL(MPI_Comm_free(&during));
  CALL(MPI_Comm_free(&after));
  MPI_Type_free(&type);
  if (a[0] != 7 || a[499] != 7 || strcmp(in1, "one") || strcmp(in2, "two"))
    printf("rank %d: wrong bytes in round %d\n", rank, round);
}

int main(int argc, char** argv) {
  const int all = argc < 2 || !strcmp(argv[1], "all"), none = argc > 1 && !strcmp(argv[1], "none"),
            times = argc > 2 ? atoi(argv[2]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  partner = 1 - rank;
  for (int i = 0; i < times; ++i) one_round(all || (rank == 0 && !none), i);
  MPI_Finalize();
  calls[1] += 2;
  printf("rank %d: calls %ld messages %ld sent %ld received %ld aside %ld\n", rank, calls[1], messages, sent, received,
         calls[0]);
  return 0;
}
