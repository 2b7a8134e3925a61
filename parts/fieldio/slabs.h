/* Slab by slab: one rank, or every rank alone, reads or writes. */
#ifndef LEADLINE_FIELDIO_SLABS_H
#define LEADLINE_FIELDIO_SLABS_H

#include "transfer.h"

#define make_slab_buffers leadline_fieldio_make_slab_buffers_
#define read_slabs leadline_fieldio_read_slabs_
#define write_slabs leadline_fieldio_write_slabs_

void make_slab_buffers(Transfer* t, bool to_read);
void read_slabs(Transfer* t, void* values);
void write_slabs(Transfer* t, void* values);

#endif
