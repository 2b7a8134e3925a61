// Generalised requests, completed by the program itself, waited for and tested alone and among others, on two ranks.
#include <mpi.h>
#include <stdio.h>

static int freed;

static int query(void* state, MPI_Status* status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_INT, 3);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int give_up(void* state) {
  (void)state;
  ++freed;
  return MPI_SUCCESS;
}
static int cancel(void* state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}

static MPI_Request begin(void) {
  MPI_Request request;
  MPI_Grequest_start(query, give_up, cancel, NULL, &request);
  return request;
}

int main(int argc, char** argv) {
  int rank, flag = 0, index, value = 0, got = -1;
  MPI_Status status;
  MPI_Request all[3];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 4; ++i) {
    all[0] = begin();
    MPI_Grequest_complete(all[0]);
    MPI_Wait(&all[0], &status);
    all[0] = begin();
    MPI_Test(&all[0], &flag, MPI_STATUS_IGNORE);
    MPI_Grequest_complete(all[0]);
    MPI_Test(&all[0], &flag, MPI_STATUS_IGNORE);
    if (!flag) printf("rank %d: not complete\n", rank);
    all[0] = begin();
    all[1] = begin();
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &all[2]);
    MPI_Send(&value, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Grequest_complete(all[1]);
    MPI_Waitany(2, all, &index, MPI_STATUS_IGNORE);
    if (index != 1) printf("rank %d: index %d\n", rank, index);
    MPI_Grequest_complete(all[0]);
    MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
    all[0] = begin();
    MPI_Grequest_complete(all[0]);
    MPI_Request_free(&all[0]);
  }
  printf("rank %d: %d freed\n", rank, freed);
  MPI_Finalize();
  return 0;
}
