// Features of the standard beyond plain messages and collectives, up to MPI 3.1, on two ranks.  features
// Every call and byte is known by construction: tests/recorder/features_table.py has the table.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { room = 1000 };

static int rank, other;
static int ints[room], more[room];
static double doubles[room], window[room];

// Less arrives than there is room for: 10, 20, 30, 40 and 50 ints.
static void received_bytes(void) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Message message;
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Sendrecv(ints, 10, MPI_INT, other, 1, more, room, MPI_INT, other, 1, world, &statuses[0]);
  MPI_Irecv(more, room, MPI_INT, other, 2, world, &requests[0]);
  MPI_Send(ints, 20, MPI_INT, other, 2, world);
  MPI_Wait(&requests[0], &statuses[0]);
  MPI_Irecv(more, room, MPI_INT, other, 3, world, &requests[0]);
  MPI_Isend(ints, 30, MPI_INT, other, 3, world, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Isend(ints, 40, MPI_INT, other, 4, world, &requests[0]);
  MPI_Recv(more, room, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Isend(ints, 50, MPI_INT, other, 5, world, &requests[0]);
  MPI_Mprobe(other, 5, world, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(more, room, MPI_INT, &message, &statuses[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void cancelled(void) {
  MPI_Request request;
  MPI_Status status;
  int flag = 0;
  MPI_Irecv(more, room, MPI_INT, other, 999, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  if (!flag) printf("rank %d: not cancelled\n", rank);
}

static void persistent(void) {
  MPI_Request pair[2];
  MPI_Send_init(doubles, 6, MPI_DOUBLE, other, 6, MPI_COMM_WORLD, &pair[0]);
  MPI_Recv_init(window, 6, MPI_DOUBLE, other, 6, MPI_COMM_WORLD, &pair[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, pair);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  }
  MPI_Start(&pair[1]);
  MPI_Start(&pair[0]);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
}

// Two blocks of two of three doubles, twice: 64 bytes.
static void derived_types(void) {
  MPI_Datatype type;
  MPI_Type_vector(2, 2, 3, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Sendrecv(doubles, 2, type, other, 7, window, 2, type, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
}

static void one_sided(void) {
  MPI_Win win;
  MPI_Request request;
  double compared = 0, result = 0;
  memset(window, 0, sizeof(window));
  MPI_Win_create(window, sizeof(window), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Put(doubles, 10, MPI_DOUBLE, other, 0, 10, MPI_DOUBLE, win);
  MPI_Accumulate(doubles, 5, MPI_DOUBLE, other, 20, 5, MPI_DOUBLE, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Get(doubles + 100, 20, MPI_DOUBLE, other, 40, 20, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win);
  MPI_Put(doubles, 3, MPI_DOUBLE, other, 60, 3, MPI_DOUBLE, win);
  MPI_Win_unlock(other, win);
  MPI_Win_lock_all(0, win);
  MPI_Rput(doubles, 6, MPI_DOUBLE, other, 70, 6, MPI_DOUBLE, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Fetch_and_op(doubles, &result, MPI_DOUBLE, other, 80, MPI_SUM, win);
  MPI_Win_flush(other, win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  long value = rank, expected = 0, found = 0;
  long* memory;
  MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  *memory = 0;
  MPI_Win_fence(0, win);
  MPI_Compare_and_swap(&value, &expected, &found, MPI_LONG, other, 0, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  (void)compared;
}

static void post_start_complete_wait(void) {
  MPI_Group world, partner;
  MPI_Win win;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &other, &partner);
  MPI_Win_create(window, sizeof(window), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_post(partner, 0, win);
  MPI_Win_start(partner, 0, win);
  MPI_Put(doubles, 4, MPI_DOUBLE, other, 0, 4, MPI_DOUBLE, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  MPI_Win_free(&win);
  MPI_Group_free(&partner);
  MPI_Group_free(&world);
}

// Two groups of one: rank 0 is the root of what rank 1 receives.
static void intercommunicator(void) {
  MPI_Comm half, both, merged;
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, other, 8, &both);
  MPI_Sendrecv(ints, 7, MPI_INT, 0, 9, more, 7, MPI_INT, 0, 9, both, MPI_STATUS_IGNORE);
  MPI_Bcast(ints, 8, MPI_INT, rank == 0 ? MPI_ROOT : 0, both);
  MPI_Reduce(doubles, window, 2, MPI_DOUBLE, MPI_SUM, rank == 1 ? MPI_ROOT : 0, both);
  MPI_Allreduce(doubles, window, 4, MPI_DOUBLE, MPI_MAX, both);
  MPI_Intercomm_merge(both, rank, &merged);
  MPI_Send(ints, 1, MPI_INT, MPI_PROC_NULL, 0, merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void neighbours(void) {
  MPI_Comm ring;
  int counts[1] = {5}, displacements[1] = {0};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &ring);
  MPI_Neighbor_allgather(ints, 3, MPI_INT, more, 3, MPI_INT, ring);
  MPI_Neighbor_alltoallv(ints, counts, displacements, MPI_INT, more, counts, displacements, MPI_INT, ring);
  MPI_Comm_free(&ring);
}

static void in_place(void) {
  MPI_Allreduce(MPI_IN_PLACE, doubles, 9, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Gather(MPI_IN_PLACE, 2, MPI_INT, more, 2, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
    MPI_Gather(ints, 2, MPI_INT, NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

static void communicators(void) {
  MPI_Comm shared, copy, group_made;
  MPI_Group group;
  MPI_Request request;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  MPI_Comm_idup(shared, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(copy);
  MPI_Comm_group(copy, &group);
  MPI_Comm_create_group(copy, group, 3, &group_made);
  MPI_Barrier(group_made);
  MPI_Group_free(&group);
  MPI_Comm_free(&group_made);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&shared);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  received_bytes();
  cancelled();
  persistent();
  derived_types();
  one_sided();
  post_start_complete_wait();
  intercommunicator();
  neighbours();
  in_place();
  communicators();
  printf("rank %d: done\n", rank);
  MPI_Finalize();
  return 0;
}
