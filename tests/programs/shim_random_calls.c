/* Blocking collectives drawn at random: operations, communicators, counts, datatypes, roots, in place or not. Each rank
   prints a number that stands for all that it received, which is to be the same with the library's own algorithms.
   shim_random_calls SEED CALLS */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim_pairs.h"

enum { most_ranks = 16, most_count = 700, room = most_ranks * (4 * most_count + 8) * 3 + 64 };
enum {
  bcast,
  reduce,
  allreduce,
  reduce_scatter_block,
  reduce_scatter,
  scan,
  exscan,
  barrier,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  to_all,
  to_all_v,
  to_each,
  to_each_v,
  to_each_w, /* neighbours */
  operations
};
enum { communicators = 6 };

static int from[room], to[room], rank, size, root, count, in_place, salt;
static uint64_t shared, sum;
static MPI_Op composition;

static unsigned drawn(uint64_t* state, unsigned below) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(*state >> 33) % below;
}

/* x -> slope x + shift: composing them is not commutative. */
static void compose(void* one, void* other, int* n, MPI_Datatype* type) {
  const uint32_t* first = one;
  uint32_t* second = other;
  (void)type;
  for (int i = 0; i < *n; ++i) {
    second[2 * i + 1] += second[2 * i] * first[2 * i + 1];
    second[2 * i] *= first[2 * i];
  }
}

/* Blocks of a side: with lengths that both ranks know, an element or two apart, the last one first. */
struct side {
  int lengths[most_ranks], places[most_ranks], bytes_to[most_ranks], way;
  MPI_Aint addresses[most_ranks];
  MPI_Datatype types[most_ranks];
};

static int between(int one, int other) {
  return (in_place ? 3 * (one + other) + salt : 3 * one + 5 * other + salt) % 4 * count;
}

static void lay_out(struct side* s, int blocks, int way, int is_mixed, const int* lengths) {
  s->way = way;
  for (int i = blocks - 1, at = 0, elements = 0; i >= 0; --i) {
    const int its = is_mixed ? (way + i) % way_count : way;
    s->lengths[i] = lengths[i];
    s->places[i] = elements;
    s->types[i] = ways[its];
    s->bytes_to[i] = at * (int)sizeof(int);
    s->addresses[i] = s->bytes_to[i];
    elements += lengths[i] + 1;
    at += (lengths[i] + 2) * extents[its];
  }
}

static void neighbours_of(MPI_Comm comm, int* targets, int* targeted, int* sources, int* sourced) {
  int topology, dims, weighted, ignored[most_ranks];
  MPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    MPI_Cartdim_get(comm, &dims);
    for (int d = 0; d < dims; ++d) MPI_Cart_shift(comm, d, 1, &targets[2 * d], &targets[2 * d + 1]);
    *targeted = *sourced = 2 * dims;
    memcpy(sources, targets, sizeof(int) * 2 * (size_t)dims);
  } else {
    MPI_Dist_graph_neighbors_count(comm, sourced, targeted, &weighted);
    MPI_Dist_graph_neighbors(comm, *sourced, sources, ignored, *targeted, targets, ignored);
  }
}

static int is_for_each(int operation) {
  return (operation >= alltoall && operation <= alltoallw) || operation >= to_each;
}

static void by_blocks(int operation, MPI_Comm comm, uint64_t* own) {
  struct side s = {.way = 0}, r = s;
  int out[most_ranks], in[most_ranks], targets[most_ranks], sources[most_ranks], n = size, m = size;
  const int is_even = operation == gather || operation == scatter || operation == allgather || operation == alltoall ||
                      operation == to_all || operation == to_each;
  const int hands_out = operation == scatter || operation == scatterv;
  for (int i = 0; i < size; ++i) targets[i] = sources[i] = i;
  if (operation >= to_all) neighbours_of(comm, targets, &n, sources, &m);
  for (int i = 0; i < n; ++i)
    out[i] = is_even                  ? count
             : targets[i] < 0         ? 1
             : is_for_each(operation) ? between(rank, targets[i])
             : hands_out              ? between(targets[i], 0)
                                      : between(rank, 0);
  if (!n) out[0] = is_even ? count : between(rank, 0);
  for (int i = 0; i < m; ++i)
    in[i] = is_even                  ? count
            : sources[i] < 0         ? 1
            : is_for_each(operation) ? between(sources[i], rank)
            : hands_out              ? between(rank, 0)
                                     : between(sources[i], 0);
  if (!m) in[0] = count;
  const int is_mixed = operation == alltoallw || operation == to_each_w;
  lay_out(&s, n ? n : 1, (int)drawn(own, way_count), is_mixed, out);
  lay_out(&r, m ? m : 1, (int)drawn(own, way_count), is_mixed, in);
  int *f = from + before, *t = to + before;
  const MPI_Datatype a = ways[s.way], b = ways[r.way];
  const int at_root = in_place && rank == root;
  void *sf = in_place ? MPI_IN_PLACE : f, *rf = at_root ? MPI_IN_PLACE : (void*)f,
       *rt = at_root ? MPI_IN_PLACE : (void*)t;
  switch (operation) {
    case gather:
      MPI_Gather(rf, count, a, t, count, b, root, comm);
      break;
    case gatherv:
      MPI_Gatherv(rf, out[0], a, t, r.lengths, r.places, b, root, comm);
      break;
    case scatter:
      MPI_Scatter(f, count, a, rt, count, b, root, comm);
      break;
    case scatterv:
      MPI_Scatterv(f, s.lengths, s.places, a, rt, in[0], b, root, comm);
      break;
    case allgather:
      MPI_Allgather(sf, count, a, t, count, b, comm);
      break;
    case allgatherv:
      MPI_Allgatherv(sf, out[0], a, t, r.lengths, r.places, b, comm);
      break;
    case alltoall:
      MPI_Alltoall(sf, count, a, t, count, b, comm);
      break;
    case alltoallv:
      MPI_Alltoallv(sf, s.lengths, s.places, a, t, r.lengths, r.places, b, comm);
      break;
    case alltoallw:
      MPI_Alltoallw(sf, s.lengths, s.bytes_to, s.types, t, r.lengths, r.bytes_to, r.types, comm);
      break;
    case to_all:
      MPI_Neighbor_allgather(f, count, a, t, count, b, comm);
      break;
    case to_all_v:
      MPI_Neighbor_allgatherv(f, between(rank, 0), a, t, r.lengths, r.places, b, comm);
      break;
    case to_each:
      MPI_Neighbor_alltoall(f, count, a, t, count, b, comm);
      break;
    case to_each_v:
      MPI_Neighbor_alltoallv(f, s.lengths, s.places, a, t, r.lengths, r.places, b, comm);
      break;
    case to_each_w:
      MPI_Neighbor_alltoallw(f, s.lengths, s.addresses, s.types, t, r.lengths, r.addresses, r.types, comm);
      break;
    default:
      break;
  }
}

