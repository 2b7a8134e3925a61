#define _GNU_SOURCE /* RTLD_DI_SERINFO */
#include "shared_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, NAME_BYTES = 256 };

/* Where the loader looks, LD_LIBRARY_PATH included. Null where it does not say; to be freed. */
static Dl_serinfo* directories(void) {
  void* program = dlopen(NULL, RTLD_LAZY);
  Dl_serinfo size;
  if (program == NULL || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return NULL;
  Dl_serinfo* all = malloc(size.dls_size);
  if (all == NULL) return NULL;
  if (dlinfo(program, RTLD_DI_SERINFOSIZE, all) == 0 && dlinfo(program, RTLD_DI_SERINFO, all) == 0) return all;
  free(all);
  return NULL;
}

static bool is_there(const Dl_serinfo* all, const char* name, char* path) {
  for (unsigned n = 0; all != NULL && n < all->dls_cnt; ++n) {
    snprintf(path, PATH_BYTES, "%s/%s", all->dls_serpath[n].dls_name, name);
    if (access(path, R_OK) == 0) return true;
  }
  return false;
}

static bool find(const char* variable, const char* const* names, char* path) {
  const char* given = getenv(variable);
  if (given != NULL && given[0] != '\0') {
    snprintf(path, PATH_BYTES, "%s", given);
    return access(path, R_OK) == 0;
  }
  Dl_serinfo* all = directories();
  bool found = false;
  for (; !found && *names != NULL; ++names) found = is_there(all, *names, path);
  free(all);
  return found;
}

static bool fits(const char* path, char* why, size_t why_bytes) {
  char mpi[NAME_BYTES];
  if (!mpi_needed_by(path, mpi, sizeof mpi)) {
    snprintf(why, why_bytes, "%s: not a shared library for this architecture", path);
    return false;
  }
  if (mpi[0] == '\0') return true;
  void* loaded = dlopen(mpi, RTLD_LAZY | RTLD_NOLOAD);
  if (loaded != NULL) {
    dlclose(loaded); /* which only counts */
    return true;
  }
  snprintf(why, why_bytes, "%s was built for another MPI library: it needs %s", path, mpi);
  return false;
}

void* load_if_it_fits(const char* variable, const char* const* names, char* why, size_t why_bytes) {
  char path[PATH_BYTES] = "";
  if (!find(variable, names, path)) {
    snprintf(why, why_bytes, "%s not found; set %s to its path", names[0], variable);
    return NULL;
  }
  if (!fits(path, why, why_bytes)) return NULL;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) snprintf(why, why_bytes, "%s", dlerror());
  return library;
}
