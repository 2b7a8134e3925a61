/* Opens and closes files; all ranks agree on errors. */
#include "field_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 64 << 20, LARGEST_LIMIT = 1 << 30 };

/* --- Errors ------------------------------------------------------------------------------------------------------- */

bool can_act(const leadline_field_file* file) {
  return file->open && (!file->report.failed || file->way == LEADLINE_FIELDIO_PARALLEL);
}

bool check(leadline_field_file* file, int code, const char* format, ...) {
  if (code == NETCDF_NO_ERROR) return true;
  char what[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  note(&file->report, "%s: %s%s%s", file->path, what, what[0] == '\0' ? "" : ": ", file->netcdf->strerror(code));
  return false;
}

int settle(leadline_field_file* file) {
  return agree_on(&file->report, file->comm) ? LEADLINE_FIELDIO_OK : LEADLINE_FIELDIO_FAILED;
}

int leadline_fieldio_settle(leadline_field_file* file) { return settle(file); }

const char* leadline_fieldio_message(const leadline_field_file* file) {
  return file != NULL ? file->report.message : "out of memory";
}

/* --- Opening ------------------------------------------------------------------------------------------------------ */

int leadline_fieldio_has_parallel(MPI_Comm comm, char* why, size_t why_bytes) {
  Report report = {false, false, ""};
  const char* reason = "";
  if (netcdf_for(true, &reason) == NULL) note(&report, "cannot use PnetCDF: %s", reason);
  const bool has = agree_on(&report, comm);
  if (why != NULL && why_bytes > 0) snprintf(why, why_bytes, "%s", report.message);
  return has;
}

/* The way and the limit are those of rank 0, so that ranks cannot wait for each other. */
static void take_options(leadline_field_file* file, const leadline_fieldio_options* options) {
  int64_t chosen[2] = {LEADLINE_FIELDIO_AUTO, 0};
  if (options != NULL) {
    chosen[0] = options->way;
    chosen[1] = (int64_t)options->limit_bytes;
  }
  MPI_Bcast(chosen, 2, MPI_INT64_T, ROOT, file->comm);
  file->way = (leadline_fieldio_way)chosen[0];
  if (options != NULL && options->way != file->way) {
    note(&file->report, "%s: rank %d opens it with options that differ from rank 0's", file->path, file->rank);
  }
  file->limit = chosen[1] > 0 ? (size_t)chosen[1] : DEFAULT_LIMIT;
  if (file->limit > LARGEST_LIMIT) file->limit = LARGEST_LIMIT;
  if (file->way == LEADLINE_FIELDIO_AUTO) {
    file->way =
        leadline_fieldio_has_parallel(file->comm, NULL, 0) ? LEADLINE_FIELDIO_PARALLEL : LEADLINE_FIELDIO_GATHERED;
  }
}

static bool is_mine_to_open(const leadline_field_file* file, bool to_read) {
  if (file->rank == ROOT || file->way == LEADLINE_FIELDIO_PARALLEL) return true;
  return file->way == LEADLINE_FIELDIO_SERIAL && to_read;
}

static void load(leadline_field_file* file) {
  const bool together = file->way == LEADLINE_FIELDIO_PARALLEL;
  const char* why = "";
  file->netcdf = netcdf_for(together, &why);
  if (file->netcdf != NULL) return;
  note(&file->report, "%s: cannot use %s: %s", file->path, together ? "PnetCDF" : "NetCDF", why);
}

static void open_here(leadline_field_file* file, bool to_read, const char* hints) {
  const Netcdf* netcdf = file->netcdf;
  int code = NETCDF_NO_ERROR;
  if (file->way == LEADLINE_FIELDIO_PARALLEL) {
    MPI_Info info = info_of(hints, &file->report);
    code = to_read ? netcdf->open_together(file->comm, file->path, NETCDF_READ_ONLY, info, &file->id)
                   : netcdf->create_together(file->comm, file->path, NETCDF_REPLACE | NETCDF_CDF5, info, &file->id);
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  } else {
    code = to_read ? netcdf->open(file->path, NETCDF_READ_ONLY, &file->id)
                   : netcdf->create(file->path, NETCDF_REPLACE | NETCDF_CDF5, &file->id);
  }
  file->open = check(file, code, "%s", "");
}

static int begin(MPI_Comm comm, const char* path, const leadline_fieldio_options* options, bool to_read,
                 leadline_field_file** opened) {
  leadline_field_file* file = calloc(1, sizeof *file);
  *opened = file;
  if (file == NULL) return LEADLINE_FIELDIO_FAILED; /* no way is left to tell the others */
  MPI_Comm_dup(comm, &file->comm);
  MPI_Comm_rank(comm, &file->rank);
  MPI_Comm_size(comm, &file->ranks);
  file->path = strdup(path);
  if (file->path == NULL) note(&file->report, "rank %d: out of memory", file->rank);
  take_options(file, options);
  const bool is_mine = is_mine_to_open(file, to_read);
  if (is_mine && !file->report.failed) load(file);
  if (settle(file) != LEADLINE_FIELDIO_OK) return LEADLINE_FIELDIO_FAILED;
  if (is_mine) open_here(file, to_read, options != NULL ? options->hints : NULL);
  return settle(file);
}

int leadline_fieldio_open(MPI_Comm comm, const char* path, const leadline_fieldio_options* options,
                          leadline_field_file** file) {
  return begin(comm, path, options, true, file);
}

int leadline_fieldio_create(MPI_Comm comm, const char* path, const leadline_fieldio_options* options,
                            leadline_field_file** file) {
  return begin(comm, path, options, false, file);
}

leadline_fieldio_way leadline_fieldio_way_of(const leadline_field_file* file) { return file->way; }

size_t leadline_fieldio_buffer_bytes(const leadline_field_file* file) { return file->buffer_bytes; }

/* --- Closing ------------------------------------------------------------------------------------------------------ */

/* All ranks that have it open close it, even where something has failed: PnetCDF does it together. */
static void close_here(leadline_field_file* file) {
  if (!file->open) return;
  file->open = false;
  check(file, file->netcdf->close(file->id), "closing");
}

int leadline_fieldio_close(leadline_field_file* file) {
  close_here(file);
  return settle(file);
}

void leadline_fieldio_free(leadline_field_file** freed) {
  leadline_field_file* file = *freed;
  if (file == NULL) return;
  close_here(file);
  MPI_Comm_free(&file->comm);
  free(file->path);
  free(file);
  *freed = NULL;
}
