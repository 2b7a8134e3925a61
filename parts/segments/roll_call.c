/* The communicator's duplicate, which takes all its ranks; if one does not come, those that did say which.
 *
 * A rank waits for the duplicate up to a limit. When that is over it tells every other rank so, and a rank that is told
 * answers: after a short while, who has not been heard of is missing. Only then is anything sent over the program's own
 * communicator, and the run is about to end. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "plan.h"

enum { ANSWERS_S = 3 };

static double limit_s(void) {
  const char* given = getenv("LEADLINE_SEGMENTS_TIMEOUT_S");
  const double value = given == NULL ? 0.0 : atof(given);
  return value > 0.0 ? value : 60.0;
}

static int tag_of(MPI_Comm comm) {
  void* most;
  int there;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, &most, &there);
  return there ? *(int*)most : 32767;
}

static bool is_asked(MPI_Comm comm, int tag) {
  int there;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &there, MPI_STATUS_IGNORE);
  return there != 0;
}

static void hear(MPI_Comm comm, int tag, bool* here) {
  for (;;) {
    MPI_Status status;
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &there, &status);
    if (!there) return;
    MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, tag, comm, MPI_STATUS_IGNORE);
    here[status.MPI_SOURCE] = true;
  }
}

static int say_who_is_missing(leadline_segments* plan, int tag, double waited_s) {
  bool* here = calloc((size_t)plan->ranks, sizeof *here);
  if (here == NULL) return fail(plan, LEADLINE_SEGMENTS_RANK_MISSING, "some rank has not created the plan");
  here[plan->rank] = true;
  for (int rank = 0; rank < plan->ranks; ++rank) {
    MPI_Request request; /* to a missing rank it never completes */
    if (rank == plan->rank) continue;
    MPI_Isend(NULL, 0, MPI_BYTE, rank, tag, plan->given_comm, &request);
    MPI_Request_free(&request);
  }
  const double begin = MPI_Wtime();
  while (MPI_Wtime() - begin < ANSWERS_S) {
    hear(plan->given_comm, tag, here);
    usleep(1000);
  }
  char ranks[256] = "";
  int used = 0, missing = 0, first = -1, neighbour = -1;
  for (int rank = 0; rank < plan->ranks; ++rank) {
    if (here[rank]) continue;
    if (first < 0) first = rank;
    if (++missing <= 8)
      used += snprintf(ranks + used, sizeof ranks - (size_t)used, "%s%d", missing > 1 ? ", " : "", rank);
  }
  for (int n = 0; n < plan->n_neighbours && first >= 0; ++n) {
    if (plan->neighbours[n].rank == first) neighbour = n;
  }
  free(here);
  char whose[96] = "";
  if (neighbour >= 0)
    snprintf(whose, sizeof whose, " (rank %d is neighbour %d of rank %d)", first, neighbour, plan->rank);
  return fail(plan, LEADLINE_SEGMENTS_RANK_MISSING,
              "rank %d: rank%s %s%s of %d did not commit the plan that begins with field %s within %.0f s%s",
              plan->rank, missing > 1 ? "s" : "", ranks, missing > 8 ? ", ..." : "", plan->ranks,
              plan->n_fields > 0 ? plan->fields[0].name : "(none)", waited_s, whose);
}

int roll_call(leadline_segments* plan) {
  /* Not on the stack: if a rank is missing, the library goes on waiting for it. */
  MPI_Comm* duplicate = malloc(sizeof *duplicate);
  if (duplicate == NULL) abort();
  MPI_Request request;
  MPI_Comm_idup(plan->given_comm, duplicate, &request);
  const int tag = tag_of(plan->given_comm);
  const double limit = limit_s(), begin = MPI_Wtime();
  double look = 0.01;
  for (;;) {
    int done;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) break;
    const double waited = MPI_Wtime() - begin;
    if (waited < look) continue;
    look = waited + 0.01;
    if (waited > limit || is_asked(plan->given_comm, tag)) {
      plan->broken = true;
      return say_who_is_missing(plan, tag, limit);
    }
    usleep(500);
  }
  plan->comm = *duplicate;
  free(duplicate);
  return LEADLINE_SEGMENTS_OK;
}
