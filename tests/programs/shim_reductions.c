/* Reductions whose results differ between the ranks, and are known: sums, and compositions, which are not commutative;
   in place or not; on several communicators. Prints how many results each rank looked at and how many were wrong.
   shim_reductions OPERATION... */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* x -> slope x + shift, modulo 2^32. A sum has slope 1. */
typedef struct {
  uint32_t slope, shift;
} Affine;

enum { scan, exscan, reduce_scatter_block, reduce_scatter, operation_count };
static const char* const names[] = {"scan", "exscan", "reduce_scatter_block", "reduce_scatter"};
static long results = 0, wrong = 0;
static MPI_Datatype affine;
static MPI_Op composition;

static Affine composed(Affine first, Affine second) {
  const Affine both = {first.slope * second.slope, second.slope * first.shift + second.shift};
  return both;
}

static void compose(void* from, void* to, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((Affine*)to)[i] = composed(((Affine*)from)[i], ((Affine*)to)[i]);
}

static Affine value(int rank, int i, int sums) {
  const Affine found = {sums ? 1 : (uint32_t)(2 * (i + rank) + 3), (uint32_t)(rank * 7919 + i * 31 + 1)};
  return found;
}

/* Elements of a rank's block. Of MPI_Reduce_scatter's some have none, and those before them twice as many. */
static int length_of(int operation, int rank, int size, int count) {
  if (operation != reduce_scatter || rank % 3 == 2) return count;
  return rank % 3 == 1 ? 0 : rank + 1 < size ? 2 * count : count;
}

#define BY_NAME(prefix, suffix, lengths)                                                                       \
  (operation == scan                   ? prefix##Scan##suffix(from, to, count, type, op, comm)                 \
   : operation == exscan               ? prefix##Exscan##suffix(from, to, count, type, op, comm)               \
   : operation == reduce_scatter_block ? prefix##Reduce_scatter_block##suffix(from, to, count, type, op, comm) \
                                       : prefix##Reduce_scatter##suffix(from, to, lengths, type, op, comm))

/* each: the datatype's elements in one of ours. */
static int call(int operation, const void* from, void* to, int count, int each, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm) {
  int size, lengths[64];
  MPI_Count large[64];
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < size; ++i) large[i] = lengths[i] = each * length_of(operation, i, size, count);
  (void)large;
  count *= each;
#ifdef LARGE
  if (count % 2) return BY_NAME(MPI_, _c, large);
#endif
  if (count % 3 == 0) return BY_NAME(PMPI_, , lengths);
  return BY_NAME(MPI_, , lengths);
}

/* Sums are of pairs of numbers, as two elements each. Rank 0 passes no buffer for what MPI_Exscan does not give it,
   which MPICH would refuse. */
static void check(int operation, MPI_Comm comm, int count, int sums, int in_place) {
  int rank, size, right = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int in_blocks = operation == reduce_scatter_block || operation == reduce_scatter;
  int begin = 0, given = 0; /* of this rank's block, and of all */
  for (int r = 0; r < (in_blocks ? size : 1); ++r) {
    if (r == rank) begin = given;
    given += length_of(operation, r, size, count);
  }
  const int last = operation == scan ? rank : operation == exscan ? rank - 1 : size - 1;
  Affine* from = malloc(sizeof(Affine) * (size_t)(given + 1));
  Affine* to = malloc(sizeof(Affine) * (size_t)(given + 1));
  for (int i = 0; i <= given; ++i) {
    from[i] = value(rank, i, sums);
    to[i] = in_place && i < given ? from[i] : value(-5, i, sums);
  }
  const int received = length_of(operation, rank, size, count), nothing = last < 0 || !received;
  const int error =
      call(operation, in_place ? MPI_IN_PLACE : (void*)from, nothing && !in_place && size > 1 && count ? NULL : to,
           count, sums ? 2 : 1, sums ? MPI_UINT32_T : affine, sums ? MPI_SUM : composition, comm);
  right = error == MPI_SUCCESS;
  for (int i = 0; i < received && last >= 0; ++i) {
    const int at = in_blocks ? begin + i : i;
    Affine all = value(0, at, sums);
    for (int r = 1; r <= last; ++r) {
      const Affine next = value(r, at, sums);
      if (sums) all.slope += next.slope;
      if (sums) all.shift += next.shift;
      if (!sums) all = composed(all, next);
    }
    right = right && memcmp(&all, &to[i], sizeof(all)) == 0;
  }
  /* In place the library may leave anything in what it read. */
  for (int i = in_place ? given : received; i <= given; ++i) {
    const Affine beyond = value(-5, i, sums);
    right = right && memcmp(&to[i], &beyond, sizeof(beyond)) == 0;
  }
  for (int i = 0; i <= given; ++i) {
    const Affine own = value(rank, i, sums);
    right = right && memcmp(&from[i], &own, sizeof(own)) == 0;
  }
  ++results;
  if (!right && ++wrong < 5)
    fprintf(stderr, "wrong: %s of %d %s%s on rank %d\n", names[operation], count, sums ? "sums" : "compositions",
            in_place ? ", in place" : "", rank);
  free(from);
  free(to);
}

static void everything_on(int operation, MPI_Comm comm) {
  const int counts[] = {0, 1, 2, 9, 100, 2500};
  for (unsigned i = 0; i < sizeof(counts) / sizeof(*counts); ++i)
    for (int way = 0; way < 4; ++way) check(operation, comm, counts[i], way % 2, way / 2);
}

static int is_asked(int argc, char** argv, const char* word) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], word) == 0) return 1;
  return 0;
}

int main(int argc, char** argv) {
  MPI_Comm part, reversed;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_contiguous(2, MPI_UINT32_T, &affine);
  MPI_Type_commit(&affine);
  MPI_Op_create(compose, 0, &composition);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  for (int operation = 0; operation < operation_count; ++operation) {
    if (!is_asked(argc, argv, names[operation])) continue;
    everything_on(operation, MPI_COMM_WORLD);
    everything_on(operation, part);
    everything_on(operation, reversed);
    everything_on(operation, MPI_COMM_SELF);
  }
  printf("rank %d: %ld results, %ld wrong\n", rank, results, wrong);
  MPI_Op_free(&composition);
  MPI_Type_free(&affine);
  MPI_Comm_free(&part);
  MPI_Comm_free(&reversed);
  MPI_Finalize();
  return wrong != 0;
}
