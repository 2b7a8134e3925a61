/* Neighbourhood collectives on grids, tori (also with dimensions of one and two ranks), graphs and distributed graphs
   (with ranks that are neighbours twice, or of themselves). Libraries do not agree which block comes from whom in
   dimensions of two ranks, so each rank prints a number that stands for all that it received, gaps in buffers included:
   it is to be the same with the library's own. Also how many results that were, and how many calls failed or changed
   what they were to send.
   shim_neighbours [OPERATION...] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim_pairs.h"

enum { allgather, allgatherv, alltoall, alltoallv, alltoallw, operation_count };
static const char* const names[] = {"neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall",
                                    "neighbor_alltoallv", "neighbor_alltoallw"};
enum { most = 16, kinds = 8 };

static long results = 0, wrong = 0;
static unsigned long long sum = 0;

struct around {
  MPI_Comm comm;
  const char* name;
  int targets, sources, to[most], from[most];
};

/* One side's blocks, a pair apart, or two. */
struct side {
  int number, way, ways_of[most], lengths[most], places[most], ints, *memory;
  MPI_Aint bytes_to[most];
  MPI_Datatype types[most];
  MPI_Count large_lengths[most];
  MPI_Aint large_places[most];
};

static void lay_out(struct side* s, int number, int way, int is_mixed, const int* lengths) {
  memset(s, 0, sizeof(*s));
  s->number = number;
  s->way = way;
  s->ints = before;
  for (int i = number - 1, elements = 0; i >= 0; --i) {
    s->ways_of[i] = is_mixed ? (way + i) % way_count : way;
    s->large_lengths[i] = s->lengths[i] = lengths[i];
    s->large_places[i] = s->places[i] = elements;
    s->types[i] = ways[s->ways_of[i]];
    s->bytes_to[i] = (MPI_Aint)sizeof(int) * (s->ints - before);
    elements += lengths[i] + 1;
    s->ints += (lengths[i] + 1 + is_mixed) * extents[s->ways_of[i]];
  }
  s->ints += before;
}

static void fill(struct side* s, int unset) {
  s->memory = malloc(sizeof(int) * (size_t)s->ints);
  for (int i = 0; i < s->ints; ++i) s->memory[i] = unset;
}

/* Both ranks of a pair know it. */
static int length_of(int from, int to, int count) { return (3 * from + 5 * to) % 4 * count; }

#define CALL(prefix, suffix, l, p)                                                                          \
  (operation == allgather    ? prefix##allgather##suffix(from, s->l[0], type, to, r->l[0], other, comm)     \
   : operation == allgatherv ? prefix##allgatherv##suffix(from, s->l[0], type, to, r->l, r->p, other, comm) \
   : operation == alltoall   ? prefix##alltoall##suffix(from, s->l[0], type, to, r->l[0], other, comm)      \
   : operation == alltoallv                                                                                 \
       ? prefix##alltoallv##suffix(from, s->l, s->p, type, to, r->l, r->p, other, comm)                     \
       : prefix##alltoallw##suffix(from, s->l, s->bytes_to, s->types, to, r->l, r->bytes_to, r->types, comm))

static int call(int operation, int turn, const struct side* s, const struct side* r, MPI_Comm comm) {
  const int* from = s->memory + before;
  int* to = r->memory + before;
  const MPI_Datatype type = ways[s->way], other = ways[r->way];
#ifdef LARGE
  if (turn % 3 == 0) return CALL(MPI_Neighbor_, _c, large_lengths, large_places);
#endif
  if (turn % 3 == 1) return CALL(PMPI_Neighbor_, , lengths, places);
  return CALL(MPI_Neighbor_, , lengths, places);
}

static void add_to_sum(const struct side* s) {
  for (int i = 0; i < s->ints; ++i) sum = (sum ^ (unsigned)s->memory[i]) * 1099511628211u;
}

static void check(const struct around* a, int operation, int count, int from_way, int to_way) {
  static int turn = 0;
  int rank, to_each[most], from_each[most];
  MPI_Comm_rank(a->comm, &rank);
  const int for_each = operation >= alltoall, by_count = operation != allgather && operation != alltoall;
  const int sends = for_each ? a->targets : 1;
  for (int i = 0; i < sends; ++i)
    to_each[i] = !by_count ? count : for_each ? length_of(rank, a->to[i], count) : length_of(rank, 0, count);
  for (int i = 0; i < a->sources; ++i)
    from_each[i] = !by_count ? count : for_each ? length_of(a->from[i], rank, count) : length_of(a->from[i], 0, count);
  /* Beyond an edge a count means nothing. */
  for (int i = 0; i < sends && for_each && by_count; ++i)
    if (a->to[i] == MPI_PROC_NULL) to_each[i] = 1;
  for (int i = 0; i < a->sources && by_count; ++i)
    if (a->from[i] == MPI_PROC_NULL) from_each[i] = 1;
  struct side from, to;
  if (!sends) to_each[0] = count;
  if (!a->sources) from_each[0] = count;
  lay_out(&from, sends, from_way, operation == alltoallw, to_each);
  lay_out(&to, a->sources, to_way, operation == alltoallw, from_each);
  if (!sends) from.lengths[0] = from.large_lengths[0] = count;
  if (!a->sources) to.lengths[0] = to.large_lengths[0] = count;
  if (!by_count && for_each) /* one after the other */
    from.ints = before + sends * (count + 1) * extents[from_way] + before;
  if (!by_count) to.ints = before + a->sources * (count + 1) * extents[to_way] + before;
  fill(&from, -5);
  fill(&to, -7);
  for (int i = 0; i < from.ints; ++i) from.memory[i] = value(rank, operation, i);
  int right = call(operation, ++turn, &from, &to, a->comm) == MPI_SUCCESS;
  add_to_sum(&to);
  for (int i = 0; i < from.ints; ++i) right = right && from.memory[i] == value(rank, operation, i);
  ++results;
  if (!right && ++wrong < 5)
    fprintf(stderr, "wrong: %s of %d pairs on %s, ways %d and %d, on %d\n", names[operation], count, a->name, from_way,
            to_way, rank);
  free(from.memory);
  free(to.memory);
}

static void ask_grid(struct around* a, int dimensions) {
  a->targets = a->sources = 2 * dimensions;
  for (int d = 0; d < dimensions; ++d) MPI_Cart_shift(a->comm, d, 1, &a->to[2 * d], &a->to[2 * d + 1]);
  memcpy(a->from, a->to, sizeof(a->from));
}

static void make_grid(struct around* a, const char* name, int dimensions, int one_side, int periodic) {
  int size, sides[3] = {0, 0, 0}, is_periodic[3];
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  sides[0] = one_side;
  MPI_Dims_create(size, dimensions, sides);
  for (int d = 0; d < dimensions; ++d) is_periodic[d] = periodic >> d & 1;
  a->name = name;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sides, is_periodic, 0, &a->comm);
  ask_grid(a, dimensions);
}

