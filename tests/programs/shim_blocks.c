/* Operations that move blocks and reduce nothing, with known results: any root, in place or not, each rank with its own
   datatypes. Then, if asked for, some calls in which a rank passes another count. Prints how many results each rank
   looked at and how many were wrong, and for each of the others the result codes.
   shim_blocks OPERATION... [mismatched] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim_pairs.h"

/* per_rank: a block for each rank, or from each; else one. root_only: of the root; else of all. */
static const struct operation {
  const char* name;
  int from_per_rank, from_root_only, to_per_rank, to_root_only;
} operations[] = {{"gather", 0, 0, 1, 1}, {"alltoall", 1, 0, 1, 0}, {"allgather", 0, 0, 1, 0}, {"scatter", 1, 1, 0, 0}};
enum { gather, alltoall, allgather, scatter, operation_count };

static long results = 0, wrong = 0;
struct side {
  void* buffer;
  int count;
  MPI_Datatype type;
};

#define SIDES s.buffer, s.count, s.type, r.buffer, r.count, r.type
#define BY_NAME(prefix, suffix)                                         \
  (operation == gather      ? prefix##Gather##suffix(SIDES, root, comm) \
   : operation == alltoall  ? prefix##Alltoall##suffix(SIDES, comm)     \
   : operation == allgather ? prefix##Allgather##suffix(SIDES, comm)    \
                            : prefix##Scatter##suffix(SIDES, root, comm))

static int call(int operation, struct side s, struct side r, int root, MPI_Comm comm) {
  const int turn = s.count > 0 ? s.count : r.count;
#ifdef LARGE
  if (turn % 2) return BY_NAME(MPI_, _c);
#endif
  if (turn % 3 == 0) return BY_NAME(PMPI_, );
  return BY_NAME(MPI_, );
}

/* A buffer for blocks of pairs, whose ints are all `unset`; `before` more on either side. */
static int* buffer_of(int blocks, int pairs, int way, int unset) {
  const int length = blocks * pairs * extents[way] + 2 * before;
  int* memory = malloc(sizeof(int) * (size_t)length);
  for (int i = 0; i < length; ++i) memory[i] = unset;
  return memory;
}

static int set_ints(const int* memory, int blocks, int pairs, int way, int unset) {
  int set = 0;
  for (int i = 0; i < blocks * pairs * extents[way] + 2 * before; ++i) set += memory[i] != unset;
  return set;
}

static int* at(int* memory, int block, int pairs, int way, int i) {
  return memory + before + block * pairs * extents[way] + place_of(way, i);
}

/* Ranks that contribute or receive nothing pass nothing that could be used. */
static void check(int operation, MPI_Comm comm, int pairs, int root, int from_way, int to_way, int in_place) {
  const struct operation of = operations[operation];
  int rank, size, right = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int is_root = rank == root, nobody_has_root = !of.from_root_only && !of.to_root_only;
  const int contributes = !of.from_root_only || is_root, receives = !of.to_root_only || is_root;
  const int from_blocks = of.from_per_rank ? size : 1, to_blocks = of.to_per_rank ? size : 1;
  int* from = buffer_of(from_blocks, pairs, from_way, -5);
  int* to = buffer_of(to_blocks, pairs, to_way, -7);
  const int in_place_here = in_place && contributes && receives && (is_root || nobody_has_root);
  const int sends_in_place = in_place_here && !of.from_root_only, keeps = in_place_here && of.from_root_only;
  for (int b = 0; b < from_blocks && contributes; ++b)
    for (int i = 0; i < 2 * pairs; ++i) {
      const int v = value(rank, of.from_per_rank ? b : 0, i);
      *at(from, b, pairs, from_way, i) = v;
      if (sends_in_place) *at(to, of.from_per_rank ? b : rank, pairs, to_way, i) = v;
    }
  struct side s = {from + before, pairs, ways[from_way]}, r = {to + before, pairs, ways[to_way]};
  const struct side nothing = {NULL, -1, MPI_DATATYPE_NULL}, is_there = {MPI_IN_PLACE, -3, MPI_DATATYPE_NULL};
  if (sends_in_place || !contributes) s = sends_in_place ? is_there : nothing;
  if (keeps || !receives) r = keeps ? is_there : nothing;
  const int result = receives && !keeps;
  right = call(operation, s, r, root, comm) == MPI_SUCCESS;
  for (int b = 0; b < to_blocks && result; ++b)
    for (int i = 0; i < 2 * pairs; ++i)
      right = right && *at(to, b, pairs, to_way, i) == value(of.to_per_rank ? b : root, of.from_per_rank ? rank : 0, i);
  right = right && set_ints(to, to_blocks, pairs, to_way, -7) == (result ? 2 * pairs * to_blocks : 0);
  right = right && set_ints(from, from_blocks, pairs, from_way, -5) == (contributes ? 2 * pairs * from_blocks : 0);
  for (int b = 0; b < from_blocks && contributes; ++b)
    for (int i = 0; i < 2 * pairs; ++i)
      right = right && *at(from, b, pairs, from_way, i) == value(rank, of.from_per_rank ? b : 0, i);
  ++results;
  if (!right && ++wrong < 5)
    fprintf(stderr, "wrong: %s of %d pairs, root %d of %d, ways %d and %d%s, on %d\n", of.name, pairs, root, size,
            from_way, to_way, in_place ? ", in place" : "", rank);
  free(from);
  free(to);
}

static void everything_on(int operation, MPI_Comm comm) {
  const int counts[] = {0, 1, 2, 9, 100, 2500};
  const int roots = operations[operation].from_root_only || operations[operation].to_root_only;
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (unsigned i = 0; i < sizeof(counts) / sizeof(*counts); ++i)
    for (int root = 0; root < (roots ? size : 1); ++root)
      for (int way = 0; way < 2 * way_count; ++way)
        check(operation, comm, counts[i], root, way < way_count ? way : (rank + way) % way_count,
              (way + root) % way_count, (way + (int)i) % 2);
}

static char told(int error) {
  int class = MPI_SUCCESS;
  MPI_Error_class(error, &class);
  return class == MPI_SUCCESS ? '-' : class == MPI_ERR_TRUNCATE ? 'T' : class == MPI_ERR_OTHER ? 'O' : '?';
}

/* X: success, and wrong data. Then a correct one, which no message of the other may meet. */
static void mismatched(int operation, MPI_Comm comm, int odd_rank, int others, int odd) {
  const int per_rank = operations[operation].from_per_rank;
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int* from = calloc((size_t)6000 * size, sizeof(int));
  int* to = calloc((size_t)6000 * size, sizeof(int));
  const int count = rank == odd_rank ? odd : others, least = odd < others ? odd : others;
  for (int b = 0; b < (per_rank ? size : 1); ++b)
    for (int i = 0; i < count; ++i) from[b * count + i] = value(rank, b, i);
  struct side s = {from, count, MPI_INT}, r = {to, count, MPI_INT};
  char mine = told(call(operation, s, r, 0, comm)), all[64] = "";
  const int blocks = operations[operation].to_per_rank ? size : 1;
  for (int b = 0; b < blocks && rank == 0 && mine == '-'; ++b)
    for (int i = 0; i < least; ++i) mine = to[b * count + i] == value(b, 0, i) ? mine : 'X';
  MPI_Gather(&mine, 1, MPI_CHAR, all, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s %d %d %d %s\n", operations[operation].name, odd_rank, others, odd, all);
  check(operation, comm, 321, size - 1, rank % 3, 1, 0);
  free(from);
  free(to);
}

static int is_asked(int argc, char** argv, const char* word) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], word) == 0) return 1;
  return 0;
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
  for (int operation = 0; operation < operation_count; ++operation) {
    if (!is_asked(argc, argv, operations[operation].name)) continue;
    everything_on(operation, MPI_COMM_WORLD);
    everything_on(operation, part);
    everything_on(operation, reversed);
    everything_on(operation, MPI_COMM_SELF);
    for (int odd_rank = 0; is_asked(argc, argv, "mismatched") && odd_rank < size; ++odd_rank) {
      mismatched(operation, errors, odd_rank, 40, 60);
      mismatched(operation, errors, odd_rank, 60, 40);
      mismatched(operation, errors, odd_rank, 4000, 5000);
      mismatched(operation, errors, odd_rank, 5000, 4000);
    }
  }
  printf("rank %d: %ld results, %ld wrong\n", rank, results, wrong);
  for (int i = 0; i < way_count; ++i) MPI_Type_free(&ways[i]);
  MPI_Comm_free(&part);
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&errors);
  MPI_Finalize();
  return wrong != 0;
}
