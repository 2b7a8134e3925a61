/* Random file operations, drawn from a seed, on files of each rank's own and on shared ones.  Each rank notes what it
   did, as its calls returned, in DIRECTORY/told-RANK: a line "INTERFACE WHAT CALLS BYTES" each.

   random_files SEED DIRECTORY OPERATIONS
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROOM = 4096, PLACES = 3 };
enum { PLAIN, STREAM, SHARED, INTERFACES };
enum { READ, WRITE, READ_ASKED, WRITE_ASKED, FLUSH, SEEK, OPEN, CLOSE, KINDS };
static const char* const interfaces[] = {"POSIX", "ISOC", "MPI-IO"};
static const char* const kinds[] = {"read", "write", "read-asked", "write-asked", "flush", "seek", "open", "close"};

static struct {
  long calls, bytes;
} told[INTERFACES][KINDS];

static uint64_t shared, own; /* states: the same on all ranks; different on each */
static int rank;
static const char* directory;
static char data[ROOM];
static int descriptors[PLACES] = {-1, -1, -1};
static FILE* streams[PLACES];
static MPI_File files[PLACES] = {MPI_FILE_NULL, MPI_FILE_NULL, MPI_FILE_NULL};

static int draw(uint64_t* state, int below) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (int)((x ^ (x >> 31)) % (uint64_t)below);
}

static void tell(int interface, int kind, long bytes) {
  ++told[interface][kind].calls;
  told[interface][kind].bytes += bytes > 0 ? bytes : 0;
}

static const char* file_named(const char* kind, int of, int number) {
  static char path[1024];
  snprintf(path, sizeof(path), "%s/%s-%d-%d", directory, kind, of, number);
  return path;
}

static void use_descriptor(void) {
  const int place = draw(&own, PLACES), n = draw(&own, ROOM), at = draw(&own, 3 * ROOM);
  int* fd = &descriptors[place];
  if (*fd < 0) {
    const int more[] = {0, O_TRUNC, O_APPEND, O_CLOEXEC | O_SYNC};
    *fd = open(file_named("plain", rank, draw(&own, 4)), O_RDWR | O_CREAT | more[draw(&own, 4)], 0600);
    return tell(PLAIN, OPEN, 0);
  }
  switch (draw(&own, 8)) {
    case 0:
      close(*fd);
      *fd = -1;
      return tell(PLAIN, CLOSE, 0);
    case 1:
      return tell(PLAIN, WRITE, write(*fd, data, (size_t)n));
    case 2:
      return tell(PLAIN, WRITE, pwrite(*fd, data, (size_t)n, at));
    case 3:
      return tell(PLAIN, READ, read(*fd, data, (size_t)n));
    case 4:
      return tell(PLAIN, READ, pread(*fd, data, (size_t)n, at));
    case 5:
      lseek(*fd, at, draw(&own, 2) ? SEEK_SET : SEEK_END);
      return tell(PLAIN, SEEK, 0);
    case 6:
      fsync(*fd);
      return tell(PLAIN, FLUSH, 0);
    default:
      if (ftruncate(*fd, at) != 0) MPI_Abort(MPI_COMM_WORLD, 9);
  }
}

static void use_stream(void) {
  const int place = draw(&own, PLACES), n = 1 + draw(&own, ROOM - 1);
  FILE** f = &streams[place];
  if (!*f) {
    *f = fopen(file_named("stream", rank, place), draw(&own, 2) ? "w+" : "a+");
    return tell(STREAM, OPEN, 0);
  }
  switch (draw(&own, 5)) {
    case 0:
      fclose(*f);
      *f = NULL;
      return tell(STREAM, CLOSE, 0);
    case 1:
      fseek(*f, 0, SEEK_END);
      tell(STREAM, SEEK, 0);
      return tell(STREAM, WRITE, (long)fwrite(data, 1, (size_t)n, *f));
    case 2:
      fseek(*f, 0, SEEK_END);
      tell(STREAM, SEEK, 0);
      return tell(STREAM, WRITE, fprintf(*f, "%0*d", n, n));
    case 3:
      rewind(*f);
      tell(STREAM, SEEK, 0);
      return tell(STREAM, READ, (long)fread(data, 1, (size_t)n, *f));
    default:
      fflush(*f);
      return tell(STREAM, FLUSH, 0);
  }
}

