/* A library that is loaded if it fits: one built for another MPI library than the program's would also load that
 * library, which alone may end the program. The file is therefore inspected first. */
#ifndef LEADLINE_FIELDIO_SHARED_LIBRARY_H
#define LEADLINE_FIELDIO_SHARED_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#define load_if_it_fits leadline_fieldio_load_if_it_fits_
#define mpi_needed_by leadline_fieldio_mpi_needed_by_

/* The file that the environment's `variable` names, else the first of the names (to a null) that the loader's
 * directories have. Null, and why, if there is none or it does not fit. */
void* load_if_it_fits(const char* variable, const char* const* names, char* why, size_t why_bytes);

/* The MPI library that the file asks for ("libmpi.so.40"), empty if none. False if it is no shared library of 64 bits.
 */
bool mpi_needed_by(const char* path, char* name, size_t bytes);

#endif
