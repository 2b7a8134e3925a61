/* Ranks that do file I/O in ways whose bytes are known by construction.

   files HOW DIRECTORY [STEPS]: whole, slices, gather, collective, view, stdio, wide, spliced, log, steps, strided,
   kinds, chained, outside
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

enum { BLOCK = 1000, BLOCKS = 40 };

static int rank, size, steps;
static char path[1024], *directory;
static char block[BLOCK];

static void must(int ok, const char* what) {
  if (ok) return;
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, strerror(errno));
  MPI_Abort(MPI_COMM_WORLD, 9);
}

static const char* file_named(const char* name) {
  snprintf(path, sizeof(path), "%s/%s", directory, name);
  return path;
}

/* Rank 0 writes the blocks, then everybody goes on. */
static void make_input(const char* name) {
  if (rank == 0) {
    const int fd = open(file_named(name), O_CREAT | O_WRONLY | O_TRUNC, 0644);
    must(fd >= 0, path);
    for (int i = 0; i < BLOCKS * size; ++i) must(write(fd, block, BLOCK) == BLOCK, "write");
    must(close(fd) == 0, "close");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  file_named(name);
}

static void whole(void) {
  make_input("input");
  const int fd = open(path, O_RDONLY);
  must(fd >= 0, path);
  ssize_t n;
  while ((n = read(fd, block, BLOCK)) > 0) must(n == BLOCK, "read");
  close(fd);
}

static void slices(void) {
  make_input("input");
  const int fd = open(path, O_RDONLY);
  must(fd >= 0, path);
  for (int i = 0; i < BLOCKS; ++i) {
    must(pread(fd, block, BLOCK, (off_t)(rank * BLOCKS + i) * BLOCK) == BLOCK, "pread");
  }
  close(fd);
}

static void gather(void) {
  char* all = malloc((size_t)size * BLOCK);
  MPI_Gather(block, BLOCK, MPI_BYTE, all, BLOCK, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    const int fd = open(file_named("output"), O_CREAT | O_WRONLY | O_TRUNC, 0644);
    struct iovec parts[2] = {{all, BLOCK}, {all + BLOCK, (size_t)(size - 1) * BLOCK}};
    must(writev(fd, parts, 2) == (ssize_t)size * BLOCK, "writev");
    must(fsync(fd) == 0, "fsync");
    close(fd);
  }
  free(all);
}

/* Every rank's blocks side by side, read back by the next rank. */
static void collective(void) {
  MPI_File f;
  MPI_Status status;
  const MPI_Offset mine = (MPI_Offset)rank * BLOCK, next = (MPI_Offset)((rank + 1) % size) * BLOCK;
  must(MPI_File_open(MPI_COMM_WORLD, file_named("shared"), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f) == 0,
       "MPI_File_open");
  for (int i = 0; i < steps; ++i) {
    const MPI_Offset at = (MPI_Offset)i * size * BLOCK;
    MPI_File_write_at_all(f, at + mine, block, BLOCK, MPI_BYTE, &status);
    MPI_File_sync(f);
    MPI_File_read_at_all(f, at + next, block, BLOCK, MPI_BYTE, &status);
  }
  MPI_File_close(&f);
}

/* Columns of a matrix through a view, in doubles. */
static void view(void) {
  enum { ROWS = 8, COLUMNS = 5 };
  MPI_File f;
  MPI_Status status;
  MPI_Datatype column;
  double values[ROWS * COLUMNS] = {0};
  MPI_Type_vector(ROWS, COLUMNS, COLUMNS * size, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_File_open(MPI_COMM_WORLD, file_named("matrix"), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  MPI_File_set_view(f, (MPI_Offset)(rank * COLUMNS * sizeof(double)), MPI_DOUBLE, column, "native", MPI_INFO_NULL);
  MPI_File_write_all(f, values, ROWS * COLUMNS, MPI_DOUBLE, &status);
  MPI_File_read_at_all(f, 0, values, ROWS * COLUMNS, MPI_DOUBLE, &status);
  MPI_File_close(&f);
  MPI_Type_free(&column);
}

/* A file of text and one of binary data per rank, through streams. */
/* Characters of one, two and three bytes. */
static void wide(void) {
  char name[64];
  wchar_t line[64];
  int number = 0;
  must(setlocale(LC_ALL, "C.UTF-8") != NULL, "locale");
  snprintf(name, sizeof(name), "wide-%d", rank);
  FILE* f = fopen(file_named(name), "w");
  must(f != NULL, path);
  must(fwprintf(f, L"%d %ls\n", 42, L"\u00e9") == 5, "fwprintf"); /* 6 bytes */
  must(fputws(L"\u00e4\u00f6\n", f) >= 0, "fputws");              /* 5 */
  must(fputwc(L'\u20ac', f) != WEOF, "fputwc");                   /* 3 */
  fclose(f);
  f = fopen(path, "r");
  must(fwscanf(f, L"%d", &number) == 1 && number == 42, "fwscanf"); /* 2 */
  must(fgetws(line, 64, f) != NULL && wcslen(line) == 3, "fgetws"); /* 4 */
  must(fgetws(line, 64, f) != NULL && wcslen(line) == 3, "fgetws"); /* 5 */
  must(fgetwc(f) == L'\u20ac' && fgetwc(f) == WEOF, "fgetwc");      /* 3 */
  fclose(f);
}

/* From a pipe into a file, and back. */
static void spliced(void) {
  char name[64];
  int ends[2];
  snprintf(name, sizeof(name), "spliced-%d", rank);
  must(pipe(ends) == 0, "pipe");
  const int fd = open(file_named(name), O_CREAT | O_RDWR | O_TRUNC, 0644);
  must(fd >= 0, path);
  must(write(ends[1], block, 700) == 700, "write");
  must(splice(ends[0], NULL, fd, NULL, 700, 0) == 700, "splice into the file");
  off64_t at = 100;
  must(splice(fd, &at, ends[1], NULL, 300, 0) == 300, "splice out of the file");
  close(fd);
  close(ends[0]);
  close(ends[1]);
}

static void stdio(void) {
  char name[64], line[128];
  int i, number, characters = 0;
  snprintf(name, sizeof(name), "text-%d", rank);
  FILE* f = fopen(file_named(name), "w");
  must(f != NULL, path);
  for (i = 0; i < 100; ++i) fprintf(f, "number %07d\n", i); /* 15 bytes each */
  fputs("0123456789\n", f);
  for (i = 0; i < 50; ++i) putc('x', f);
  fputc('\n', f);
  fclose(f);
  f = fopen(path, "r");
  must(fgets(line, sizeof(line), f) != NULL && strlen(line) == 15, "fgets");
  must(fscanf(f, "number %d\n", &number) == 1 && number == 1, "fscanf");
  char* got = NULL;
  size_t room = 0;
  must(getline(&got, &room, f) == 15, "getline");
  free(got);
  must(fseek(f, 100 * 15, SEEK_SET) == 0 && ftell(f) == 1500, "fseek");
  while (getc(f) != EOF) ++characters;
  must(characters == 62, "getc");
  fclose(f);
  snprintf(name, sizeof(name), "binary-%d", rank);
  f = fopen(file_named(name), "w+b");
  must(fwrite(block, 10, BLOCK / 10, f) == BLOCK / 10, "fwrite");
  rewind(f);
  must(fread(block, 1, BLOCK, f) == BLOCK, "fread");
  fclose(f);
}

/* All ranks append lines of 15 bytes to one log, which is on the disk before another one writes. */
static void append_to_log(void) {
  FILE* f = fopen(file_named("log"), "a");
  must(f != NULL, path);
  for (int i = 0; i < 3 * size; ++i) {
    if (i % size == rank) must(fprintf(f, "number %07d\n", i) == 15 && fflush(f) == 0, "log");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  fclose(f);
}

/* A new file in each step, and one that all steps append to. */
static void many_steps(void) {
  char name[64];
  snprintf(name, sizeof(name), "log-%d", rank);
  const int log = open(file_named(name), O_CREAT | O_WRONLY | O_APPEND, 0644);
  for (int i = 0; i < steps; ++i) {
    snprintf(name, sizeof(name), "step-%d-%06d", rank, i);
    const int fd = open(file_named(name), O_CREAT | O_WRONLY, 0644);
    must(write(fd, block, BLOCK) == BLOCK && write(fd, block, 10) == 10, "write");
    close(fd);
    must(write(log, block, 100) == 100, "log");
    must(unlink(path) == 0, "unlink");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  close(log);
}

/* One record in `size` belongs to each rank; the same once more; then records here and there. */
static void strided(void) {
  make_input("input");
  const int fd = open(path, O_RDONLY);
  for (int again = 0; again < 2; ++again) {
    for (int i = 0; i < BLOCKS; ++i) {
      must(lseek(fd, (off_t)(i * size + rank) * BLOCK, SEEK_SET) >= 0 && read(fd, block, BLOCK) == BLOCK, "read");
    }
  }
  close(fd);
}

/* What are files and what are not; every other way to move bytes. */
static void kinds(void) {
  int pair[2];
  char byte = 'x';
  must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && write(pair[0], &byte, 1) == 1 && read(pair[1], &byte, 1) == 1,
       "socketpair");
  close(pair[0]);
  close(pair[1]);
  must(pipe(pair) == 0 && write(pair[1], &byte, 1) == 1 && read(pair[0], &byte, 1) == 1, "pipe");
  close(pair[0]);
  close(pair[1]);
  FILE* about = fopen("/proc/self/status", "r");
  must(about != NULL && fread(block, 1, 100, about) == 100, "/proc");
  fclose(about);
  const int null = open("/dev/null", O_WRONLY);
  must(write(null, block, BLOCK) == BLOCK, "/dev/null");
  close(null);
  must(open("/nowhere/at/all", O_RDONLY) == -1 && errno == ENOENT, "errno of open");
  char name[64];
  snprintf(name, sizeof(name), "kinds-%d", rank);
  int fd = open(file_named(name), O_CREAT | O_RDWR | O_TRUNC, 0644);
  must(pwrite(fd, block, 300, 0) == 300 && write(fd, block, 100) == 100, "pwrite");
  const int copy = dup(fd);
  must(write(copy, block, 50) == 50 && lseek(fd, 0, SEEK_CUR) == 150, "dup");
  close(fd);
  struct iovec parts[2] = {{block, 60}, {block + 60, 40}};
  must(preadv(copy, parts, 2, 200) == 100 && pwritev(copy, parts, 2, 300) == 100, "preadv");
  must(read(copy, block, BLOCK) == 250 && read(copy, block, BLOCK) == 0, "read to the end");
  must(ftruncate(copy, 4096) == 0, "ftruncate");
  char* mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, copy, 0);
  must(mapped != MAP_FAILED, "mmap");
  munmap(mapped, 4096);
  char* volatile nowhere = (char*)8;
  errno = 0;
  must(write(copy, nowhere, 10) == -1 && errno == EFAULT, "errno of write");
  close(copy);
  must(close(copy) == -1 && errno == EBADF, "errno of close");
}

/* What io_tool.c looks for. */
static void chained(void) {
  char name[64];
  snprintf(name, sizeof(name), "tool-output-%d", rank);
  const int fd = open(file_named(name), O_CREAT | O_WRONLY | O_TRUNC, 0644);
  for (int i = 0; i < 7; ++i) must(write(fd, block, 100) == 100, "write");
  close(fd);
  snprintf(name, sizeof(name), "stream-%d", rank);
  FILE* f = fopen(file_named(name), "w");
  must(fwrite(block, 10, 30, f) == 30, "fwrite");
  fclose(f);
}

static void write_outside(const char* name) {
  FILE* f = fopen(file_named(name), "w");
  fwrite(block, 1, 500, f);
  fclose(f);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "whole";
  directory = argc > 2 ? argv[2] : ".";
  steps = argc > 3 ? atoi(argv[3]) : 3;
  for (int i = 0; i < BLOCK; ++i) block[i] = (char)('a' + i % 26);
  if (strcmp(how, "outside") == 0) write_outside("before");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const struct {
    const char* name;
    void (*run)(void);
  } ways[] = {{"whole", whole},       {"slices", slices},    {"gather", gather},   {"collective", collective},
              {"view", view},         {"stdio", stdio},      {"wide", wide},       {"spliced", spliced},
              {"log", append_to_log}, {"steps", many_steps}, {"strided", strided}, {"kinds", kinds},
              {"chained", chained}};
  for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); ++i) {
    if (strcmp(how, ways[i].name) == 0) ways[i].run();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (strcmp(how, "outside") == 0) write_outside("after");
  return 0;
}
