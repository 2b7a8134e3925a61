// The functions by which a program names its regions.
#include <link.h>

#include "recorder/process/recorder.hpp"

namespace leadline::recorder {

namespace {

// How often objects were loaded, when there was no MPI library among them.
uint64_t loads_without_mpi = 0;

uint64_t loads() {
  uint64_t adds = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* into) {
        *static_cast<uint64_t*>(into) = info->dlpi_adds;
        return 1;
      },
      &adds);
  return adds;
}

Thread* thread_here() {
  if (Thread* t = own_thread()) return t;
  if (this_process.undecided()) {  // a program that loads MPI late: looking for it takes long
    const uint64_t now_loaded = loads();
    if (__atomic_load_n(&loads_without_mpi, __ATOMIC_RELAXED) == now_loaded) return nullptr;
    Thread* t = this_process.enter();
    if (!t && this_process.undecided()) __atomic_store_n(&loads_without_mpi, now_loaded, __ATOMIC_RELAXED);
    return t;
  }
  return this_process.enter();
}

void now_in(Thread* t, uint32_t region) {
  t->paths.set_region(region);
  t->graph.stamp_next();
}

}  // namespace
}  // namespace leadline::recorder

// leadline.h, leadline.f90 and leadline.region look these up by name. They never fail, because any code may call them.
extern "C" __attribute__((visibility("default"))) void leadline_region_enter_1(const char* name, size_t length) {
  using namespace leadline::recorder;
  Thread* t = name ? thread_here() : nullptr;
  if (t) now_in(t, t->regions.enter(name, length));
}

extern "C" __attribute__((visibility("default"))) void leadline_region_leave_1(const char* name, size_t length) {
  using namespace leadline::recorder;
  Thread* t = name ? thread_here() : nullptr;
  if (t) now_in(t, t->regions.leave(name, length));
}
