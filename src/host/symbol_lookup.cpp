#include "host/symbol_lookup.hpp"

#include <dlfcn.h>
#include <string.h>

#include "host/kept_errno.hpp"
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

LookUp next_dlsym() {
  if (LookUp known = __atomic_load_n(&next, __ATOMIC_RELAXED)) return known;
  const KeptErrno kept;
  // Another tool may stand before dlsym, too: its name has no version and answers to any.
  constexpr const char* versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
  LookUp found = nullptr;
  for (const char* version : versions) {
    if (!found) found = reinterpret_cast<LookUp>(dlvsym(RTLD_NEXT, "dlsym", version));
  }
  if (!found) found = look_up_in_tables();
  if (!found) found = nothing;
  __atomic_store_n(&next, found, __ATOMIC_RELAXED);
  return found;
}

bool is_mpi_name(const char* name) { return strncmp(name + (*name == 'P' ? 1 : 0), "MPI_", 4) == 0; }

}  // namespace leadline::host
