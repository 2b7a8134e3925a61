#include "host/symbol_lookup.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "host/loaded_object.hpp"

namespace leadline::host {
namespace {

constinit LookUp next = nullptr;

// dlvsym needs a version, and which ones dlsym has depends on processor and release: libc's or libdl's own table says.
LookUp look_up_in_tables() {
  void* found = nullptr;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        const LoadedObject object(*info);
        if (strncmp(object.soname(), "libc.so.", 8) != 0 && strncmp(object.soname(), "libdl.so.", 9) != 0) return 0;
        const ElfSymbol* symbol = object.find("dlsym");
        if (symbol == nullptr || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) return 0;
        *static_cast<void**>(data) = reinterpret_cast<void*>(object.base() + symbol->st_value);
        return 1;
      },
      &found);
  return reinterpret_cast<LookUp>(found);
}

void* nothing(void*, const char*) { return nullptr; }

}  // namespace

// A sanitizer looks names up before its own code is ready: none of it here.
__attribute__((no_sanitize("address", "thread", "undefined"))) LookUp next_dlsym() {
  LookUp found = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (found) return found;
  const int saved = errno;
  // Another tool may stand before dlsym, too: its name has no version and answers to any.
  found = reinterpret_cast<LookUp>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34"));
  if (!found) found = reinterpret_cast<LookUp>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"));
  if (!found) found = reinterpret_cast<LookUp>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17"));
  if (!found) found = look_up_in_tables();
  if (!found) found = nothing;
  __atomic_store_n(&next, found, __ATOMIC_RELAXED);
  errno = saved;
  return found;
}

}  // namespace leadline::host