static void by_reduction(int operation, MPI_Comm comm) {
  const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_BXOR, composition};
  const int which = (int)drawn(&shared, 4), n = which == 3 ? count : 2 * count;
  const MPI_Datatype type = which == 3 ? ways[0] : MPI_UINT32_T;
  int lengths[most_ranks];
  for (int i = 0; i < size; ++i) lengths[i] = (i + salt) % 3 * n;
  const void *f = in_place ? MPI_IN_PLACE : (const void*)from, *rf = rank == root ? f : from;
  switch (operation) {
    case reduce:
      MPI_Reduce(rf, to, n, type, ops[which], root, comm);
      break;
    case allreduce:
      MPI_Allreduce(f, to, n, type, ops[which], comm);
      break;
    case reduce_scatter_block:
      MPI_Reduce_scatter_block(f, to, n, type, ops[which], comm);
      break;
    case reduce_scatter:
      MPI_Reduce_scatter(f, to, lengths, type, ops[which], comm);
      break;
    case scan:
      MPI_Scan(f, to, n, type, ops[which], comm);
      break;
    case exscan:
      MPI_Exscan(f, to, n, type, ops[which], comm);
      break;
    default:
      break;
  }
  /* In place, what is beyond the rank's own block is undefined. */
  if (operation == reduce_scatter_block) memset(to + 2 * count, 0, sizeof(to) - sizeof(int) * 2 * (size_t)count);
  const size_t own = (size_t)(which == 3 ? 2 : 1) * (size_t)lengths[rank];
  if (operation == reduce_scatter) memset(to + own, 0, sizeof(to) - sizeof(int) * own);
  if ((operation == exscan && rank == 0) || (operation == reduce && rank != root)) memset(to, 0, sizeof(to));
}

static void one_call(MPI_Comm comm, int operation, uint64_t* own, int serial) {
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const unsigned sizes[] = {1, 3, 20, most_count};
  count = (int)drawn(&shared, sizes[drawn(&shared, 4)]);
  salt = (int)drawn(&shared, 12);
  root = (int)drawn(&shared, (unsigned)size);
  in_place = drawn(&shared, 3) == 0 && operation < to_all;
  for (int i = 0; i < room; ++i) from[i] = value(rank, serial, i), to[i] = in_place ? value(rank, serial + 1, i) : -7;
  if (operation == barrier) {
    MPI_Barrier(comm);
  } else if (operation == bcast) {
    MPI_Bcast(to + before, count, ways[drawn(own, way_count)], root, comm);
  } else if (operation < barrier) {
    by_reduction(operation, comm);
  } else {
    by_blocks(operation, comm, own);
  }
  for (int i = 0; i < room; ++i) sum = (sum ^ (unsigned)to[i]) * 1099511628211u;
}

int main(int argc, char** argv) {
  MPI_Comm all[communicators];
  int world, ranks, sides[2] = {0, 0}, periodic[2] = {1, 0}, ring[4], back[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int seed = argc > 1 ? atoi(argv[1]) : 1, calls = argc > 2 ? atoi(argv[2]) : 100;
  shared = (uint64_t)seed;
  uint64_t own = (uint64_t)(seed * 1000 + world);
  make_types();
  MPI_Op_create(compose, 0, &composition);
  all[0] = MPI_COMM_WORLD;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world, &all[1]);
  MPI_Comm_split(MPI_COMM_WORLD, world % 2, world, &all[2]);
  MPI_Dims_create(ranks, 2, sides);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periodic, 0, &all[3]);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, periodic, 0, &all[4]);
  const int steps[4] = {1, 0, 1, 2};
  for (int i = 0; i < 4; ++i) ring[i] = (world + steps[i]) % ranks, back[i] = (world + 2 * ranks - steps[i]) % ranks;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 4, back, MPI_UNWEIGHTED, 4, ring, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &all[5]);
  for (int call = 0; call < calls; ++call) {
    const int operation = (int)drawn(&shared, operations);
    const unsigned first = operation >= to_all ? 3 : 0;
    one_call(all[first + drawn(&shared, communicators - first)], operation, &own, call);
  }
  printf("rank %d of %d: %llx\n", world, ranks, (unsigned long long)sum);
  for (int i = 1; i < communicators; ++i) MPI_Comm_free(&all[i]);
  for (int i = 0; i < way_count; ++i) MPI_Type_free(&ways[i]);
  MPI_Op_free(&composition);
  MPI_Finalize();
  return 0;
}
