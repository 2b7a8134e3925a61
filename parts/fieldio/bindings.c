/* For the Fortran module and for Python: the same functions without anything of mpi.h in their arguments; for Fortran
 * with its arrays.
 *
 * Compiled with programs in C as well, where nothing calls it. */
#include "leadline_fieldio.h"

int leadline_spread_create_f(int comm, int dimensions, const int64_t* whole, const int64_t* first, const int64_t* count,
                             const int64_t* sizes, const int64_t* offset, const int64_t* halo,
                             leadline_spread** spread) {
  const leadline_block block = {dimensions, whole, first, count, sizes, offset, halo};
  return leadline_spread_create(MPI_Comm_f2c((MPI_Fint)comm), &block, spread);
}

int leadline_fieldio_open_f(int comm, const char* path, int create, int way, int64_t limit, const char* hints,
                            leadline_field_file** file) {
  const leadline_fieldio_options options = {(leadline_fieldio_way)way, limit > 0 ? (size_t)limit : 0,
                                            hints[0] != '\0' ? hints : NULL};
  const MPI_Comm from = MPI_Comm_f2c((MPI_Fint)comm);
  return create ? leadline_fieldio_create(from, path, &options, file)
                : leadline_fieldio_open(from, path, &options, file);
}

int leadline_fieldio_has_parallel_f(int comm, char* why, size_t why_bytes) {
  return leadline_fieldio_has_parallel(MPI_Comm_f2c((MPI_Fint)comm), why, why_bytes);
}

int leadline_fieldio_choose_hints_f(int comm, const char* path, const leadline_spread* spread,
                                    const leadline_fieldio_trial* trial, leadline_fieldio_choice* choice, char* message,
                                    size_t message_bytes) {
  return leadline_fieldio_choose_hints(MPI_Comm_f2c((MPI_Fint)comm), path, spread, trial, choice, message,
                                       message_bytes);
}

#ifdef LEADLINE_FIELDIO_FORTRAN
#include <ISO_Fortran_binding.h>

void leadline_spread_mask_f(leadline_spread* spread, const CFI_cdesc_t* mask, double land) {
  leadline_spread_mask(spread, mask->base_addr, land);
}

/* Fields of other types are refused by the functions called here, as bytes are. */
static leadline_fieldio_type type_of(const CFI_cdesc_t* values) {
  if (values->type == CFI_type_double) return LEADLINE_FIELDIO_DOUBLE;
  if (values->type == CFI_type_float) return LEADLINE_FIELDIO_FLOAT;
  if (values->type == CFI_type_int32_t) return LEADLINE_FIELDIO_INT32;
  if (values->type == CFI_type_int64_t) return LEADLINE_FIELDIO_INT64;
  return LEADLINE_FIELDIO_INT8;
}

int leadline_fieldio_read_f(leadline_field_file* file, int variable, int leading, const int64_t* index,
                            const leadline_spread* spread, const CFI_cdesc_t* values) {
  const leadline_fieldio_type type = CFI_is_contiguous(values) ? type_of(values) : LEADLINE_FIELDIO_INT8;
  return leadline_fieldio_read(file, variable, leading, index, spread, type, values->base_addr);
}

int leadline_fieldio_write_f(leadline_field_file* file, int variable, int leading, const int64_t* index,
                             const leadline_spread* spread, const CFI_cdesc_t* values) {
  const leadline_fieldio_type type = CFI_is_contiguous(values) ? type_of(values) : LEADLINE_FIELDIO_INT8;
  return leadline_fieldio_write(file, variable, leading, index, spread, type, values->base_addr);
}
#endif
