/* A row of ranks exchanges with its neighbours, each routine with another datatype. What their names end in is the
 * width of the halo that the datatype tells; 0: it does not tell. */
#include <mpi.h>
#include <stdlib.h>

enum { NX = 24, NY = 20, NZ = 16, VALUES = 5, STEPS = 6 };

static double* field;
static int left, right;

static MPI_Datatype kept(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

static void exchange(MPI_Datatype face) {
  MPI_Request requests[2];
  MPI_Irecv(field + 4, 1, face, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(field + 8, 1, face, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(field, 1, face, right, 1, MPI_COMM_WORLD);
  MPI_Send(field, 1, face, left, 2, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static MPI_Datatype part(int order, const int* sizes, const int* subsizes) {
  const int starts[3] = {0, 0, 0};
  MPI_Datatype type;
  MPI_Type_create_subarray(3, sizes, subsizes, starts, order, MPI_DOUBLE, &type);
  return kept(type);
}

#define ROUTINE(name, ...)                           \
  static void __attribute__((noinline)) name(void) { \
    static MPI_Datatype face;                        \
    if (!face) {                                     \
      __VA_ARGS__;                                   \
    }                                                \
    exchange(face);                                  \
    __asm__ volatile("");                            \
  }

ROUTINE(columns_2, MPI_Type_vector(NY, 2, NX, MPI_DOUBLE, &face); kept(face))
ROUTINE(sheets_3, MPI_Datatype rows; MPI_Type_vector(NY, 3, NX, MPI_DOUBLE, &rows);
        MPI_Type_create_hvector(NZ, 1, NX * NY * sizeof(double), rows, &face); MPI_Type_free(&rows); kept(face))
ROUTINE(plane_0, MPI_Type_vector(NZ, NX, NX* NY, MPI_DOUBLE, &face); kept(face))
ROUTINE(slab_1, face = part(MPI_ORDER_C, (int[]){NZ, NY, NX}, (int[]){NZ, 1, NX}))
ROUTINE(fortran_2, face = part(MPI_ORDER_FORTRAN, (int[]){NX, NY, NZ}, (int[]){2, NY - 4, NZ - 4}))
ROUTINE(edge_2, face = part(MPI_ORDER_C, (int[]){NZ, NY, NX}, (int[]){2, NY - 4, 2}))
ROUTINE(unlike_0, face = part(MPI_ORDER_C, (int[]){NZ, NY, NX}, (int[]){2, 5, NX}))
ROUTINE(points_1, MPI_Datatype values; MPI_Type_contiguous(VALUES, MPI_DOUBLE, &values);
        MPI_Type_vector(NY, 1, NX / VALUES, values, &face); MPI_Type_free(&values); kept(face))
ROUTINE(values_0, MPI_Type_vector(NY, 2 * VALUES, VALUES* NX, MPI_DOUBLE, &face); kept(face))
ROUTINE(resized_1, MPI_Datatype rows; MPI_Type_vector(NY, 1, NX, MPI_DOUBLE, &rows);
        MPI_Type_create_resized(rows, 0, sizeof(double), &face); MPI_Type_free(&rows); kept(face))
ROUTINE(some_0, const int at[3] = {0, 7, 40}; MPI_Type_create_indexed_block(3, 2, at, MPI_DOUBLE, &face); kept(face))
#if MPI_VERSION >= 4
ROUTINE(large_2, MPI_Type_vector_c(NY, 2, NX, MPI_DOUBLE, &face); kept(face))
#endif

/* A datatype that is created again in every step. */
static void __attribute__((noinline)) fleeting_1(void) {
  MPI_Datatype face;
  MPI_Type_vector(NY, 1, NX + 2, MPI_DOUBLE, &face);
  MPI_Type_commit(&face);
  exchange(face);
  MPI_Type_free(&face);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  field = calloc(2 * NX * NY * NZ * VALUES, sizeof(double));
  for (int step = 0; step < STEPS; ++step) {
    columns_2();
    sheets_3();
    plane_0();
    slab_1();
    fortran_2();
    edge_2();
    unlike_0();
    points_1();
    values_0();
    resized_1();
    some_0();
#if MPI_VERSION >= 4
    large_2();
#endif
    fleeting_1();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  free(field);
  MPI_Finalize();
  return 0;
}
