/* What a plan holds, for the files of this library.
 *
 * plan.c               what the user calls before the commit      layout.c    faces as runs of blocks
 * commit.c, check.c    the collective check                       form.c      messages of one segmentation
 * exchange.c           start, ready, wait                         tune.c      which form, found in the first exchanges
 * saved.c              what was found, as a file                  search.c     the forms it tries, and when
 * roll_call.c          a rank that does not come         message_sizes.h  what is fastest
 * collection.c         all-to-one and one-to-all: the plan        gather.c     carried out in segments
 * division.c           its fields divided into segments           moves.c      what each segment takes */
#ifndef LEADLINE_SEGMENTS_PLAN_H
#define LEADLINE_SEGMENTS_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "leadline_segments.h"

/* What the linker sees of this library is named for it: programs have functions of these names. */
#define fail leadline_segments_fail_
#define keep_first leadline_segments_keep_first_
#define layout_from_face leadline_segments_layout_from_face_
#define layout_from_type leadline_segments_layout_from_type_
#define layout_append leadline_segments_layout_append_
#define layout_free leadline_segments_layout_free_
#define pack_layout leadline_segments_pack_layout_
#define pack_range leadline_segments_pack_range_
#define unpack_range leadline_segments_unpack_range_
#define unpack_layout leadline_segments_unpack_layout_
#define check_local leadline_segments_check_local_
#define check_memory leadline_segments_check_memory_
#define check_neighbours leadline_segments_check_neighbours_
#define agree leadline_segments_agree_
#define roll_call leadline_segments_roll_call_
#define form_shape leadline_segments_form_shape_
#define form_prepare leadline_segments_form_prepare_
#define form_free leadline_segments_form_free_
#define exchange_prepare leadline_segments_exchange_prepare_
#define tune_begin leadline_segments_tune_begin_
#define tune_agree leadline_segments_tune_agree_
#define tune_before leadline_segments_tune_before_
#define tune_after leadline_segments_tune_after_
#define tune_count leadline_segments_tune_count_
#define tune_overlaps leadline_segments_tune_overlaps_
#define search_begin leadline_segments_search_begin_
#define search_told leadline_segments_search_told_
#define search_next leadline_segments_search_next_
#define tune_free leadline_segments_tune_free_
#define signature_of leadline_segments_signature_of_
#define apply_loaded leadline_segments_apply_loaded_

enum { MESSAGE_LENGTH = 512, NAME_LENGTH = 48, NO_NUMBER = -1 };

/* `count` blocks of `bytes` each, the first at `at`, `stride` bytes from start to start. */
typedef struct {
  char* at;
  size_t bytes;
  size_t count;
  ptrdiff_t stride;
} Run;

typedef struct {
  Run* runs;
  int n_runs;
  size_t bytes;
} Layout;

typedef struct {
  Layout send;
  Layout receive;
  bool given;
} Face;

typedef struct {
  int rank; /* MPI_PROC_NULL: nothing is exchanged */
  int outgoing;
  int incoming;
} Neighbour;

typedef struct {
  char name[NAME_LENGTH];
} Field;

/* What the fields from `field` until before `end_field` of a segment send to one neighbour, or receive from it. */
typedef struct {
  int field;
  int end_field;
  int rank;
  int tag;
  size_t bytes;
  char* buffer;  /* null unless packed */
  Layout pieces; /* of all fields, if it is packed */
  void* address; /* what MPI gets: the buffer, the only piece, or MPI_BOTTOM */
  int count;
  MPI_Datatype type;
  bool own_type;
  bool persistent; /* its request was made in advance */
} Message;

/* All messages that are sent, or all that are received, by segment, then neighbour. */
typedef struct {
  Message* messages;
  MPI_Request* requests;
  int* first;    /* message of segment * neighbours + neighbour, and the number of messages */
  int* message;  /* of field * neighbours + neighbour: which its face is in */
  size_t* place; /* and where in its buffer */
} Traffic;

