/* Named regions of a program, for Leadline. Including this file is enough: nothing is linked, and the program builds
 * and runs without Leadline. Unless the program is being recorded a region costs a test of a null
   pointer.

     leadline_region_begin("halo");                 C and C++
     ...
     leadline_region_end("halo");

     { leadline::Region region("halo"); ... }       C++: ends with the block

   Regions nest, and each thread has its own. Linux, GNU C and what understands it (Clang, Intel, NVIDIA, Cray);
   elsewhere the functions are there and do nothing. */
#ifndef LEADLINE_H
#define LEADLINE_H

#include <stddef.h>
#include <string.h>

#ifndef __GNUC__
#define __inline__ inline
#endif

#if defined(__linux__) && defined(__GNUC__)
#define LEADLINE_AVAILABLE 1
#include <dlfcn.h>
/* Part of the C library since glibc 2.34; before that, and in static programs, regions are not seen without -ldl. */
#pragma weak dlsym

typedef void (*leadline_named_)(const char* name, size_t length);
static leadline_named_ leadline_enter_ __attribute__((unused));
static leadline_named_ leadline_leave_ __attribute__((unused));

/* The recorder is in the process before the program is. */
__attribute__((constructor, unused)) static void leadline_find_(void) {
  void *enter, *leave;
  if (!dlsym) return;
  enter = dlsym((void*)0, "leadline_region_enter_1");
  leave = dlsym((void*)0, "leadline_region_leave_1");
  if (!enter || !leave) return;
  memcpy(&leadline_enter_, &enter, sizeof(enter));
  memcpy(&leadline_leave_, &leave, sizeof(leave));
}
#endif

/* `name`: at most 255 bytes count; it need not last. The end names the region, so that a mismatch is noticed. */
static __inline__ void leadline_region_begin(const char* name) {
#ifdef LEADLINE_AVAILABLE
  if (__builtin_expect(leadline_enter_ != 0, 0)) leadline_enter_(name, strlen(name));
#else
  (void)name;
#endif
}

static __inline__ void leadline_region_end(const char* name) {
#ifdef LEADLINE_AVAILABLE
  if (__builtin_expect(leadline_leave_ != 0, 0)) leadline_leave_(name, strlen(name));
#else
  (void)name;
#endif
}

#ifdef __cplusplus
namespace leadline {

/* A region as long as the object lives; `name` must live as long. */
class Region {
 public:
  explicit Region(const char* name) : name_(name) { leadline_region_begin(name_); }
  ~Region() { leadline_region_end(name_); }

 private:
  Region(const Region&);
  Region& operator=(const Region&);
  const char* name_;
};

}  // namespace leadline
#endif

#endif