/* A ring both ways, in which ranks are also their own neighbours. */
static void make_graph(struct around* a) {
  int rank, size, ends[most * 4], edges[most * 16], count = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < size; ++i) {
    edges[count++] = (i + 1) % size;
    edges[count++] = i;
    edges[count++] = (i + size - 1) % size;
    ends[i] = count;
  }
  a->name = "a graph";
  MPI_Graph_create(MPI_COMM_WORLD, size, ends, edges, 0, &a->comm);
  MPI_Graph_neighbors_count(a->comm, rank, &a->targets);
  MPI_Graph_neighbors(a->comm, rank, most, a->to);
  a->sources = a->targets;
  memcpy(a->from, a->to, sizeof(a->from));
}

/* Every rank sends to some of those after it, once or twice; `none`: the last rank has no neighbours. */
static void make_distributed_graph(struct around* a, int none) {
  int rank, size, steps[] = {1, 0, 2, 1}, weights[most];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  a->targets = a->sources = 0;
  for (int i = 0; i < 4; ++i) {
    const int to = (rank + steps[i]) % size, from = (rank + 2 * size - steps[i]) % size;
    if (!none || (to != size - 1 && rank != size - 1)) a->to[a->targets++] = to;
    if (!none || (from != size - 1 && rank != size - 1)) a->from[a->sources++] = from;
  }
  for (int i = 0; i < most; ++i) weights[i] = i + 1;
  a->name = none ? "a distributed graph without the last rank" : "a distributed graph";
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, a->sources, a->from, none ? weights : MPI_UNWEIGHTED, a->targets,
                                 a->to, none ? weights : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &a->comm);
}

int main(int argc, char** argv) {
  const int counts[] = {0, 2, 2500};
  struct around all[kinds];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  make_types();
  make_grid(&all[0], "a ring", 1, 0, 1);
  make_grid(&all[1], "a row", 1, 0, 0);
  make_grid(&all[2], "a torus", 2, 0, 3);
  make_grid(&all[3], "a torus of one side", 2, 1, 3);
  make_grid(&all[4], "a cylinder of three dimensions", 3, 0, 2);
  make_graph(&all[5]);
  make_distributed_graph(&all[6], 0);
  make_distributed_graph(&all[7], 1);
  for (int operation = 0; operation < operation_count; ++operation) {
    int wanted = argc < 2;
    for (int i = 1; i < argc; ++i) wanted = wanted || strcmp(argv[i], names[operation]) == 0;
    for (int kind = 0; kind < kinds && wanted; ++kind)
      for (unsigned i = 0; i < sizeof(counts) / sizeof(*counts); ++i)
        for (int way = 0; way < way_count; ++way)
          check(&all[kind], operation, counts[i], (rank + way) % way_count, (3 * rank + way + (int)i) % way_count);
  }
  printf("rank %d: %ld results, %ld wrong, %llx\n", rank, results, wrong, sum);
  for (int i = 0; i < way_count; ++i) MPI_Type_free(&ways[i]);
  for (int kind = 0; kind < kinds; ++kind) MPI_Comm_free(&all[kind].comm);
  MPI_Finalize();
  return wrong != 0;
}
