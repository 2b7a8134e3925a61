/* Operations that move blocks with their own counts and places and reduce nothing, with known results: in place or not,
   each rank (and of alltoallw each block) with its own datatypes and places, on several communicators. Prints how many
   results each rank looked at and how many were wrong. shim_blocks_by_rank OPERATION... */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim_pairs.h"

enum { allgatherv, alltoallv, alltoallw, gatherv, scatterv, operation_count };
static const char* const names[] = {"allgatherv", "alltoallv", "alltoallw", "gatherv", "scatterv"};

static long results = 0, wrong = 0;
enum { most_ranks = 64 };

/* Pairs of a block. Some have none, and those before them twice as many, so that their mean is `count`. */
static int length_of(int operation, int from, int to, int size, int count) {
  if (operation == alltoallv || operation == alltoallw) from = (from + 2 * to) % size;
  if (from % 3 == 2) return count;
  return from % 3 == 1 ? 0 : from + 1 < size ? 2 * count : count;
}

/* A buffer of blocks, the last rank's first, an element apart; or two, where each block has its own datatype. */
struct blocks {
  int number, way;
  int lengths[most_ranks], places[most_ranks];
  int ways_of[most_ranks], begins[most_ranks]; /* begins: in ints */
  int ints, *memory;                           /* `before` ints more on either side */
};

static struct blocks blocks_of(int number, int way, int is_mixed, int unset, const int* lengths) {
  struct blocks b = {.number = number, .way = way};
  for (int i = number - 1, elements = 0; i >= 0; --i) {
    b.lengths[i] = lengths[i];
    b.ways_of[i] = is_mixed ? (way + i) % way_count : way;
    b.places[i] = elements;
    b.begins[i] = b.ints;
    elements += b.lengths[i] + 1;
    b.ints += (b.lengths[i] + 1 + is_mixed) * extents[b.ways_of[i]];
  }
  b.ints += 2 * before;
  b.memory = malloc(sizeof(int) * (size_t)b.ints);
  for (int i = 0; i < b.ints; ++i) b.memory[i] = unset;
  return b;
}

static int* at(const struct blocks* b, int block, int i) {
  return b->memory + before + b->begins[block] + place_of(b->ways_of[block], i);
}

static int all_of(const struct blocks* b) {
  int all = 0;
  for (int i = 0; i < b->number; ++i) all += b->lengths[i];
  return all;
}

static int set_ints(const struct blocks* b, int unset) {
  int set = 0;
  for (int i = 0; i < b->ints; ++i) set += b->memory[i] != unset;
  return set;
}

#define BY_NAME(prefix, suffix, l, p)                                                                                   \
  (operation == allgatherv  ? prefix##Allgatherv##suffix(from, s->lengths[0], types[0], to, l[1], p[1], types[1], comm) \
   : operation == alltoallv ? prefix##Alltoallv##suffix(from, l[0], p[0], types[0], to, l[1], p[1], types[1], comm)     \
   : operation == alltoallw ? prefix##Alltoallw##suffix(from, l[0], p[0], each[0], to, l[1], p[1], each[1], comm)       \
   : operation == gatherv                                                                                               \
       ? prefix##Gatherv##suffix(from, s->lengths[0], types[0], to, l[1], p[1], types[1], root, comm)                   \
       : prefix##Scatterv##suffix(from, l[0], p[0], types[0], to, r->lengths[0], types[1], root, comm))

/* from, to: MPI_IN_PLACE, or the blocks of that side. A rank without blocks on a side passes no arrays. */
static int call(int operation, const void* from, const struct blocks* s, void* to, const struct blocks* r, int root,
                MPI_Comm comm) {
  const MPI_Datatype types[] = {from == MPI_IN_PLACE || !s->number ? MPI_DATATYPE_NULL : ways[s->way],
                                to == MPI_IN_PLACE || !r->number ? MPI_DATATYPE_NULL : ways[r->way]};
  const int turn = all_of(r) + r->number;
  const int* lengths[] = {s->number ? s->lengths : NULL, r->number ? r->lengths : NULL};
  int bytes_to[2][most_ranks];
  MPI_Datatype each[2][most_ranks];
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < (side ? r : s)->number; ++i) {
      bytes_to[side][i] = (int)sizeof(int) * (side ? r : s)->begins[i];
      each[side][i] = ways[(side ? r : s)->ways_of[i]];
    }
  const int* places[] = {s->number ? s->places : NULL, r->number ? r->places : NULL};
  if (operation == alltoallw) places[0] = bytes_to[0], places[1] = bytes_to[1];
  MPI_Count large_lengths[2][most_ranks];
  MPI_Aint large_places[2][most_ranks];
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < (side ? r : s)->number; ++i) {
      large_lengths[side][i] = lengths[side][i];
      large_places[side][i] = places[side][i];
    }
  (void)large_lengths, (void)large_places;
