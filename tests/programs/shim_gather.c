/* Gathers whose results are known: any root, in place or not, each rank with its own datatypes; then some in which a
   rank passes another count. Prints how many results each rank looked at and how many were wrong, and for each of the
   others the result codes.   shim_gather */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long results = 0, wrong = 0;
static MPI_Datatype ways[3]; /* of two ints: side by side; with a gap; the second one first */
static const int extents[3] = {2, 3, 2};

static int place(int way, int i) { return way == 0 ? i : way == 1 ? i / 2 * 3 + i % 2 * 2 : i / 2 * 2 + 1 - i % 2; }
static int value(int rank, int i) { return rank * 7919 + i * 31 + 1; }

static void make_types(void) {
  int lengths[2] = {1, 1}, displacements[2] = {1, 0};
  MPI_Datatype apart;
  MPI_Type_contiguous(2, MPI_INT, &ways[0]);
  MPI_Type_vector(2, 1, 2, MPI_INT, &apart);
  MPI_Type_create_resized(apart, 0, 3 * sizeof(int), &ways[1]);
  MPI_Type_free(&apart);
  MPI_Type_indexed(2, lengths, displacements, MPI_INT, &ways[2]);
  for (int i = 0; i < 3; ++i) MPI_Type_commit(&ways[i]);
}

static int call(const void* from, int count, MPI_Datatype type, void* to, int to_count, MPI_Datatype to_type, int root,
                MPI_Comm comm) {
#ifdef LARGE
  if (count % 2) return MPI_Gather_c(from, count, type, to, to_count, to_type, root, comm);
#endif
  if (count % 3 == 0) return PMPI_Gather(from, count, type, to, to_count, to_type, root, comm);
  return MPI_Gather(from, count, type, to, to_count, to_type, root, comm);
}

/* A rank other than the root passes nothing that could be used for what is received. */
static void gather(MPI_Comm comm, int pairs, int root, int from_way, int to_way, int in_place) {
  int rank, size, right = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int is_root = rank == root, block = pairs * extents[to_way];
  int* from = malloc(sizeof(int) * (pairs * extents[from_way] + 1));
  int* to = malloc(sizeof(int) * ((size_t)size * block + 1));
  for (int i = 0; i <= pairs * extents[from_way]; ++i) from[i] = -5;
  for (int i = 0; i < 2 * pairs; ++i) from[place(from_way, i)] = value(rank, i);
  for (int i = 0; i <= size * block; ++i) to[i] = -7;
  if (is_root && in_place)
    for (int i = 0; i < 2 * pairs; ++i) to[rank * block + place(to_way, i)] = value(rank, i);
  const int error = is_root ? call(in_place ? MPI_IN_PLACE : from, in_place ? -3 : pairs,
                                   in_place ? MPI_DATATYPE_NULL : ways[from_way], to, pairs, ways[to_way], root, comm)
                            : call(from, pairs, ways[from_way], NULL, -1, MPI_DATATYPE_NULL, root, comm);
  right = error == MPI_SUCCESS;
  int expected = 0;
  for (int r = 0; r < size && is_root; ++r)
    for (int i = 0; i < 2 * pairs; ++i) {
      right = right && to[r * block + place(to_way, i)] == value(r, i);
      ++expected;
    }
  int written = 0;
  for (int i = 0; i <= size * block; ++i) written += to[i] != -7;
  right = right && written == expected && from[pairs * extents[from_way]] == -5;
  for (int i = 0; i < 2 * pairs; ++i) right = right && from[place(from_way, i)] == value(rank, i);
  ++results;
  if (!right && ++wrong < 5)
    fprintf(stderr, "wrong: gather of %d pairs to %d of %d, ways %d and %d%s, on %d\n", pairs, root, size, from_way,
            to_way, in_place ? ", in place" : "", rank);
  free(from);
  free(to);
}

static void everything_on(MPI_Comm comm) {
  const int counts[] = {0, 1, 2, 9, 100, 2500};
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (unsigned i = 0; i < sizeof(counts) / sizeof(*counts); ++i)
    for (int root = 0; root < size; ++root)
      for (int way = 0; way < 6; ++way)
        gather(comm, counts[i], root, way < 3 ? way : (rank + way) % 3, (way + root) % 3, (way + i) % 2);
}

static char told(int error) {
  int class = MPI_SUCCESS;
  MPI_Error_class(error, &class);
  return class == MPI_SUCCESS ? '-' : class == MPI_ERR_TRUNCATE ? 'T' : class == MPI_ERR_OTHER ? 'O' : '?';
}

/* X: success, and wrong data. Then a correct one, which no message of the other may meet. */
static void mismatched(MPI_Comm comm, int odd_rank, int others, int odd) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int* from = calloc(6000, sizeof(int));
  int* to = calloc((size_t)6000 * size, sizeof(int));
  const int count = rank == odd_rank ? odd : others, least = odd < others ? odd : others;
  for (int i = 0; i < count; ++i) from[i] = value(rank, i);
  char mine = told(MPI_Gather(from, count, MPI_INT, to, count, MPI_INT, 0, comm)), all[64] = "";
  for (int r = 0; r < size && rank == 0 && mine == '-'; ++r)
    for (int i = 0; i < least; ++i) mine = to[r * count + i] == value(r, i) ? mine : 'X';
  MPI_Allgather(&mine, 1, MPI_CHAR, all, 1, MPI_CHAR, MPI_COMM_WORLD);
  if (rank == 0) printf("%d %d %d %s\n", odd_rank, others, odd, all);
  gather(comm, 321, size - 1, rank % 3, 1, 0);
  free(from);
  free(to);
}

int main(int argc, char** argv) {
  MPI_Comm part, reversed, errors;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  make_types();
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Comm_dup(MPI_COMM_WORLD, &errors);
  MPI_Comm_set_errhandler(errors, MPI_ERRORS_RETURN);
  everything_on(MPI_COMM_WORLD);
  everything_on(part);
  everything_on(reversed);
  everything_on(MPI_COMM_SELF);
  if (argc > 1)
    for (int odd_rank = 0; odd_rank < size; ++odd_rank) {
      mismatched(errors, odd_rank, 40, 60);
      mismatched(errors, odd_rank, 60, 40);
      mismatched(errors, odd_rank, 4000, 5000);
      mismatched(errors, odd_rank, 5000, 4000);
    }
  printf("rank %d: %ld results, %ld wrong\n", rank, results, wrong);
  for (int i = 0; i < 3; ++i) MPI_Type_free(&ways[i]);
  MPI_Comm_free(&part);
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&errors);
  MPI_Finalize();
  return wrong != 0;
}
