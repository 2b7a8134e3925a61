// Passes rubbish for every argument that MPI says is ignored:   ignored [CALL...]
// 0, and then 0x10, stands for ignored handles and addresses, 99 for ignored numbers. The calls themselves are
// generated from api/semantics.toml (tests/recorder/ignored_arguments.py) and included here: ignored_calls.h. A CALL,
// "MPI_Bcast between groups", is left out: libraries look at some of what they should ignore. On three ranks. Each
// prints how many calls it made and a check of what came with them.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ranks = 3, unit = 2, room = ranks * unit };

// What the call is on, and what holds of it on this process.
struct situation {
  MPI_Comm comm;
  int root;   // as it is passed
  int peers;  // processes that are talked to
  int at_root, names_root, not_idle, sends, receives, operates;
};

static int rank, left_out, calls;
static unsigned check;
static char** left_out_calls;
static intptr_t rubbish;
static int out[room], in[room], counts[ranks] = {unit, unit, unit}, places[ranks] = {0, unit, 2 * unit};
static int byte_places[ranks] = {0, unit * sizeof(int), 2 * unit * sizeof(int)};
static MPI_Datatype types[ranks];
static MPI_Win window;
static MPI_Request request;

#define HANDLE(counts_here, type, value) ((counts_here) ? (value) : (type)rubbish)
#define ADDRESS(counts_here, value) ((counts_here) ? (void*)(value) : (void*)rubbish)
#define NUMBER(counts_here, value) ((counts_here) ? (value) : 99)

// False for a call that is to be left out.
static int prepare(const char* call, const char* where) {
  char both[100];
  snprintf(both, sizeof both, "%s %s", call, where);
  for (int i = 0; i < left_out; ++i) {
    if (strcmp(left_out_calls[i], both) == 0) return 0;
  }
  for (int i = 0; i < room; ++i) {
    out[i] = 100 * (rank + 1) + i;
    in[i] = 1000 * (rank + 1) + i;
  }
  return 1;
}

static void check_call(void) {
  ++calls;
  for (int i = 0; i < room; ++i) check = 31 * check + (unsigned)in[i];
}

static void complete(int persistent) {
  if (persistent) MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (persistent) MPI_Request_free(&request);
}

#include "ignored_calls.h"

static MPI_Comm between_groups(void) {
  // Ranks 0 and 1 against rank 2; the leader of the first group is not its first rank.
  MPI_Comm half, both;
  const int leader = rank < 2 ? 1 : 0, leads = rank != 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &half);
  MPI_Intercomm_create(half, leader, HANDLE(leads, MPI_Comm, MPI_COMM_WORLD), NUMBER(leads, rank < 2 ? 2 : 1), 5,
                       &both);
  MPI_Comm_free(&half);
  return both;
}

static void pass(intptr_t as_rubbish) {
  rubbish = as_rubbish;
  const int root = 1, is_root = rank == root;
  const struct situation plain = {MPI_COMM_WORLD, root, ranks, is_root, 1, 1, 1, 1, 1};
  call_all(plain, "plain");
  struct situation in_place = plain;
  in_place.sends = in_place.receives = 0;
  call_all_in_place(in_place, "in place");
  MPI_Comm both = between_groups();
  const int passed = rank == 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  const struct situation groups = {both, passed, rank == 2 ? 2 : 1, rank == 0, rank == 2, rank != 1, 1, 1, 1};
  call_all_between_groups(groups, "between groups");
  MPI_Comm_free(&both);
  MPI_Win_create(in, sizeof in, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(0, window);
  struct situation fetches = plain;
  fetches.operates = 0;
  fetch_all(fetches, "fetched");
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  left_out = argc - 1;
  left_out_calls = argv + 1;
  for (int i = 0; i < ranks; ++i) types[i] = MPI_INT;
  pass(0);
  pass(0x10);
  printf("rank %d: %d calls, check %u\n", rank, calls, check);
  MPI_Finalize();
  return 0;
}
