/* Programs of two ranks, each as it is and with one change that `leadline predict` replays.

     changes KIND base|changed BYTES STEPS [FIELDS]

   Prints the seconds that the steps took. The computation is a loop over an array that stays in the caches. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { row = 8, work = 4000 };
#define KEEP __attribute__((noinline))
#define LAST __asm__ volatile("") /* no tail call, which would take the routine off the stack */

static int rank, other, bytes, changed, fields = 51;
static char *out, *in, *packed_out, *packed_in;
static double array[work];

KEEP static void compute(int times) {
  for (int t = 0; t < times; ++t)
    for (int i = 1; i < work; ++i) array[i] = array[i] * 0.999 + array[i - 1] * 0.001;
}

static inline __attribute__((always_inline)) void exchange(void* from, void* to, int size, int tag) {
  MPI_Request requests[2];
  MPI_Irecv(to, size, MPI_BYTE, other, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(from, size, MPI_BYTE, other, tag, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void packed(int count) {
  for (int f = 0; f < count; ++f) memcpy(packed_out + (long)f * bytes, out + (long)f * bytes, bytes);
  exchange(packed_out, packed_in, count * bytes, 1);
  for (int f = 0; f < count; ++f) memcpy(in + (long)f * bytes, packed_in + (long)f * bytes, bytes);
}

KEEP static void exchange_fields(void) {
  if (changed) {
    for (int f = 0; f < fields; ++f) compute(1);
    return packed(fields);
  }
  for (int f = 0; f < fields; ++f) {
    compute(1);
    exchange(out + (long)f * bytes, in + (long)f * bytes, bytes, 1);
  }
}

KEEP static void exchange_row(void) {
  if (changed) {
    packed(row);
    return;
  }
#define FIELD(f) exchange(out + (long)f * bytes, in + (long)f * bytes, bytes, f);
  FIELD(0) FIELD(1) FIELD(2) FIELD(3) FIELD(4) FIELD(5) FIELD(6) FIELD(7) LAST;
}

/* Either rank sends, then receives, field by field. */
KEEP static void exchange_in_turn(void) {
  MPI_Request requests[2 * row];
  for (int f = 0; f < row; ++f) {
    char *from = out + (long)f * bytes, *to = in + (long)f * bytes;
    if (changed) {
      MPI_Irecv(to, bytes, MPI_BYTE, other, f, MPI_COMM_WORLD, &requests[2 * f]);
      MPI_Isend(from, bytes, MPI_BYTE, other, f, MPI_COMM_WORLD, &requests[2 * f + 1]);
    } else if (rank) {
      MPI_Recv(to, bytes, MPI_BYTE, other, f, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(from, bytes, MPI_BYTE, other, f, MPI_COMM_WORLD);
    } else {
      MPI_Send(from, bytes, MPI_BYTE, other, f, MPI_COMM_WORLD);
      MPI_Recv(to, bytes, MPI_BYTE, other, f, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  if (changed) MPI_Waitall(2 * row, requests, MPI_STATUSES_IGNORE);
  LAST;
}

/* Rank 0 gets the fields of rank 1, one after another, or by gathers. */
KEEP static void collect(void) {
  for (int f = 0; f < row; ++f) {
    char *from = out + (long)f * bytes, *to = packed_in + (long)f * 2 * bytes;
    if (changed) {
      MPI_Gather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    } else if (rank) {
      MPI_Send(from, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    } else {
      MPI_Recv(to + bytes, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

KEEP static void exchange_and_compute(void) {
  MPI_Request requests[2];
  MPI_Irecv(in, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, &requests[1]);
  if (changed) compute(20);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (!changed) compute(20);
}

KEEP static void synchronise(void) {
  if (!changed) MPI_Barrier(MPI_COMM_WORLD);
  LAST;
}
KEEP static void exchange_with_barriers(void) {
  for (int f = 0; f < row; ++f) {
    compute(1);
    synchronise();
    exchange(out + (long)f * bytes, in + (long)f * bytes, bytes, f);
  }
}

KEEP static void send_synchronously(void) {
  for (int f = 0; f < row; ++f) {
    if (rank) {
      compute(2);
      MPI_Recv(in, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      if (changed) {
        MPI_Send(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
      } else {
        MPI_Ssend(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
      }
      compute(2);
    }
  }
}

static MPI_Win window = MPI_WIN_NULL;
KEEP static void make_window(void) {
  if (!changed || window == MPI_WIN_NULL) MPI_Win_create(in, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  LAST;
}
KEEP static void free_window(void) {
  if (!changed) MPI_Win_free(&window);
  LAST;
}
KEEP static void put(void) {
  make_window();
  MPI_Win_fence(0, window);
  MPI_Put(out, bytes, MPI_BYTE, other, 0, bytes, MPI_BYTE, window);
  MPI_Win_fence(0, window);
  free_window();
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*step)(void);
  } kinds[] = {{"pack", exchange_fields},         {"merge", exchange_row},
               {"nonblocking", exchange_in_turn}, {"gather", collect},
               {"overlap", exchange_and_compute}, {"barriers", exchange_with_barriers},
               {"relax", send_synchronously},     {"windows", put}};
  void (*step)(void) = NULL;
  if (argc != 5 && argc != 6) return 2;
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (!strcmp(argv[1], kinds[i].name)) step = kinds[i].step;
  if (!step) return 2;
  changed = !strcmp(argv[2], "changed");
  bytes = atoi(argv[3]);
  if (argc == 6) fields = atoi(argv[5]);
  if (fields < row) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  const long most = (long)fields * bytes;
  out = calloc(1, most), in = calloc(1, most), packed_out = calloc(1, most), packed_in = calloc(1, most);
  /* Written, as a program's data are: memory that was not is one page of zeros, which is in the caches. */
  memset(out, 1, most), memset(in, 1, most), memset(packed_out, 1, most), memset(packed_in, 1, most);
  const int steps = atoi(argv[4]);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < steps; ++i) {
    compute(10);
    step();
    MPI_Allreduce(MPI_IN_PLACE, array, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); /* else only inner loops are recorded */
  }
  const double taken = MPI_Wtime() - begin;
  if (!rank) printf("steps: %.9f s\n", taken);
  if (window != MPI_WIN_NULL) MPI_Win_free(&window);
  MPI_Finalize();
  return array[7] != 0;
}
