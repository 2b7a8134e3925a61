/* The forms that `auto` tries when the times are known functions of the form; on one rank, its own neighbour.
 *
 *   segments_search FIELDS STRIDED A B     a form of n segments takes n * A + B / n, as datatypes half as long again
 *
 * Prints each form that is tried, the fastest of them, and the fastest of all numbers of segments. */
#include <stdio.h>
#include <stdlib.h>

#include "search.h"

enum { MOST_FIELDS = 64, LONGS = 24 }; /* so many that the first form is one packed message */
static double memory[MOST_FIELDS][4 * LONGS];

static double takes_s(int segments, leadline_segments_method method, double a, double b) {
  return (segments * a + b / segments) * (method == LEADLINE_SEGMENTS_DATATYPE ? 1.5 : 1.0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 5) return 2;
  const int fields = atoi(argv[1]), stride = atoi(argv[2]) ? 2 : 1;
  const double a = atof(argv[3]), b = atof(argv[4]);
  leadline_segments* plan = leadline_segments_create(MPI_COMM_SELF);
  leadline_segments_neighbour(plan, 0, 0, 0);
  for (int f = 0; f < fields; ++f) {
    const leadline_face out = {memory[f], sizeof(double), 1, {LONGS}, {stride * (int)sizeof(double)}};
    const leadline_face in = {memory[f] + 2 * LONGS, sizeof(double), 1, {LONGS}, {stride * (int)sizeof(double)}};
    leadline_segments_face(plan, leadline_segments_field(plan, "field"), 0, &out, &in);
  }
  if (leadline_segments_commit(plan, 1, NULL) != LEADLINE_SEGMENTS_OK) {
    printf("%s\n", leadline_segments_message(plan));
    return 1;
  }
  Search search;
  search_begin(&search, plan);
  double best_s = takes_s(1, LEADLINE_SEGMENTS_PACK, a, b);
  search_told(&search, best_s, best_s);
  Choice choice;
  while (search_next(&search, plan, &choice)) {
    const double time_s = takes_s(choice.segments, choice.method, a, b);
    if (time_s < best_s) best_s = time_s;
    printf("tried %d %s\n", choice.segments, choice.method == LEADLINE_SEGMENTS_PACK ? "packed" : "datatype");
    search_told(&search, time_s, best_s);
  }
  double least_s = best_s;
  for (int n = 1; n <= fields; ++n) {
    const double time_s = takes_s(n, LEADLINE_SEGMENTS_PACK, a, b);
    if (time_s < least_s) least_s = time_s;
  }
  printf("found %g of %g\n", best_s, least_s);
  leadline_segments_free(&plan);
  MPI_Finalize();
  return 0;
}
