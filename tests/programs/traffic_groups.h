// Part of traffic.c: collectives, communicators and topologies.

static int counts[max_size], displacements[max_size], byte_displacements[max_size];
static MPI_Datatype types[max_size];

static void add_vectors(void* a, void* b, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((double*)b)[i] += ((double*)a)[i];
}

static void lay_out(void) {
  for (int i = 0; i < size; ++i) {
    counts[i] = 2;
    displacements[i] = 2 * i;
    byte_displacements[i] = 2 * i * (int)sizeof(double);
    types[i] = MPI_DOUBLE;
  }
}

static void collectives(void) {
  const int last = size - 1;
  MPI_Op op;
  fill(6);
  lay_out();
  MPI_Barrier(world);
  for (int i = 0; i < 5; ++i) MPI_Bcast(in, length, MPI_DOUBLE, i % size, world);
  MPI_Gather(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, 0, world);
  MPI_Gatherv(out, 2, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, last, world);
  MPI_Scatter(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, 0, world);
  MPI_Scatterv(out, counts, displacements, MPI_DOUBLE, in, 2, MPI_DOUBLE, last, world);
  MPI_Allgather(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, world);
  MPI_Allgatherv(out, 2, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, world);
  MPI_Alltoall(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, world);
  MPI_Alltoallv(out, counts, displacements, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, world);
  MPI_Alltoallw(out, counts, byte_displacements, types, in, counts, byte_displacements, types, world);
  MPI_Reduce(out, in, length, MPI_DOUBLE, MPI_SUM, last, world);
  for (int i = 0; i < 2; ++i) MPI_Allreduce(out, result, length, MPI_DOUBLE, MPI_MAX, world);
  MPI_Allreduce(MPI_IN_PLACE, result, length, MPI_DOUBLE, MPI_SUM, world);
  MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, world);
  MPI_Reduce_scatter_block(out, in, 2, MPI_DOUBLE, MPI_SUM, world);
  MPI_Scan(out, in, length, MPI_DOUBLE, MPI_SUM, world);
  MPI_Exscan(out, in, length, MPI_DOUBLE, MPI_SUM, world);
  MPI_Reduce_local(out, result, length, MPI_DOUBLE, MPI_SUM);
  MPI_Op_create(add_vectors, 1, &op);
  MPI_Allreduce(out, in, length, MPI_DOUBLE, op, world);
  MPI_Op_free(&op);
  add_up(in, length);
  add_up(result, length);
}

static void done(MPI_Request* request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

static void nonblocking_collectives(void) {
  const int last = size - 1;
  MPI_Request r;
  fill(7);
  lay_out();
  MPI_Ibarrier(world, &r), done(&r);
  MPI_Ibcast(in, length, MPI_DOUBLE, 0, world, &r), done(&r);
  MPI_Igather(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, 0, world, &r), done(&r);
  MPI_Igatherv(out, 2, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, last, world, &r), done(&r);
  MPI_Iscatter(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, 0, world, &r), done(&r);
  MPI_Iscatterv(out, counts, displacements, MPI_DOUBLE, in, 2, MPI_DOUBLE, last, world, &r), done(&r);
  MPI_Iallgather(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, world, &r), done(&r);
  MPI_Iallgatherv(out, 2, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, world, &r), done(&r);
  MPI_Ialltoall(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, world, &r), done(&r);
  MPI_Ialltoallv(out, counts, displacements, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, world, &r), done(&r);
  MPI_Ialltoallw(out, counts, byte_displacements, types, in, counts, byte_displacements, types, world, &r), done(&r);
  MPI_Ireduce(out, in, length, MPI_DOUBLE, MPI_SUM, last, world, &r), done(&r);
  MPI_Iallreduce(out, in, length, MPI_DOUBLE, MPI_MAX, world, &r), done(&r);
  MPI_Ireduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, world, &r), done(&r);
  MPI_Ireduce_scatter_block(out, in, 2, MPI_DOUBLE, MPI_SUM, world, &r), done(&r);
  MPI_Iscan(out, in, length, MPI_DOUBLE, MPI_SUM, world, &r), done(&r);
  MPI_Iexscan(out, result, length, MPI_DOUBLE, MPI_SUM, world, &r), done(&r);
  add_up(in, length);
}

