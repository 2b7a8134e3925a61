/* Array sections of Fortran as faces: their descriptors say where the elements are, so no copy is made of them.
 *
 * Only for Fortran programs; to be compiled with the C compiler that belongs to the Fortran compiler. */
#ifdef LEADLINE_SEGMENTS_FORTRAN
#include <ISO_Fortran_binding.h>

#include "leadline_collections.h"

static leadline_face face_of(const CFI_cdesc_t* section) {
  leadline_face face = {section->base_addr, section->elem_len, section->rank, {0}, {0}};
  for (int d = 0; d < section->rank && d < LEADLINE_SEGMENTS_MAX_DIMS; ++d) {
    const int reversed = section->rank - 1 - d; /* Fortran's first dimension runs fastest */
    face.count[d] = (int)section->dim[reversed].extent;
    face.stride_bytes[d] = section->dim[reversed].sm;
  }
  return face;
}

int leadline_segments_section(leadline_segments* plan, int field, int neighbour, const CFI_cdesc_t* send,
                              const CFI_cdesc_t* receive) {
  leadline_face out = {0}, in = {0};
  if (send != NULL) out = face_of(send);
  if (receive != NULL) in = face_of(receive);
  return leadline_segments_face(plan, field, neighbour, send == NULL ? NULL : &out, receive == NULL ? NULL : &in);
}

int leadline_collection_field_section(leadline_collection* collection, const char* name, const CFI_cdesc_t* part) {
  leadline_face face = {0};
  if (part != NULL) face = face_of(part);
  return leadline_collection_field(collection, name, part == NULL ? NULL : &face);
}

int leadline_collection_place_section(leadline_collection* collection, int field, int rank, const CFI_cdesc_t* place) {
  const leadline_face face = face_of(place);
  return leadline_collection_place(collection, field, rank, &face);
}
#else
typedef int leadline_segments_no_descriptors; /* a file has to have something in it */
#endif
