/* For the Fortran module and for Python: the same functions without anything of mpi.h in their arguments.
 *
 * Compiled with programs in C as well, where nothing calls it. */
#include "leadline_collections.h"

leadline_segments* leadline_segments_create_f(int comm) {
  return leadline_segments_create(MPI_Comm_f2c((MPI_Fint)comm));
}

/* rank: -1 in place of MPI_PROC_NULL, whose value differs between libraries. */
int leadline_segments_neighbour_f(leadline_segments* plan, int rank, int outgoing, int incoming) {
  return leadline_segments_neighbour(plan, rank < 0 ? MPI_PROC_NULL : rank, outgoing, incoming);
}

static leadline_face face_of(void* first, size_t element_bytes, int dims, const long long* counts,
                             const long long* strides) {
  leadline_face face = {first, element_bytes, dims, {0}, {0}};
  for (int d = 0; d < dims && d < LEADLINE_SEGMENTS_MAX_DIMS; ++d) {
    face.count[d] = (int)counts[d];
    face.stride_bytes[d] = (ptrdiff_t)strides[d];
  }
  return face;
}

/* Dimensions in the order of leadline_face: the last runs fastest. A null address: nothing. */
int leadline_segments_face_f(leadline_segments* plan, int field, int neighbour, size_t element_bytes, void* send,
                             int send_dims, const long long* send_counts, const long long* send_strides, void* receive,
                             int receive_dims, const long long* receive_counts, const long long* receive_strides) {
  const leadline_face out = face_of(send, element_bytes, send_dims, send_counts, send_strides);
  const leadline_face in = face_of(receive, element_bytes, receive_dims, receive_counts, receive_strides);
  return leadline_segments_face(plan, field, neighbour, send == NULL ? NULL : &out, receive == NULL ? NULL : &in);
}

void leadline_segments_free_f(leadline_segments* plan) { leadline_segments_free(&plan); }

leadline_collection* leadline_collection_create_f(int comm, int direction, int root) {
  return leadline_collection_create(MPI_Comm_f2c((MPI_Fint)comm), direction, root);
}

int leadline_collection_field_f(leadline_collection* collection, const char* name, size_t element_bytes, void* first,
                                int dims, const long long* counts, const long long* strides) {
  const leadline_face part = face_of(first, element_bytes, dims, counts, strides);
  return leadline_collection_field(collection, name, first == NULL ? NULL : &part);
}

int leadline_collection_place_f(leadline_collection* collection, int field, int rank, size_t element_bytes, void* first,
                                int dims, const long long* counts, const long long* strides) {
  const leadline_face place = face_of(first, element_bytes, dims, counts, strides);
  return leadline_collection_place(collection, field, rank, &place);
}

void leadline_collection_free_f(leadline_collection* collection) { leadline_collection_free(&collection); }
