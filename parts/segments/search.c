/* From one segment upwards and from one for each field downwards, packed and as datatypes, and upwards from datatypes
 * of a good size: each of these chains goes on as long as its last form was not clearly behind the fastest, the most
 * promising chain first. */
#include "search.h"

/* A form this far behind ends its chain: few segments more or less change less than that. */
static const double clearly_behind = 1.25;

/* Long messages with a datatype travel fastest in parts of this size, if parts help at all (Open MPI). */
enum { GOOD_SIZE_KIB = 192 };

/* How the first form makes its messages, on all ranks, and the most that a rank has for a neighbour. */
enum { NOT_WHOLE, PACKS, DESCRIBES, DIVIDES, LONGEST_KIB, N_FACTS };

static void look_at(const leadline_segments* plan, const Traffic* traffic, int* facts) {
  const int pairs = plan->form->segments * plan->n_neighbours;
  for (int n = 0; n < traffic->first[pairs]; ++n) {
    facts[PACKS] |= traffic->messages[n].buffer != NULL;
    facts[DESCRIBES] |= traffic->messages[n].own_type;
  }
  for (int n = 0; n < pairs; ++n) facts[DIVIDES] |= traffic->first[n + 1] > traffic->first[n] + 1;
}

static bool is_whole(const Layout* layout) {
  return layout->n_runs == 0 || (layout->n_runs == 1 && layout->runs[0].count == 1);
}

static int kib_for(const leadline_segments* plan, int neighbour) {
  size_t bytes = 0;
  for (int field = 0; field < plan->n_fields; ++field) bytes += face_of(plan, field, neighbour)->send.bytes;
  return (int)(bytes >> 10);
}

static void add_chain(Search* search, leadline_segments_method method, bool down, int next) {
  search->chains[search->n_chains++] = (Chain){.method = method, .down = down, .first = next, .next = next};
}

void search_begin(Search* search, const leadline_segments* plan) {
  int mine[N_FACTS] = {0}, facts[N_FACTS];
  look_at(plan, &plan->form->outgoing, mine);
  look_at(plan, &plan->form->incoming, mine);
  for (int field = 0; field < plan->n_fields; ++field) {
    for (int neighbour = 0; neighbour < plan->n_neighbours; ++neighbour) {
      const Face* face = face_of(plan, field, neighbour);
      mine[NOT_WHOLE] |= !is_whole(&face->send) || !is_whole(&face->receive);
    }
  }
  for (int neighbour = 0; neighbour < plan->n_neighbours; ++neighbour) {
    const int kib = kib_for(plan, neighbour);
    if (kib > mine[LONGEST_KIB]) mine[LONGEST_KIB] = kib;
  }
  MPI_Allreduce(mine, facts, N_FACTS, MPI_INT, MPI_MAX, plan->comm);
  *search = (Search){.current = -1, .best_s = 1e300, .describes = facts[DESCRIBES]};
  const leadline_segments_method methods[] = {LEADLINE_SEGMENTS_PACK, LEADLINE_SEGMENTS_DATATYPE};
  for (int n = 0; n < 2; ++n) {
    const leadline_segments_method method = methods[n];
    if (plan->wanted_method != LEADLINE_SEGMENTS_BY_SIZE && plan->wanted_method != method) continue;
    const bool other = method == LEADLINE_SEGMENTS_PACK ? facts[DESCRIBES] : facts[PACKS];
    const bool tried = plan->wanted_method == method || (!other && !facts[DIVIDES]);
    add_chain(search, method, false, tried ? 2 : 1);
    if (tried) search->current = search->n_chains - 1;
  }
  for (int n = 0; n < 2 && plan->n_fields > 1; ++n) {
    if (plan->wanted_method != LEADLINE_SEGMENTS_BY_SIZE && plan->wanted_method != methods[n]) continue;
    if (n == 0 || facts[NOT_WHOLE]) add_chain(search, methods[n], true, plan->n_fields);
  }
  const int good = facts[LONGEST_KIB] / GOOD_SIZE_KIB;
  if (plan->wanted_method != LEADLINE_SEGMENTS_PACK && good > 1 && good < plan->n_fields) {
    add_chain(search, LEADLINE_SEGMENTS_DATATYPE, false, good);
  }
}

void search_told(Search* search, double time_s, double best_s) {
  if (search->current >= 0) search->chains[search->current].last_s = time_s;
  search->best_s = best_s;
}

/* Upwards stops where downwards has been or another began, and the other way round. */
static bool has_met(const Search* search, const Chain* chain, int fields) {
  if (chain->next < 1 || (!chain->down && chain->next > 1 && chain->next >= fields)) return true;
  for (int n = 0; n < search->n_chains; ++n) {
    const Chain* other = &search->chains[n];
    if (other->method != chain->method || other == chain) continue;
    if (other->down == chain->down) {
      if (chain->first < other->first && chain->next >= other->first) return true;
    } else if (other->last_s != 0.0 && (chain->down ? chain->next < other->next : chain->next > other->next)) {
      return true;
    }
  }
  return chain->down && chain->next == 1;
}

static void halves(const leadline_segments* plan, Choice* choice) {
  choice->segments = 0;
  for (int left = plan->n_fields; left > 0;) {
    const int size = (left + 1) / 2;
    choice->sizes[choice->segments++] = size;
    left -= size;
  }
}

bool search_next(Search* search, const leadline_segments* plan, Choice* choice) {
  int chosen = -1;
  for (int n = 0; n < search->n_chains; ++n) {
    Chain* chain = &search->chains[n];
    if (chain->last_s > clearly_behind * search->best_s || has_met(search, chain, plan->n_fields)) chain->ended = true;
    if (!chain->ended && (chosen < 0 || chain->last_s < search->chains[chosen].last_s)) chosen = n;
  }
  search->current = chosen;
  if (chosen >= 0) {
    Chain* chain = &search->chains[chosen];
    *choice = (Choice){.segments = chain->next, .method = chain->method};
    chain->next = chain->down ? chain->next / 2 : 2 * chain->next;
    return true;
  }
  if (!search->overlapped || search->unequal || plan->n_fields < 4) return false;
  /* Half of the fields, half of the rest, and so on: early segments are large, and little is left for the end. */
  search->unequal = true;
  int best = 0;
  for (int n = 1; n < search->n_chains; ++n) {
    const double last_s = search->chains[n].last_s;
    if (last_s > 0.0 && last_s < search->chains[best].last_s) best = n;
  }
  *choice = (Choice){.method = search->chains[best].method, .unequal = true};
  halves(plan, choice);
  return true;
}
