/* Looks up MPI's functions by a weak reference and by dlsym, and prints the file that has each function, or that there
   is none.   shim_names */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define NAMES(name) EACH(MPI_##name) EACH(PMPI_##name) EACH(MPI_##name##_c) EACH(PMPI_##name##_c)
#define ALL NAMES(Bcast) NAMES(Reduce) NAMES(Allreduce) NAMES(Init) NAMES(Init_thread) NAMES(Finalize) NAMES(Pack)

#define EACH(name)       \
  extern int name(void); \
  extern __typeof__(name) name __attribute__((weak));
ALL
#undef EACH

    static const char* file_of(void* address) {
  Dl_info info;
  if (!address) return "absent";
  return dladdr(address, &info) ? strrchr(info.dli_fname, '/') + 1 : "nowhere";
}

int main(void) {
#define EACH(name) printf("%s %s %s\n", #name, file_of((void*)&name), file_of(dlsym(RTLD_DEFAULT, #name)));
  ALL return 0;
}