#ifdef LARGE
  if (turn % 2) return BY_NAME(MPI_, _c, large_lengths, large_places);
#endif
  if (turn % 3 == 0) return BY_NAME(PMPI_, , lengths, places);
  return BY_NAME(MPI_, , lengths, places);
}

/* A rank without data passes no buffer. */
static void check(int operation, MPI_Comm comm, int count, int from_way, int to_way, int in_place, int root) {
  int rank, size, to_each[most_ranks], from_each[most_ranks];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int rooted = operation == gatherv || operation == scatterv, is_root = rank == root;
  const int for_each = operation == alltoallv || operation == alltoallw; /* rank a block of every rank */
  const int sends = for_each ? size : operation == scatterv ? (is_root ? size : 0) : 1;
  const int receives = operation == scatterv ? 1 : operation == gatherv && !is_root ? 0 : size;
  in_place = in_place && (is_root || !rooted);
  for (int i = 0; i < size; ++i) {
    /* In place both are the same, so they must be so for each pair. */
    const int meet = in_place && for_each;
    to_each[i] = length_of(operation, meet ? rank + i : operation == scatterv ? i : rank, meet ? 0 : i, size, count);
    from_each[i] = length_of(operation,
                             meet                    ? rank + i
                             : operation == scatterv ? rank
                                                     : i,
                             meet ? 0 : rank, size, count);
  }
  const int is_mixed = operation == alltoallw;
  struct blocks from = blocks_of(sends, from_way, is_mixed, -5, to_each);
  struct blocks to = blocks_of(receives, to_way, is_mixed, -7, from_each);
  const int keeps = in_place && operation == scatterv, contributes_there = in_place && !keeps;
  for (int b = 0; b < from.number; ++b)
    for (int i = 0; i < 2 * from.lengths[b]; ++i) {
      *at(&from, b, i) = value(rank, b, i);
      if (contributes_there) *at(&to, for_each ? b : rank, i) = value(rank, b, i);
    }
  void *sent = all_of(&from) ? from.memory + before : NULL, *received = all_of(&to) ? to.memory + before : NULL;
  int right = call(operation, contributes_there ? MPI_IN_PLACE : sent, &from, keeps ? MPI_IN_PLACE : received, &to,
                   root, comm) == MPI_SUCCESS;
  for (int b = 0; b < to.number && !keeps; ++b)
    for (int i = 0; i < 2 * to.lengths[b]; ++i)
      right = right && *at(&to, b, i) == (operation == scatterv ? value(root, rank, i)
                                          : for_each            ? value(b, rank, i)
                                                                : value(b, 0, i));
  right = right && set_ints(&to, -7) == (keeps ? 0 : 2 * all_of(&to)) && set_ints(&from, -5) == 2 * all_of(&from);
  ++results;
  if (!right && ++wrong < 5)
    fprintf(stderr, "wrong: %s of %d pairs on %d ranks, ways %d and %d%s, root %d, on %d\n", names[operation], count,
            size, from_way, to_way, in_place ? ", in place" : "", root, rank);
  free(from.memory);
  free(to.memory);
}

static void everything_on(int operation, MPI_Comm comm) {
  const int counts[] = {0, 1, 2, 9, 100, 2500};
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (unsigned i = 0; i < sizeof(counts) / sizeof(*counts); ++i)
    for (int way = 0; way < 2 * way_count; ++way)
      check(operation, comm, counts[i], way < way_count ? way : (rank + way) % way_count,
            way < way_count ? (way + (int)i) % way_count : (3 * rank + way) % way_count, (way + (int)i) % 3 == 1,
            (way + (int)i) % size);
}

int main(int argc, char** argv) {
  MPI_Comm part, reversed;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  make_types();
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  for (int operation = 0; operation < operation_count; ++operation)
    for (int i = 1; i < argc; ++i) {
      if (strcmp(argv[i], names[operation]) != 0) continue;
      everything_on(operation, MPI_COMM_WORLD);
      everything_on(operation, part);
      everything_on(operation, reversed);
      everything_on(operation, MPI_COMM_SELF);
    }
  printf("rank %d: %ld results, %ld wrong\n", rank, results, wrong);
  for (int i = 0; i < way_count; ++i) MPI_Type_free(&ways[i]);
  MPI_Comm_free(&part);
  MPI_Comm_free(&reversed);
  MPI_Finalize();
  return wrong != 0;
}
