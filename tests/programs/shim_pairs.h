/* Pairs of two ints in several layouts: side by side, with a gap, the second one first, below their address. */
#pragma once

#include <mpi.h>

static MPI_Datatype ways[4]; /* of two ints: side by side; with a gap; the second one first; below its address */
static const int extents[4] = {2, 3, 2, 3};
enum { way_count = sizeof(ways) / sizeof(*ways), before = 4 };

static int place_of(int way, int i) {
  if (way == 0) return i;
  if (way == 2) return i / 2 * 2 + 1 - i % 2;
  return i / 2 * 3 + i % 2 * 2 - (way == 3 ? 3 : 0);
}
static int value(int from, int to, int i) { return from * 7919 + to * 104729 + i * 31 + 1; }

static void make_types(void) {
  int lengths[2] = {1, 1}, displacements[2] = {1, 0}, below[2] = {-3, -1};
  MPI_Datatype apart;
  MPI_Type_contiguous(2, MPI_INT, &ways[0]);
  MPI_Type_vector(2, 1, 2, MPI_INT, &apart);
  MPI_Type_create_resized(apart, 0, 3 * sizeof(int), &ways[1]);
  MPI_Type_free(&apart);
  MPI_Type_indexed(2, lengths, displacements, MPI_INT, &ways[2]);
  MPI_Type_indexed(2, lengths, below, MPI_INT, &ways[3]); /* lower bound -12, extent 12 */
  for (int i = 0; i < way_count; ++i) MPI_Type_commit(&ways[i]);
}
