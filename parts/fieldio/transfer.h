/* A field on its way between the ranks' arrays and the file. */
#ifndef LEADLINE_FIELDIO_TRANSFER_H
#define LEADLINE_FIELDIO_TRANSFER_H

#include "field_file.h"
#include "spread.h"

#define read_box leadline_fieldio_read_box_
#define write_box leadline_fieldio_write_box_
#define room_for leadline_fieldio_room_for_
#define pack leadline_fieldio_pack_
#define unpack leadline_fieldio_unpack_

typedef struct {
  leadline_field_file* file;
  int variable;
  int leading;
  const int64_t* index;
  const leadline_spread* spread;
  leadline_fieldio_type type;
  size_t element;
  const Box* parts; /* of all ranks: with halos where they are read */
  Division division;
  char* slab;   /* of ranks that have the file open */
  char* packed; /* all ranks' parts of a slab, on the root; elsewhere this rank's; in the parallel way what it reads */
  char* others; /* in the parallel way, what is sent and received */
  int* bytes;   /* of each rank's part, and where it is in `packed` */
  int* places;
  MPI_Request* requests;
} Transfer;

static inline bool is_root(const Transfer* t) { return t->file->rank == ROOT; }

void read_box(const Transfer* t, const Box* box, void* values);
void write_box(const Transfer* t, const Box* box, void* values);
void* room_for(Transfer* t, uint64_t bytes);                                       /* null: noted */
void pack(const Transfer* t, const Box* part, void* values, char* packed);         /* land is written as such */
void unpack(const Transfer* t, const Box* part, const char* packed, void* values); /* land is left as it is */

#endif
