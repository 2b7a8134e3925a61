/* Situations in which other tools, or earlier versions of Leadline, were reported to be wrong: one for each word. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Asks what needs no MPI_Init. */
static int asks(void) {
  int version, subversion;
  MPI_Get_version(&version, &subversion);
  return version < 3;
}

/* Leaves without MPI_Finalize. */
static void exits(int rank, int ranks) {
  int sent = rank, received;
  MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % ranks, 0, &received, 1, MPI_INT, (rank + ranks - 1) % ranks, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  exit(0);
}

/* Receives from nobody, and sends to nobody. */
static void nobody(int rank, int ranks) {
  double value[10] = {rank};
  const int next = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, before = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  for (int i = 0; i < 4; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(value, 10, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(value, 10, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Recv(value, 10, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* A file without a name on each rank, one after the other: the second may get the inode of the first. */
static void nameless(int rank, int ranks) {
  for (int turn = 0; turn < ranks; ++turn) {
    if (turn == rank) {
      FILE* file = tmpfile();
      for (int i = 0; file && i < 3; ++i) fprintf(file, "%d\n", i);
      if (file) fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

#if MPI_VERSION >= 4
/* An error in the second of two sessions. */
static void sessions(void) {
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int value = 1, sum = 0;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "reported", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (turn == 1) MPI_Send(&value, 1, MPI_INT, 99, 0, comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
  }
}
#endif

int main(int argc, char** argv) {
  const char* which = argc > 1 ? argv[1] : "";
  if (strcmp(which, "asks") == 0) return asks();
  if (strcmp(which, "sessions") == 0) {
#if MPI_VERSION >= 4
    sessions();
#else
    puts("no sessions");
#endif
    return 0;
  }
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(which, "exits") == 0) exits(rank, ranks);
  if (strcmp(which, "nobody") == 0) nobody(rank, ranks);
  if (strcmp(which, "nameless") == 0) nameless(rank, ranks);
  MPI_Finalize();
  return 0;
}
