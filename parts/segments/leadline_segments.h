/* Packed exchanges: what many fields send to the same neighbours, in as few messages as pay.
 *
 * A plan is made once and used in every step. It says who the neighbours are, which fields there are, and for each
 * field and neighbour what leaves (a face of the field) and where what arrives goes (its halo). The fields are divided
 * into segments; a segment's faces for one neighbour travel as one message.
 *
 * Compile the sources beside this header with the program, with the MPI library's own compiler:
 *
 *   mpicc -O3 app.c $(leadline config --segments)/[a-z]*.c -I$(leadline config --segments)
 *
 * Except where said otherwise, functions return LEADLINE_SEGMENTS_OK or an error, whose text
 * leadline_segments_message() gives. A wrong call before the commit is kept and reported by the commit, on all ranks.
 * Data travel as bytes: all ranks must represent numbers alike. docs/build-in/segments.md has the whole story. */
#ifndef LEADLINE_SEGMENTS_H
#define LEADLINE_SEGMENTS_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct leadline_segments leadline_segments;

enum {
  LEADLINE_SEGMENTS_OK = 0,
  LEADLINE_SEGMENTS_WRONG_PLAN = 1,   /* some rank's plan is wrong, or neighbours disagree: said on all ranks */
  LEADLINE_SEGMENTS_RANK_MISSING = 2, /* a rank did not commit in time: end with MPI_Abort */
  LEADLINE_SEGMENTS_MISUSE = 3,       /* a call at the wrong time: a second start before the wait, ... */
  LEADLINE_SEGMENTS_NO_MEMORY = 4,
  LEADLINE_SEGMENTS_NO_FILE = 5,
  LEADLINE_SEGMENTS_HANDLER_FAILED = 6 /* leadline_collections.h */
};

enum { LEADLINE_SEGMENTS_AUTO = 0 }; /* as the number of segments */
enum { LEADLINE_SEGMENTS_MAX_DIMS = 7 };

/* Part of an array: element_bytes at first + sum of index[d] * stride_bytes[d], for all index[d] in 0..count[d]-1.
 * The last dimension runs fastest; sender and receiver must list the elements in the same order. */
typedef struct {
  void* first;
  size_t element_bytes;
  int dims;
  int count[LEADLINE_SEGMENTS_MAX_DIMS];
  ptrdiff_t stride_bytes[LEADLINE_SEGMENTS_MAX_DIMS];
} leadline_face;

/* The `index`-th plane across dimension `dim` of an array of dims dimensions, the last of which is contiguous;
 * `thick` planes from there on. */
leadline_face leadline_face_of_array(void* array, size_t element_bytes, int dims, const int* sizes, int dim, int index,
                                     int thick);

/* How a segment's message is made of the faces. One contiguous piece is sent from where it is in any case. */
typedef enum {
  LEADLINE_SEGMENTS_BY_SIZE = 0, /* long pieces as a datatype, short ones packed; or what `auto` finds */
  LEADLINE_SEGMENTS_PACK = 1,    /* copied into a buffer, and from one */
  LEADLINE_SEGMENTS_DATATYPE = 2 /* described by a datatype: the library takes the pieces from where they are */
} leadline_segments_method;

/* Local. The communicator is duplicated by the commit. Null where there is no memory. */
leadline_segments* leadline_segments_create(MPI_Comm comm);

/* Local. A neighbour's number, from 0. The directions tell messages of the same two ranks apart: what leaves as
 * `outgoing` here must be `incoming` there (eastward to the eastern neighbour, which has it from its west).
 * MPI_PROC_NULL as rank is a neighbour that nothing is exchanged with. -1 is an error, which the commit reports. */
int leadline_segments_neighbour(leadline_segments* plan, int rank, int outgoing, int incoming);

/* Local. A field's number, from 0; the name is for messages. -1 is an error, which the commit reports. */
int leadline_segments_field(leadline_segments* plan, const char* name);

/* Local. What of the field leaves for the neighbour, and where what comes from it goes; null for nothing. */
int leadline_segments_face(leadline_segments* plan, int field, int neighbour, const leadline_face* send,
                           const leadline_face* receive);

/* Local. The same with datatypes, as one would pass them to MPI_Isend and MPI_Irecv. They may be freed afterwards. */
int leadline_segments_face_typed(leadline_segments* plan, int field, int neighbour, const void* send, int send_count,
                                 MPI_Datatype send_type, void* receive, int receive_count, MPI_Datatype receive_type);

/* Local, before the commit. persistent: 1 MPI_Send_init and MPI_Start, 0 MPI_Isend, -1 left to the plan. */
int leadline_segments_use(leadline_segments* plan, leadline_segments_method method, int persistent);

/* Collective. Checks the plan on all ranks; on all of them the same error names rank, neighbour and field.
 * segments: 1 to the number of fields, or LEADLINE_SEGMENTS_AUTO: tried out in the first exchanges.
 * sizes: fields in each segment, in the order they were named, or null for equal segments. */
int leadline_segments_commit(leadline_segments* plan, int segments, const int* sizes);

/* An exchange. start() readies the receives; ready() says that a field's faces hold what is to be sent, and sends the
 * segment if it was the last of it; wait_field() returns when the field's halo is there (its segment must be ready);
 * wait() takes fields not yet ready as ready, and returns when everything has arrived and been sent. */
int leadline_segments_start(leadline_segments* plan);
int leadline_segments_ready(leadline_segments* plan, int field);
int leadline_segments_wait_field(leadline_segments* plan, int field);
int leadline_segments_wait(leadline_segments* plan);

/* start() and wait(). */
int leadline_segments_exchange(leadline_segments* plan);

/* Ends an exchange that is under way, and frees everything. Collective. */
void leadline_segments_free(leadline_segments** plan);

/* The text of the plan's last error, "" if there was none. */
const char* leadline_segments_message(const leadline_segments* plan);

/* What is in use: the number of segments, and where not null their sizes (room for as many as there are fields), the
 * method and whether requests are persistent. */
int leadline_segments_in_use(const leadline_segments* plan, int* sizes, leadline_segments_method* method,
                             int* persistent);

/* With LEADLINE_SEGMENTS_AUTO: 1 when the choice is made. trials: exchanges tried; lost_s: seconds that the slower
 * forms and the making of their messages took. */
int leadline_segments_tuned(const leadline_segments* plan, int* trials, double* lost_s);

/* Collective. Writes what is in use to a file that load() of a like plan (same sizes, processes and MPI library)
 * reads; load() comes before the commit with LEADLINE_SEGMENTS_AUTO, which then tries nothing out if it was found. */
int leadline_segments_save(leadline_segments* plan, const char* path);
int leadline_segments_load(leadline_segments* plan, const char* path);

#ifdef __cplusplus
}
#endif
#endif
