// random_calls N: N rounds of 64 messages between drawn ranks, with drawn sizes, tags and functions, and a collective
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
static uint64_t s = 88172645463325252ull;
static uint64_t draw(void) {
  s ^= s >> 12;
  s ^= s << 25;
  s ^= s >> 27;
  return (s * 2685821657736338717ull) >> 20;
}
enum { each = 64 };
static char out[1 << 16], in[each][1 << 14];
static double w;
int main(int c, char** v) {
  int rank, size;
  long n = atol(v[1]);
  MPI_Init(&c, &v);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double x[64] = {1}, y[64];
  for (long i = 0; i < n; ++i) {
    MPI_Request r[2 * each];
    int left = 0;
    struct {
      int from, tag, bytes, slot;
    } later[each];
    int late = 0;
    for (int k = 0; k < each; ++k) {
      int from = draw() % size, to = (from + 1 + draw() % (size - 1)) % size, bytes = draw() % 4000,
          tag = draw() % 1000 * 64 + k, how = draw() % 12;
      int work = draw() % 400;
      if (from == rank) {
        for (int q = work; q > 0; --q) w += q * 0.5;
        if (how % 2)
          MPI_Send(out, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD);
        else
          MPI_Isend(out, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &r[left++]);
      } else if (to == rank) {
        if (how < 6)
          MPI_Irecv(in[k], bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &r[left++]);
        else {
          later[late].from = from;
          later[late].tag = tag;
          later[late].bytes = bytes;
          later[late++].slot = k;
        }
      }
    }
    for (int k = 0; k < late; ++k)
      MPI_Recv(in[later[k].slot], later[k].bytes, MPI_BYTE, later[k].from, later[k].tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    int how = draw() % 4;
    while (left) {
      if (how == 0) {
        MPI_Waitall(left, r, MPI_STATUSES_IGNORE);
        break;
      }
      int at = (int)(w + left * 7) % left;
      if (at < 0) at = 0;
      MPI_Wait(&r[at], MPI_STATUS_IGNORE);
      r[at] = r[--left];
    }
    if (how == 1)
      MPI_Allreduce(x, y, 1 + draw() % 64, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (how == 2) {
      int b = draw() % 4000, root = draw() % size;
      MPI_Bcast(out, b, MPI_BYTE, root, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
}
