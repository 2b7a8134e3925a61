// clang-format off
// A program that a setting can make much slower, by construction. KIND STEPS [--steps=STEPS] [--sleep-ms=TIME]
// [--bytes=LENGTH]: in each step of
//   late      every rank but the last sends to the next one, sleeps, and receives; then all meet. If messages wait for
//             their receiver, the ranks sleep one after the other instead of together.
//   barriers  the ranks meet often: if those that wait keep their core from the others, each meeting takes a time slice.
//   parts     a long message is broadcast: cut into very short parts, it takes many times as long.
//   pieces    the ranks write short pieces of a file in turn, all at once: much slower if each writes its own.
//   nobody    each rank computes, and exchanges long messages with nobody, which takes a third of the time: no setting
//             can matter, but the record cannot know.
//   alone     each rank computes: no setting of MPI can matter.
// clang-format on
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHORT = 2000, LONG = 1 << 20, PIECE = 64, PIECES = 1 << 13, NOBODY = 1 << 14 };

static int option(int argc, char** argv, const char* name, int otherwise) {
  const size_t length = strlen(name);
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], name, length) == 0) return atoi(argv[i] + length);
  }
  return otherwise;
}

static void late(char* data, int rank, int size, int sleep_ms) {
  if (rank + 1 < size) MPI_Send(data, SHORT, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
  usleep(1000 * sleep_ms);
  if (rank > 0) MPI_Recv(data, SHORT, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void pieces(char* data, int rank, int size) {
  MPI_Datatype view;
  MPI_File file;
  MPI_Type_vector(PIECES, PIECE, PIECE * size, MPI_CHAR, &view);
  MPI_Type_commit(&view);
  MPI_File_open(MPI_COMM_WORLD, "improvable.out", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_set_view(file, (MPI_Offset)rank * PIECE, MPI_CHAR, view, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, data, PIECE * PIECES, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Type_free(&view);
}

static double alone(double sum) {
  for (int i = 0; i < 200000; i++) sum += sin(sum + i);
  return sum;
}

static double nobody(char* data, double sum) {
  for (int i = 0; i < NOBODY; i++) {
    MPI_Sendrecv(data, LONG, MPI_CHAR, MPI_PROC_NULL, 1, data, LONG, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  return alone(sum);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* kind = argc > 1 ? argv[1] : "alone";
  const int steps = option(argc, argv, "--steps=", argc > 2 ? atoi(argv[2]) : 10);
  const int sleep_ms = option(argc, argv, "--sleep-ms=", 60);  // much longer than what a busy machine adds
  const int bytes = option(argc, argv, "--bytes=", LONG);
  char* data = calloc(1, LONG);
  double sum = 0.0;
  for (int step = 0; step < steps; step++) {
    if (strcmp(kind, "late") == 0) late(data, rank, size, sleep_ms);
    if (strcmp(kind, "parts") == 0) MPI_Bcast(data, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (strcmp(kind, "pieces") == 0) pieces(data, rank, size);
    if (strcmp(kind, "alone") == 0) sum = alone(sum);
    if (strcmp(kind, "nobody") == 0) sum = nobody(data, sum);
    MPI_Sendrecv(data, 8, MPI_CHAR, MPI_PROC_NULL, 1, data, 8, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; strcmp(kind, "barriers") == 0 && i < 20; i++) MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("%s: %d steps, sum %.6f\n", kind, steps, sum);
  free(data);
  MPI_Finalize();
  return 0;
}
