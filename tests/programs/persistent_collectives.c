// Persistent collectives of every kind, created at one place with several sizes, started alone and in lists.
// Every byte is known by construction: tests/recorder/test_persistent_collectives.py has the table.
#include <mpi.h>
#include <stdio.h>

enum { room = 64, most = 32 };

static int rank, size;
static int out[room], in[room];
static MPI_Request requests[most];
static int made;

static MPI_Request* next(void) { return &requests[made++]; }

// Counts and displacements of the v-forms: i + 1 elements of or for rank i.
static int counts[room], places[room];

static void create(void) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype t = MPI_INT;
  const MPI_Info none = MPI_INFO_NULL;
  for (int i = 0; i < size; ++i) {
    counts[i] = i + 1;
    places[i] = i ? places[i - 1] + i : 0;
  }
  for (int n = 1; n <= 3; ++n) MPI_Allreduce_init(out, in, n, t, MPI_SUM, world, none, next());
  MPI_Barrier_init(world, none, next());
  MPI_Bcast_init(in, 5, t, 1, world, none, next());
  MPI_Gather_init(out, 2, t, in, 2, t, 0, world, none, next());
  MPI_Gatherv_init(out, rank + 1, t, in, counts, places, t, 0, world, none, next());
  MPI_Scatter_init(out, 2, t, in, 2, t, 0, world, none, next());
  MPI_Scatterv_init(out, counts, places, t, in, rank + 1, t, 0, world, none, next());
  MPI_Allgather_init(out, 3, t, in, 3, t, world, none, next());
  MPI_Allgatherv_init(out, rank + 1, t, in, counts, places, t, world, none, next());
  MPI_Alltoall_init(out, 4, t, in, 4, t, world, none, next());
  MPI_Reduce_init(out, in, 6, t, MPI_MAX, 2, world, none, next());
  MPI_Reduce_scatter_init(out, in, counts, t, MPI_SUM, world, none, next());
  MPI_Reduce_scatter_block_init(out, in, 7, t, MPI_SUM, world, none, next());
  MPI_Scan_init(out, in, 8, t, MPI_SUM, world, none, next());
  MPI_Exscan_init(out, in, 9, t, MPI_SUM, world, none, next());
}

// To and from rank i as many elements as both ranks' numbers together.
static int both[room], at[room], bytes_at[room];

static void create_all_to_all(MPI_Comm ring) {
  static MPI_Datatype types[room];
  const MPI_Info none = MPI_INFO_NULL;
  static const int two[2] = {2, 2}, there[2] = {0, 2};
  static const MPI_Aint far[2] = {0, 8};
  for (int i = 0; i < size; ++i) {
    both[i] = i + rank;
    at[i] = i ? at[i - 1] + both[i - 1] : 0;
    bytes_at[i] = at[i] * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  MPI_Alltoallv_init(out, both, at, MPI_INT, in, both, at, MPI_INT, MPI_COMM_WORLD, none, next());
  MPI_Alltoallw_init(out, both, bytes_at, types, in, both, bytes_at, types, MPI_COMM_WORLD, none, next());
  MPI_Neighbor_allgather_init(out, 3, MPI_INT, in, 3, MPI_INT, ring, none, next());
  MPI_Neighbor_allgatherv_init(out, 2, MPI_INT, in, two, there, MPI_INT, ring, none, next());
  MPI_Neighbor_alltoall_init(out, 5, MPI_INT, in, 5, MPI_INT, ring, none, next());
  MPI_Neighbor_alltoallv_init(out, two, there, MPI_INT, in, two, there, MPI_INT, ring, none, next());
  MPI_Neighbor_alltoallw_init(out, two, far, types, in, two, far, types, ring, none, next());
}

int main(int argc, char** argv) {
  MPI_Comm ring;
  const int around = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &around, 0, &ring);
  create();
  create_all_to_all(ring);
  for (int i = 0; i < made; ++i) {
    MPI_Start(&requests[i]);
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(made, requests);
    MPI_Waitall(made, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < made; ++i) MPI_Request_free(&requests[i]);
  MPI_Comm_free(&ring);
  printf("rank %d: done\n", rank);
  MPI_Finalize();
  return 0;
}
