// Part of plainlog.c: collectives. gives and gets: bytes this rank contributes and receives.

static long sum_of(const int* counts, int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += counts[i];
  return sum;
}

static long sum_of_types(const int* counts, const MPI_Datatype* types, int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += (long)counts[i] * type_size(types[i]);
  return sum;
}

static void put_collective(const char* name, int root, long gives, long gets, MPI_Comm comm) {
  put("%s", name);
  if (root >= 0) put(" root=%d", root);
  put(" gives=%ld gets=%ld", gives, gets);
  put_comm(comm);
  end_line();
}

// COLLECTIVE(name, parameters, arguments, root or -1, bytes given, bytes got): both forms, MPI_name and MPI_Iname.
// In the byte rules: p partners, `me` own rank, R whether this rank is the root, S and D the sizes of both types.
#define COLLECTIVE(name, lower, parameters, arguments, root_, gives, gets)             \
  int MPI_##name parameters {                                                          \
    TALLY(name);                                                                       \
    const int code = PMPI_##name arguments;                                            \
    const int p = comm_size_of_partners(comm), me = own_rank(comm), R = me == (root_); \
    (void)p, (void)R;                                                                  \
    put_collective("MPI_" #name, root_, gives, gets, comm);                            \
    return code;                                                                       \
  }                                                                                    \
  int MPI_I##lower WITH_REQUEST parameters {                                           \
    TALLY(I##lower);                                                                   \
    const int code = PMPI_I##lower AND_REQUEST arguments;                              \
    const int p = comm_size_of_partners(comm), me = own_rank(comm), R = me == (root_); \
    (void)p, (void)R;                                                                  \
    make("MPI_I" #lower, request, -1, 0, 0, 0, 0, comm);                               \
    put_collective("MPI_I" #lower, root_, gives, gets, comm);                          \
    return code;                                                                       \
  }
#define WITH_REQUEST(...) (__VA_ARGS__, MPI_Request * request)
#define AND_REQUEST(...) (__VA_ARGS__, request)
#define SEND_ONE const void *sbuf, int scount, MPI_Datatype stype
#define RECEIVE_ONE void *rbuf, int rcount, MPI_Datatype rtype
#define SEND_MANY const void *sbuf, const int *scounts, const int *sdispls, MPI_Datatype stype
#define RECEIVE_MANY void *rbuf, const int *rcounts, const int *rdispls, MPI_Datatype rtype
#define REDUCTION const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op
#define S (long)type_size(stype)
#define D (long)type_size(rtype)
#define T (long)type_size(type)

COLLECTIVE(Barrier, barrier, (MPI_Comm comm), (comm), -1, 0, 0)
COLLECTIVE(Bcast, bcast, (void* buf, int count, MPI_Datatype type, int root, MPI_Comm comm),
           (buf, count, type, root, comm), root, R ? count * T : 0, R ? 0 : count * T)
COLLECTIVE(Gather, gather, (SEND_ONE, RECEIVE_ONE, int root, MPI_Comm comm),
           (sbuf, scount, stype, rbuf, rcount, rtype, root, comm), root, scount* S, R ? rcount * D * p : 0)
COLLECTIVE(Gatherv, gatherv, (SEND_ONE, RECEIVE_MANY, int root, MPI_Comm comm),
           (sbuf, scount, stype, rbuf, rcounts, rdispls, rtype, root, comm), root, scount* S,
           R ? sum_of(rcounts, p) * D : 0)
COLLECTIVE(Scatter, scatter, (SEND_ONE, RECEIVE_ONE, int root, MPI_Comm comm),
           (sbuf, scount, stype, rbuf, rcount, rtype, root, comm), root, R ? scount * S * p : 0, rcount* D)
COLLECTIVE(Scatterv, scatterv, (SEND_MANY, RECEIVE_ONE, int root, MPI_Comm comm),
           (sbuf, scounts, sdispls, stype, rbuf, rcount, rtype, root, comm), root, R ? sum_of(scounts, p) * S : 0,
           rcount* D)
COLLECTIVE(Allgather, allgather, (SEND_ONE, RECEIVE_ONE, MPI_Comm comm),
           (sbuf, scount, stype, rbuf, rcount, rtype, comm), -1, scount* S, rcount * D * p)
COLLECTIVE(Allgatherv, allgatherv, (SEND_ONE, RECEIVE_MANY, MPI_Comm comm),
           (sbuf, scount, stype, rbuf, rcounts, rdispls, rtype, comm), -1, scount* S, sum_of(rcounts, p) * D)
COLLECTIVE(Alltoall, alltoall, (SEND_ONE, RECEIVE_ONE, MPI_Comm comm), (sbuf, scount, stype, rbuf, rcount, rtype, comm),
           -1, scount * S * p, rcount * D * p)
COLLECTIVE(Alltoallv, alltoallv, (SEND_MANY, RECEIVE_MANY, MPI_Comm comm),
           (sbuf, scounts, sdispls, stype, rbuf, rcounts, rdispls, rtype, comm), -1, sum_of(scounts, p) * S,
           sum_of(rcounts, p) * D)
COLLECTIVE(Alltoallw, alltoallw,
           (const void* sbuf, const int* scounts, const int* sdispls, const MPI_Datatype* stypes, void* rbuf,
            const int* rcounts, const int* rdispls, const MPI_Datatype* rtypes, MPI_Comm comm),
           (sbuf, scounts, sdispls, stypes, rbuf, rcounts, rdispls, rtypes, comm), -1, sum_of_types(scounts, stypes, p),
           sum_of_types(rcounts, rtypes, p))
COLLECTIVE(Reduce, reduce, (REDUCTION, int root, MPI_Comm comm), (sbuf, rbuf, count, type, op, root, comm), root,
           count* T, R ? count * T : 0)
COLLECTIVE(Allreduce, allreduce, (REDUCTION, MPI_Comm comm), (sbuf, rbuf, count, type, op, comm), -1, count* T,
           count* T)
COLLECTIVE(Scan, scan, (REDUCTION, MPI_Comm comm), (sbuf, rbuf, count, type, op, comm), -1, count* T, count* T)
COLLECTIVE(Exscan, exscan, (REDUCTION, MPI_Comm comm), (sbuf, rbuf, count, type, op, comm), -1, count* T, count* T)
COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, (REDUCTION, MPI_Comm comm), (sbuf, rbuf, count, type, op, comm),
           -1, count * T * p, count* T)
COLLECTIVE(Reduce_scatter, reduce_scatter,
           (const void* sbuf, void* rbuf, const int* rcounts, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (sbuf, rbuf, rcounts, type, op, comm), -1, sum_of(rcounts, p) * T, rcounts[me] * T)

// Neighbourhoods: p is the number of neighbours on the receiving and on the sending side.
static void neighbours(MPI_Comm comm, int* from, int* to) {
  int kind = MPI_UNDEFINED, weighted;
  PMPI_Topo_test(comm, &kind);
  *from = *to = 0;
  if (kind == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors_count(comm, from, to, &weighted);
  if (kind == MPI_CART) PMPI_Cartdim_get(comm, from), *to = *from *= 2;
}

#define NEIGHBOURHOOD(name, lower, given)                                                    \
  int MPI_##name(SEND_ONE, RECEIVE_ONE, MPI_Comm comm) {                                     \
    TALLY(name);                                                                             \
    int from, to;                                                                            \
    const int code = PMPI_##name(sbuf, scount, stype, rbuf, rcount, rtype, comm);            \
    neighbours(comm, &from, &to);                                                            \
    put_collective("MPI_" #name, -1, given, rcount * D * from, comm);                        \
    return code;                                                                             \
  }                                                                                          \
  int MPI_I##lower(SEND_ONE, RECEIVE_ONE, MPI_Comm comm, MPI_Request* request) {             \
    TALLY(I##lower);                                                                         \
    int from, to;                                                                            \
    const int code = PMPI_I##lower(sbuf, scount, stype, rbuf, rcount, rtype, comm, request); \
    neighbours(comm, &from, &to);                                                            \
    make("MPI_I" #lower, request, -1, 0, 0, 0, 0, comm);                                     \
    put_collective("MPI_I" #lower, -1, given, rcount * D * from, comm);                      \
    return code;                                                                             \
  }
NEIGHBOURHOOD(Neighbor_allgather, neighbor_allgather, scount* S)
NEIGHBOURHOOD(Neighbor_alltoall, neighbor_alltoall, scount * S * to)
#undef S
#undef D
#undef T
