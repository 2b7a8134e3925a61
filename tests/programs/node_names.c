/* Preloaded: the shim takes ranks to be on the nodes that NODES says, a letter for each rank ("aabb"). It tells nodes
   apart by their host's name; everybody else gets the true one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static const char* rank_variable(void) {
  static const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
    if (getenv(names[i])) return getenv(names[i]);
  return NULL;
}

int gethostname(char* name, size_t length) {
  Dl_info caller;
  struct utsname system;
  const char* const nodes = getenv("NODES");
  const char* const rank = rank_variable();
  const int by_shim = dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "leadline_shim");
  if (by_shim && nodes && rank && (size_t)atoi(rank) < strlen(nodes)) {
    strncpy(name, (char[]){nodes[atoi(rank)], 0}, length);
  } else {
    uname(&system);
    strncpy(name, system.nodename, length);
  }
  return 0;
}
