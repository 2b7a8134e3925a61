/* The forms that `auto` tries, one after the other. */
#ifndef LEADLINE_SEGMENTS_SEARCH_H
#define LEADLINE_SEGMENTS_SEARCH_H

#include "plan.h"

enum { MOST_FORMS = 24, MOST_CHAINS = 5, MOST_PARTS = 32 };

/* One way of making messages, with more and more segments, or with fewer and fewer. */
typedef struct {
  leadline_segments_method method;
  bool down;
  int first; /* segments it began with */
  int next;
  double last_s; /* of the form before; 0 if there was none */
  bool ended;
} Chain;

typedef struct {
  Chain chains[MOST_CHAINS];
  int n_chains;
  int current; /* whose form is tried; -1: none's */
  double best_s;
  bool describes;  /* a form with datatypes has been made, on some rank */
  bool overlapped; /* fields are declared ready one by one, so segments of unequal size may pay */
  bool unequal;    /* were tried */
} Search;

typedef struct {
  int segments;
  leadline_segments_method method;
  bool unequal;
  int sizes[MOST_PARTS]; /* if so */
} Choice;

/* Collective, with plan->form prepared: the first form that is tried, of one segment. */
void search_begin(Search* search, const leadline_segments* plan);

/* The time of the form that search_next() gave last, or the first form's, and of the fastest until now. */
void search_told(Search* search, double time_s, double best_s);

/* The next form; false if there is none. The same on all ranks if they are told the same. */
bool search_next(Search* search, const leadline_segments* plan, Choice* choice);

#endif
