/* Collections: many fields brought to one rank, or from it to all, in few messages and bounded memory.
 *
 * A plan is made once and used in every step. It says which rank is the root and which fields there are. Of each field
 * every rank gives its part; the root gives a place for the part of each rank, or a handler that is called with the
 * parts as they come, so that the root need not hold all. The fields are divided into segments, of each of which every
 * rank sends or receives one message; many small fields travel in one segment, and a large field in several.
 *
 * Errors, messages and compilation are as in leadline_segments.h; docs/build-in/segments.md has the whole story. */
#ifndef LEADLINE_COLLECTIONS_H
#define LEADLINE_COLLECTIONS_H

#include "leadline_segments.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct leadline_collection leadline_collection;

enum { LEADLINE_TO_ROOT = 0, LEADLINE_FROM_ROOT = 1 };

/* Called on the root with a piece of a rank's part: `bytes` at `data`, which are those from `offset` on of the part's
 * bytes in order. To the root: read them, they are gone after the return, or are the root's own part itself. From the
 * root: fill them in. Fields come in
 * the order they were named; within a field a rank's pieces come by offset, and a part of no bytes does not come. Any
 * other value than 0 is a failure, after which no handler is called any more in this run. Must not communicate. */
typedef int (*leadline_piece_handler)(void* context, int field, int rank, size_t offset, void* data, size_t bytes);

/* Local. The communicator is duplicated by the commit. Null where there is no memory. */
leadline_collection* leadline_collection_create(MPI_Comm comm, int direction, int root);

/* Local. A field's number, from 0, and this rank's part of it; null for none. The root has a part, too, unless its
 * data are in place already. All ranks name the same fields in the same order. -1 is an error, which the commit
 * reports. */
int leadline_collection_field(leadline_collection* collection, const char* name, const leadline_face* part);

/* Local, on the root. Where the rank's part of the field goes, or comes from; null for nothing. */
int leadline_collection_place(leadline_collection* collection, int field, int rank, const leadline_face* place);

/* Local, on the root. The field has no places; its pieces go to the handler. */
int leadline_collection_handle(leadline_collection* collection, int field, leadline_piece_handler handler,
                               void* context);

/* Collective. Checks the plan on all ranks; on all of them the same error names rank, neighbour and field (a rank's
 * neighbour is the root, the root's neighbours are all ranks). limit_bytes: the most that the buffers of the root may
 * take, as the root has it; 0 leaves it to the plan. */
int leadline_collection_commit(leadline_collection* collection, size_t limit_bytes);

/* Collective. Returns when this rank's part has been sent, or has arrived; on the root when all have. A handler's
 * failure is LEADLINE_SEGMENTS_HANDLER_FAILED on the root alone; the other ranks have done their part then. */
int leadline_collection_run(leadline_collection* collection);

/* The number of segments, and where not null the bytes of this rank's buffer: on the root at most the limit,
 * elsewhere at most its parts of the segments under way, of which there are four. */
int leadline_collection_in_use(const leadline_collection* collection, size_t* buffer_bytes);

/* The text of the last error, "" if there was none. */
const char* leadline_collection_message(const leadline_collection* collection);

/* Collective. Frees everything. */
void leadline_collection_free(leadline_collection** collection);

#ifdef __cplusplus
}
#endif
#endif