/* One way to carry the exchange out. */
typedef struct {
  int segments;
  int* first; /* field of each segment, and the number of fields */
  leadline_segments_method method;
  bool persistent;
  bool prepared;
  bool in_turn; /* a message leaves when the one before it has arrived */
  Traffic outgoing;
  Traffic incoming;
} Form;

typedef struct Tuning Tuning;

struct leadline_segments {
  MPI_Comm given_comm;
  MPI_Comm comm; /* its duplicate, once it is committed */
  int rank;
  int ranks;
  int directions;
  Neighbour* neighbours;
  int n_neighbours;
  Field* fields;
  int n_fields;
  Face* faces; /* field * faces_wide + neighbour */
  int faces_wide;
  int faces_high;
  leadline_segments_method wanted_method;
  int wanted_persistent;
  bool committed;
  bool broken;
  bool checks_always;
  int error; /* the first wrong call before the commit */
  char message[MESSAGE_LENGTH];

  Form* form;
  bool under_way;
  bool* field_ready;
  int* left;      /* of a segment: fields that are not ready */
  bool* arrived;  /* segments */
  Tuning* tuning; /* null unless the form is being looked for */
  int tuned_trials;
  double tuned_lost_s;
  Form* loaded; /* segments, first, method and persistent only */
  char* loaded_from;
};

static inline Face* face_of(const leadline_segments* plan, int field, int neighbour) {
  return &plan->faces[(size_t)field * plan->faces_wide + neighbour];
}

static inline int segment_of(const Form* form, int field) {
  int segment = 0;
  while (form->first[segment + 1] <= field) ++segment;
  return segment;
}

/* Notes the error and its text, and returns it; keep_first leaves an earlier one in place. */
int fail(leadline_segments* plan, int error, const char* format, ...) __attribute__((format(printf, 3, 4)));
int keep_first(leadline_segments* plan, int error, const char* format, ...) __attribute__((format(printf, 3, 4)));

/* layout.c. False where there is no memory, or the datatype cannot be read (darray). */
bool layout_from_face(Layout* layout, const leadline_face* face);
bool layout_from_type(Layout* layout, void* address, int count, MPI_Datatype type);
bool layout_append(Layout* whole, const Layout* part); /* faces of equal fields at equal distances become one run */
void layout_free(Layout* layout);
char* pack_layout(char* to, const Layout* layout);
const char* unpack_layout(const Layout* layout, const char* from);
char* pack_range(char* to, const Layout* layout, size_t begin, size_t end); /* of its bytes in order */
const char* unpack_range(const Layout* layout, size_t begin, size_t end, const char* from);

/* check.c. Each returns an error that this rank found; agree() makes it one that all ranks return. */
int check_local(leadline_segments* plan);
int check_memory(leadline_segments* plan);
int check_neighbours(leadline_segments* plan, const Form* shape);
int agree(leadline_segments* plan, int error);

/* roll_call.c: duplicates the communicator, unless a rank does not come. */
int roll_call(leadline_segments* plan);

/* form.c. A segment whose method is left to the library travels as several messages where that is faster. */
Form* form_shape(int fields, int segments, const int* sizes, leadline_segments_method method, bool persistent);
bool form_prepare(const leadline_segments* plan, Form* form);
void form_free(const leadline_segments* plan, Form* form);

/* exchange.c. */
bool exchange_prepare(leadline_segments* plan);

/* tune.c: called by the commit, the second when all ranks have passed the first, and around each exchange while
 * `tuning` is not null. */
int tune_begin(leadline_segments* plan);
void tune_agree(leadline_segments* plan);
int tune_before(leadline_segments* plan);
int tune_after(leadline_segments* plan);
void tune_count(leadline_segments* plan, double seconds);
void tune_overlaps(leadline_segments* plan); /* fields are declared ready one by one */
void tune_free(leadline_segments* plan);

/* saved.c: one line that says which plans are alike. */
void signature_of(const leadline_segments* plan, char* text, size_t room);
int apply_loaded(leadline_segments* plan);

#endif
