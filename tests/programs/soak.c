// soak ROUNDS [PAUSE_US]: makes, uses and frees what MPI lets a program make, again and again, and prints after each
// tenth of the rounds: rank, seconds, rounds, resident memory of the process and of its live memory (kB).
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

// Of all mappings, and of those of a file whose name ends in .live.
static void resident_kb(long* all, long* live) {
  FILE* maps = fopen("/proc/self/smaps", "r");
  char line[4096];
  int of_live = 0;
  *all = *live = 0;
  while (maps && fgets(line, sizeof line, maps)) {
    long kb;
    if (sscanf(line, "Rss: %ld kB", &kb) == 1) {
      *all += kb;
      if (of_live) *live += kb;
    } else if (strchr(line, '-') && strchr(line, ':') && !strstr(line, " kB")) {
      of_live = strstr(line, ".live") != NULL;
    }
  }
  if (maps) fclose(maps);
}

static void communicators(void) {
  MPI_Comm copy, half, cart, made, between;
  MPI_Group world, some;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(copy, rank % 2, rank, &half);
  const int sides[1] = {size}, periodic[1] = {1};
  MPI_Cart_create(copy, 1, sides, periodic, 0, &cart);
  MPI_Comm_group(copy, &world);
  const int first[1] = {0};
  MPI_Group_incl(world, 1, first, &some);
  MPI_Comm_create(copy, some, &made);
  MPI_Allreduce(MPI_IN_PLACE, &(int){1}, 1, MPI_INT, MPI_SUM, half);
  MPI_Barrier(cart);
  if (size > 1) {
    MPI_Intercomm_create(half, 0, copy, 1 - rank % 2, 5, &between);
    MPI_Barrier(between);
    MPI_Comm_free(&between);
  }
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  MPI_Group_free(&some);
  MPI_Group_free(&world);
  MPI_Comm_free(&cart);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
}

static void add(void* in, void* out, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((int*)out)[i] += ((int*)in)[i];
}

static void datatypes(int round) {
  static int data[4096];
  const int count = 1 + round % 7;
  MPI_Datatype vector, block, both;
  MPI_Type_vector(count, 2, 8, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  MPI_Type_contiguous(3, MPI_DOUBLE, &block);
  MPI_Type_commit(&block);
  MPI_Type_dup(vector, &both);
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  int sum = 1;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Bcast(data, 1, vector, 0, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  MPI_Type_free(&both);
  MPI_Type_free(&block);
  MPI_Type_free(&vector);
}

static void requests(int round) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  char out[64] = {0}, in[64];
  MPI_Request each[2];
  MPI_Irecv(in, sizeof in, MPI_CHAR, before, round % 5, MPI_COMM_WORLD, &each[0]);
  MPI_Isend(out, sizeof out, MPI_CHAR, next, round % 5, MPI_COMM_WORLD, &each[1]);
  MPI_Waitall(2, each, MPI_STATUSES_IGNORE);
  MPI_Recv_init(in, sizeof in, MPI_CHAR, before, 9, MPI_COMM_WORLD, &each[0]);
  MPI_Send_init(out, sizeof out, MPI_CHAR, next, 9, MPI_COMM_WORLD, &each[1]);
  for (int again = 0; again < 3; ++again) {
    MPI_Startall(2, each);
    MPI_Waitall(2, each, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&each[0]);
  MPI_Request_free(&each[1]);
  MPI_Irecv(in, sizeof in, MPI_CHAR, before, 4711, MPI_COMM_WORLD, &each[0]);
  MPI_Cancel(&each[0]);
  MPI_Wait(&each[0], MPI_STATUS_IGNORE);
  MPI_Ibarrier(MPI_COMM_WORLD, &each[0]);
  for (int done = 0; !done;) MPI_Test(&each[0], &done, MPI_STATUS_IGNORE);
}

static void windows(void) {
  static int memory[16];
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static void files(const char* name) {
  MPI_File file;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "1");
  if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file) == MPI_SUCCESS) {
    MPI_File_write_at_all(file, rank * 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  MPI_Info_free(&info);
  FILE* own = fopen(name, "r");
  char text[8];
  if (own) {
    if (fread(text, 1, sizeof text, own) == 0) rewind(own);
    fclose(own);
  }
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
  const int pause_us = argc > 2 ? atoi(argv[2]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const double begin = MPI_Wtime();
  for (int round = 1; round <= rounds; ++round) {
    communicators();
    datatypes(round);
    requests(round);
    windows();
    if (round % 8 == 0) files("soak.data");
    if (round % ((rounds + 9) / 10) == 0) {
      long all, live;
      resident_kb(&all, &live);
      printf("%d %.0f %d %ld %ld\n", rank, MPI_Wtime() - begin, round, all, live);
      fflush(stdout);
    }
    if (pause_us) usleep((useconds_t)pause_us);
  }
  MPI_Finalize();
  return 0;
}