static void open_or_close_shared(int place) {
  if (files[place] != MPI_FILE_NULL) {
    MPI_File_close(&files[place]);
    return tell(SHARED, CLOSE, 0);
  }
  const int alone = draw(&shared, 4) == 0, number = draw(&shared, 3);
  MPI_File_open(alone ? MPI_COMM_SELF : MPI_COMM_WORLD, file_named("shared", alone ? rank : 99, number),
                MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &files[place]);
  tell(SHARED, OPEN, 0);
}

/* A transfer, and what its status says. */
static void moved(int kind, int asked, MPI_Status* status) {
  int n = 0;
  tell(SHARED, kind == READ ? READ_ASKED : WRITE_ASKED, asked);
  MPI_Get_elements(status, MPI_BYTE, &n);
  tell(SHARED, kind, n);
}

static void use_shared(void) {
  const int place = draw(&shared, PLACES), n = draw(&shared, ROOM / 4), what = draw(&shared, 10);
  const int bytes = n * (int)sizeof(int);
  const MPI_Offset at = (MPI_Offset)draw(&own, 3 * ROOM);
  MPI_File f = files[place];
  MPI_Status kept, *status = &kept;
  MPI_Request request;
  if (f == MPI_FILE_NULL || what == 0) return open_or_close_shared(place);
  switch (what) {
    case 1:
      MPI_File_write_at(f, at, data, n, MPI_INT, status);
      return moved(WRITE, bytes, status);
    case 2:
      MPI_File_read_at(f, at, data, n, MPI_INT, status);
      return moved(READ, bytes, status);
    case 3:
      MPI_File_write_at_all(f, at, data, n, MPI_INT, status);
      return moved(WRITE, bytes, status);
    case 4:
      MPI_File_read_all(f, data, n, MPI_INT, status);
      return moved(READ, bytes, status);
    case 5:
      MPI_File_iwrite_at(f, at, data, n, MPI_INT, &request);
      MPI_Wait(&request, status);
      return moved(WRITE, bytes, status);
    case 6:
      MPI_File_iread_at(f, at, data, n, MPI_INT, &request);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Waitall(1, &request, status);
      return moved(READ, bytes, status);
    case 7:
      MPI_File_read_at_all_begin(f, at, data, n, MPI_INT);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_File_read_at_all_end(f, data, status);
      return moved(READ, bytes, status);
    case 8:
      MPI_File_sync(f);
      return tell(SHARED, FLUSH, 0);
    default:
      MPI_File_set_size(f, 5 * ROOM);
  }
}

int main(int argc, char** argv) {
  const long seed = argc > 1 ? atol(argv[1]) : 1, operations = argc > 3 ? atol(argv[3]) : 100;
  directory = argc > 2 ? argv[2] : ".";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  shared = (uint64_t)seed << 20;
  own = shared + 1 + (uint64_t)rank;
  for (long i = 0; i < operations; ++i) {
    const int what = draw(&shared, 3);
    what == PLAIN ? use_descriptor() : what == STREAM ? use_stream() : use_shared();
  }
  for (int i = 0; i < PLACES; ++i) {
    if (files[i] != MPI_FILE_NULL) open_or_close_shared(i);
  }
  MPI_Finalize();
  FILE* note = fopen(file_named("told", rank, 0), "w");
  for (int i = 0; i < INTERFACES; ++i) {
    for (int k = 0; k < KINDS; ++k) {
      fprintf(note, "%s %s %ld %ld\n", interfaces[i], kinds[k], told[i][k].calls, told[i][k].bytes);
    }
  }
  fclose(note);
  return 0;
}
