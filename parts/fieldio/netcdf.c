#include "netcdf.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "shared_library.h"

_Static_assert(sizeof(size_t) == 8 && sizeof(MPI_Offset) == 8, "size_t and MPI_Offset must have 64 bits");

enum { NAME_BYTES = 64, WHY_BYTES = 512 };

typedef struct {
  void* handle;
  const char* prefix;
  const char* suffix; /* of what moves data */
  char* why;
} Library;

static void say(Library* library, const char* text) {
  snprintf(library->why, WHY_BYTES, "%s", text != NULL ? text : "unknown error");
}

/* Names that are tried: of the headers' package, and of the packages without headers that Debian has had. */
static const char* const serial_names[] = {"libnetcdf.so", "libnetcdf.so.22", "libnetcdf.so.19", "libnetcdf.so.18",
                                           NULL};
static const char* const parallel_names[] = {"libpnetcdf.so", "libpnetcdf.so.6", "libpnetcdf.so.4", "libpnetcdf.so.3",
                                             NULL};

static void load(Library* library, const char* variable, const char* const* names) {
  library->handle = load_if_it_fits(variable, names, library->why, WHY_BYTES);
}

/* `function` is set to the address of prefix + name + suffix. Nothing is done after a failure. */
static void find(Library* library, const char* name, const char* suffix, void* function) {
  if (library->why[0] != '\0') return;
  char full[NAME_BYTES];
  snprintf(full, sizeof full, "%s%s%s", library->prefix, name, suffix);
  void* found = dlsym(library->handle, full);
  if (found == NULL) say(library, dlerror());
  memcpy(function, &found, sizeof found);
}

static void find_access(Library* library, const char* verb, NetcdfAccess** functions) {
  static const char* const types[] = {NULL, "int", "longlong", "float", "double"};
  for (int type = LEADLINE_FIELDIO_INT32; type <= LEADLINE_FIELDIO_DOUBLE; ++type) {
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s_vara_%s", verb, types[type]);
    find(library, name, library->suffix, &functions[type]);
  }
}

static void find_all(Library* library, Netcdf* netcdf) {
  find(library, "close", "", &netcdf->close);
  find(library, "strerror", "", &netcdf->strerror);
  find(library, "def_dim", "", &netcdf->def_dim);
  find(library, "def_var", "", &netcdf->def_var);
  find(library, "put_att_text", "", &netcdf->put_att_text);
  find(library, "put_att_longlong", "", &netcdf->put_att_longlong);
  find(library, "put_att_double", "", &netcdf->put_att_double);
  find(library, "inq_attlen", "", &netcdf->inq_attlen);
  find(library, "get_att_longlong", "", &netcdf->get_att_longlong);
  find(library, "set_fill", "", &netcdf->set_fill);
  find(library, "enddef", "", &netcdf->enddef);
  find(library, "inq_dimid", "", &netcdf->inq_dimid);
  find(library, "inq_dimlen", "", &netcdf->inq_dimlen);
  find(library, "inq_varid", "", &netcdf->inq_varid);
  find(library, "inq_varndims", "", &netcdf->inq_varndims);
  find(library, "inq_vardimid", "", &netcdf->inq_vardimid);
  find_access(library, "get", netcdf->get);
  find_access(library, "put", netcdf->put);
}

static void load_serial(Netcdf* netcdf, char* why) {
  Library library = {NULL, "nc_", "", why};
  load(&library, "LEADLINE_NETCDF", serial_names);
  find(&library, "create", "", &netcdf->create);
  find(&library, "open", "", &netcdf->open);
  find_all(&library, netcdf);
}

static void load_parallel(Netcdf* netcdf, char* why) {
  Library library = {NULL, "ncmpi_", "_all", why};
  load(&library, "LEADLINE_PNETCDF", parallel_names);
  find(&library, "create", "", &netcdf->create_together);
  find(&library, "open", "", &netcdf->open_together);
  find_all(&library, netcdf);
}

const Netcdf* netcdf_for(bool together, const char** why) {
  static Netcdf found[2];
  static char reason[2][WHY_BYTES];
  static bool is_loaded[2];
  if (!is_loaded[together]) {
    is_loaded[together] = true;
    (together ? load_parallel : load_serial)(&found[together], reason[together]);
  }
  if (why != NULL) *why = reason[together];
  return reason[together][0] == '\0' ? &found[together] : NULL;
}

int netcdf_type(leadline_fieldio_type type) {
  static const int types[] = {NETCDF_BYTE, NETCDF_INT, NETCDF_INT64, NETCDF_FLOAT, NETCDF_DOUBLE};
  return types[type];
}

size_t bytes_of_type(leadline_fieldio_type type) {
  static const size_t bytes[] = {1, 4, 8, 4, 8};
  return bytes[type];
}
