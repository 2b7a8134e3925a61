/* What a file that is open holds. */
#ifndef LEADLINE_FIELDIO_FIELD_FILE_H
#define LEADLINE_FIELDIO_FIELD_FILE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "leadline_fieldio.h"
#include "netcdf.h"
#include "report.h"

#define can_act leadline_fieldio_can_act_
#define check leadline_fieldio_check_
#define settle leadline_fieldio_settle_
#define info_of leadline_fieldio_info_of_

enum { ROOT = 0 };
enum { MOST_DIMENSIONS = 16 }; /* of a variable */

struct leadline_field_file {
  MPI_Comm comm;
  int rank;
  int ranks;
  leadline_fieldio_way way;
  size_t limit;
  char* path;
  const Netcdf* netcdf; /* null: another rank has the file */
  int id;
  bool open;
  Report report;
  size_t buffer_bytes;
};

/* Whether this rank calls the NetCDF library now. In the parallel way a rank on which something has failed has to,
 * until all know of it. */
bool can_act(const leadline_field_file* file);

/* False where the library's answer is an error, which is noted. */
bool check(leadline_field_file* file, int code, const char* format, ...) __attribute__((format(printf, 3, 4)));

/* Collective: OK or FAILED, the same on all ranks. */
int settle(leadline_field_file* file);

/* The hints as an info object, which must be freed unless null. Notes errors in the text. */
MPI_Info info_of(const char* hints, Report* report);

#endif
