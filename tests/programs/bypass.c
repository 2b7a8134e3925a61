// A program that is linked with no MPI library and loads one, or none, by itself:
//   bypass name-space LIBRARY    in a name space of its own, where no other library sees its calls
//   bypass missing NAME          says with printf why there is no such library
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int (*Init)(int*, char***);
typedef int (*Finalize)(void);

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* before = dlerror();
  if (before) return printf("before: %s\n", before), 3;
  if (strcmp(argv[1], "missing") == 0) {
    if (dlopen(argv[2], RTLD_NOW)) return 4;
    printf("%s\n", dlerror());
    return 0;
  }
  void* library = dlmopen(LM_ID_NEWLM, argv[2], RTLD_NOW);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 5;
  Init init = (Init)dlsym(library, "MPI_Init");
  Finalize finalize = (Finalize)dlsym(library, "MPI_Finalize");
  return !init || !finalize || init(NULL, NULL) != 0 || finalize() != 0;
}
