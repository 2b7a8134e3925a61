// A program with sessions only, without MPI_Init.  sessions
#include <mpi.h>
#include <stdio.h>

int main(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  int rank, size, sum = 0, out[6] = {0}, in[6];
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "leadline.sessions", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < 5; ++i) {
    MPI_Sendrecv(out, 6, MPI_INT, (rank + 1) % size, 1, in, 6, MPI_INT, (rank + size - 1) % size, 1, comm,
                 MPI_STATUS_IGNORE);
  }
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  printf("rank %d of %d: %d\n", rank, size, sum);
  MPI_Comm_disconnect(&comm);
  MPI_Session_finalize(&session);
  return 0;
}
