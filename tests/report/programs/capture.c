// Stands for the recorder: prints the frames of its caller as "MODULE OFFSET", return addresses relative to the load
// bias.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>

__attribute__((noinline)) void capture(void) {
  void* frames[20];
  const int n = backtrace(frames, 20);
  for (int i = 1; i < n; ++i) {
    struct link_map* map = NULL;
    Dl_info info;
    dladdr1(frames[i], &info, (void**)&map, RTLD_DL_LINKMAP);
    printf("%s %lx\n", map != NULL && map->l_name[0] != 0 ? map->l_name : "program",
           (unsigned long)frames[i] - (map != NULL ? map->l_addr : 0));
  }
  printf("--\n");
}

void capture_(void) {
  capture();
  __asm__ volatile("");  // no tail call: this frame must stay
}
