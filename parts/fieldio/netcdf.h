/* The functions of NetCDF, for one process, and of PnetCDF, for all ranks of a communicator: the same but for names.
 *
 * Both are called through pointers of one type. They differ in the type of sizes only, size_t and MPI_Offset, which
 * have 64 bits where this is compiled. */
#ifndef LEADLINE_FIELDIO_NETCDF_H
#define LEADLINE_FIELDIO_NETCDF_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "leadline_fieldio.h"

#define netcdf_for leadline_fieldio_netcdf_for_
#define netcdf_type leadline_fieldio_netcdf_type_
#define bytes_of_type leadline_fieldio_bytes_of_type_

/* Of the libraries' headers, which need not be here. */
enum {
  NETCDF_NO_ERROR = 0,
  NETCDF_READ_ONLY = 0,
  NETCDF_REPLACE = 0,
  NETCDF_CDF5 = 0x20,
  NETCDF_NO_FILL = 0x100,
  NETCDF_GLOBAL = -1
};
enum { NETCDF_BYTE = 1, NETCDF_INT = 4, NETCDF_FLOAT = 5, NETCDF_DOUBLE = 6, NETCDF_INT64 = 10 };

typedef int NetcdfAccess(int file, int variable, const int64_t* first, const int64_t* count, void* values);

typedef struct {
  /* One of the two pairs is null. */
  int (*create)(const char* path, int mode, int* file);
  int (*open)(const char* path, int mode, int* file);
  int (*create_together)(MPI_Comm comm, const char* path, int mode, MPI_Info info, int* file);
  int (*open_together)(MPI_Comm comm, const char* path, int mode, MPI_Info info, int* file);

  int (*close)(int file);
  const char* (*strerror)(int code);
  int (*def_dim)(int file, const char* name, int64_t length, int* dimension);
  int (*def_var)(int file, const char* name, int type, int dimensions, const int* dimension, int* variable);
  int (*put_att_text)(int file, int variable, const char* name, int64_t length, const char* text);
  int (*put_att_longlong)(int file, int variable, const char* name, int type, int64_t length, const long long* values);
  int (*put_att_double)(int file, int variable, const char* name, int type, int64_t length, const double* values);
  int (*inq_attlen)(int file, int variable, const char* name, int64_t* length);
  int (*get_att_longlong)(int file, int variable, const char* name, long long* values);
  int (*set_fill)(int file, int mode, int* before);
  int (*enddef)(int file);
  int (*inq_dimid)(int file, const char* name, int* dimension);
  int (*inq_dimlen)(int file, int dimension, int64_t* length);
  int (*inq_varid)(int file, const char* name, int* variable);
  int (*inq_varndims)(int file, int variable, int* dimensions);
  int (*inq_vardimid)(int file, int variable, int* dimension);
  NetcdfAccess* get[LEADLINE_FIELDIO_DOUBLE + 1]; /* by the type in memory; none for the first */
  NetcdfAccess* put[LEADLINE_FIELDIO_DOUBLE + 1];
} Netcdf;

/* Null where the library is not to be had; `why` says why. Loaded once, and never unloaded. */
const Netcdf* netcdf_for(bool together, const char** why);

int netcdf_type(leadline_fieldio_type type);
size_t bytes_of_type(leadline_fieldio_type type);

#endif
