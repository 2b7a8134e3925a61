/* All ranks read and write. */
#ifndef LEADLINE_FIELDIO_TOGETHER_H
#define LEADLINE_FIELDIO_TOGETHER_H

#include "transfer.h"

#define make_part_buffers leadline_fieldio_make_part_buffers_
#define read_together leadline_fieldio_read_together_
#define write_together leadline_fieldio_write_together_

void make_part_buffers(Transfer* t, bool to_read);
void read_together(Transfer* t, void* values);
void write_together(Transfer* t, void* values);

#endif