static void exchange(MPI_Comm comm, int to, int from) {
  MPI_Sendrecv(out, length, MPI_DOUBLE, to, 60, in, length, MPI_DOUBLE, from, 60, comm, MPI_STATUS_IGNORE);
}

static void communicators(void) {
  MPI_Comm duplicate, later, half, reversed, inter, merged;
  MPI_Group all, backwards;
  MPI_Request request;
  int order[max_size], n, r, answer, mine;
  char name[MPI_MAX_OBJECT_NAME];
  fill(8);
  MPI_Comm_dup(world, &duplicate);
  MPI_Comm_idup(world, &later, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_split(world, rank % 2, rank, &half);
  MPI_Comm_group(world, &all);
  MPI_Group_size(all, &n);
  MPI_Group_rank(all, &r);
  for (int i = 0; i < size; ++i) order[i] = size - 1 - i;
  MPI_Group_incl(all, size, order, &backwards);
  MPI_Group_translate_ranks(all, 1, &rank, backwards, &r);
  MPI_Comm_create(world, backwards, &reversed);
  MPI_Group_free(&all);
  MPI_Group_free(&backwards);
  MPI_Comm_compare(world, duplicate, &answer);
  MPI_Comm_set_name(half, "half");
  MPI_Comm_get_name(half, name, &n);
  exchange(duplicate, right, left);
  exchange(later, right, left);
  MPI_Comm_rank(reversed, &mine);
  exchange(reversed, (mine + 1) % size, (mine + size - 1) % size);
  MPI_Allreduce(out, in, length, MPI_DOUBLE, MPI_SUM, half);
  MPI_Intercomm_create(half, 0, world, 1 - rank % 2, 70, &inter);
  MPI_Comm_test_inter(inter, &answer);
  MPI_Comm_remote_size(inter, &n);
  MPI_Barrier(inter);
  MPI_Intercomm_merge(inter, rank % 2, &merged);
  MPI_Allreduce(out, result, length, MPI_DOUBLE, MPI_SUM, merged);
  add_up(in, length);
  add_up(result, length);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&half);
  MPI_Comm_free(&later);
  MPI_Comm_free(&duplicate);
}

static void topologies(void) {
  MPI_Comm grid, row, graph;
  MPI_Request request;
  int dims[2] = {0, 0}, periodic[2] = {1, 1}, coords[2], keep[2] = {1, 0}, from, to, answer, n, m, weighted;
  int neighbours[2] = {left, right};
  fill(9);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(world, 2, dims, periodic, 0, &grid);
  MPI_Cartdim_get(grid, &n);
  MPI_Cart_get(grid, 2, dims, periodic, coords);
  for (int i = 0; i < 10; ++i) MPI_Cart_coords(grid, rank, 2, coords);
  MPI_Cart_rank(grid, coords, &answer);
  for (int i = 0; i < 1000; ++i) MPI_Cart_shift(grid, i % 2, 1, &from, &to);
  exchange(grid, to, from);
  MPI_Topo_test(grid, &answer);
  MPI_Cart_sub(grid, keep, &row);
  MPI_Allreduce(out, result, 1, MPI_DOUBLE, MPI_SUM, row);
  MPI_Neighbor_allgather(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, grid);
  MPI_Neighbor_alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, grid);
  MPI_Dist_graph_create_adjacent(world, 1, neighbours, MPI_UNWEIGHTED, 1, neighbours + 1, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &n, &m, &weighted);
  MPI_Ineighbor_alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, graph, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  add_up(in, 1);
  add_up(result, 1);
  MPI_Comm_free(&graph);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);
}
