#include "host/exports.hpp"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/kept_errno.hpp"

// The beginning of our own image; the linker defines it, as it does _DYNAMIC, our own dynamic section.
extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));

namespace leadline::host {
namespace {

ElfAddress first_wrapper = ~ElfAddress{0};
ElfAddress last_wrapper = 0;

ElfAddress own_base() { return reinterpret_cast<ElfAddress>(__ehdr_start); }

struct Search {
  const char* name;
  ElfAddress only;  // the object to look in; 0: all
  ElfAddress found;
};

int search_object(dl_phdr_info* info, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (info->dlpi_addr == own_base() || (search.only && info->dlpi_addr != search.only)) return 0;
  const LoadedObject object(*info);
  // The recorder and the shim may both be loaded: a name that only those define does not count.
  const bool found = object.find(search.name) != nullptr && !is_leadlines(object);
  if (found) search.found = info->dlpi_addr;
  return found || search.only ? 1 : 0;
}

// Whether no code lies in the segment of that address (linked with -z separate-code, the default on Linux).
bool is_plain_data(ElfAddress address) {
  const auto* file = reinterpret_cast<const ElfHeader*>(__ehdr_start);
  const auto* segments = reinterpret_cast<const ElfSegment*>(__ehdr_start + file->e_phoff);
  for (int i = 0; i < file->e_phnum; ++i) {
    const ElfSegment& segment = segments[i];
    if (segment.p_type == PT_LOAD && address - own_base() - segment.p_vaddr < segment.p_memsz) {
      return (segment.p_flags & PF_X) == 0;
    }
  }
  return false;
}

// The pages of .dynsym or .gnu.version that hold [first, last): read-only, and back to that afterwards.
bool set_writable(ElfAddress first, ElfAddress last, bool writable) {
  const auto page = static_cast<ElfAddress>(sysconf(_SC_PAGESIZE));
  const ElfAddress begin = first & ~(page - 1);
  return mprotect(reinterpret_cast<void*>(begin), last - begin, writable ? PROT_READ | PROT_WRITE : PROT_READ) == 0;
}

// dlsym skips hidden versions, which the linker makes of names with a single @.
constexpr ElfVersion hidden = 0x8000;
constinit char changing_versions = 0;

void set_shown(ExportedName* name, bool shown) {
  if (name->version == nullptr) return;
  const auto wanted = static_cast<ElfVersion>(shown ? *name->version & ~hidden : *name->version | hidden);
  if (__atomic_load_n(name->version, __ATOMIC_RELAXED) == wanted) return;
  while (__atomic_test_and_set(&changing_versions, __ATOMIC_ACQUIRE)) {
  }
  const auto place = reinterpret_cast<ElfAddress>(name->version);
  if (set_writable(place, place + sizeof(ElfVersion), true)) {
    __atomic_store_n(name->version, wanted, __ATOMIC_RELAXED);
    set_writable(place, place + sizeof(ElfVersion), false);
  }
  __atomic_clear(&changing_versions, __ATOMIC_RELEASE);
}

bool is_wrapper(ElfAddress address) { return address >= first_wrapper && address <= last_wrapper; }

}  // namespace

// Indirect functions from the start would be asked while the program's libraries are being relocated, before we are
// (references that are not lazy: -z now is Ubuntu's default), and the dynamic linker complains about that on stderr.
void make_names_indirect(ExportedName* names, int count) {
  const LoadedObject self(own_base(), _DYNAMIC);
  ElfAddress first = ~ElfAddress{0};
  ElfAddress last = 0;
  for (ExportedName* n = names; n < names + count; ++n) {
    if (n->name == nullptr) continue;
    n->symbol = const_cast<ElfSymbol*>(self.find(n->name));
    if (n->symbol == nullptr) continue;
    n->wrapper = own_base() + n->symbol->st_value;
    first_wrapper = n->wrapper < first_wrapper ? n->wrapper : first_wrapper;
    last_wrapper = n->wrapper > last_wrapper ? n->wrapper : last_wrapper;
    const auto place = reinterpret_cast<ElfAddress>(n->symbol);
    first = place < first ? place : first;
    last = place + sizeof(ElfSymbol) > last ? place + sizeof(ElfSymbol) : last;
  }
  if (last == 0) return;
  clear_weak_references(is_wrapper);
  if (!is_plain_data(first) || !set_writable(first, last, true)) return;
  for (ExportedName* n = names; n < names + count; ++n) {
    if (n->symbol == nullptr) continue;
    n->symbol->st_value = reinterpret_cast<ElfAddress>(n->resolve) - own_base();
    n->symbol->st_info = ELF64_ST_INFO(ELF64_ST_BIND(n->symbol->st_info), STT_GNU_IFUNC);
    n->version = const_cast<ElfVersion*>(self.version_of(n->symbol));
  }
  set_writable(first, last, false);
}

LookUpAnswer answer_look_up(ExportedName* names, int count, void* handle, const char* name,
                            void* (*target)(int index)) {
  const LookUp look_up = next_dlsym();
  const ElfSymbol* const symbol = LoadedObject(own_base(), _DYNAMIC).find(name);
  int index = 0;
  while (index < count && (symbol == nullptr || names[index].symbol != symbol)) ++index;
  if (index == count) return {nullptr, look_up};
  const KeptErrno kept;
  if (handle == RTLD_DEFAULT || handle == RTLD_NEXT) {
    // After us in the global scope, where our own name serves the same callers.
    set_shown(&names[index], look_up(RTLD_NEXT, name) != nullptr);
    return {nullptr, look_up};
  }
  void* const found = is_own(handle) ? function_behind(name) : look_up(handle, name);
  if (found == nullptr) return {nullptr, look_up};  // fails again, so that the caller can ask dlerror why
  void* called = target(index);
  if (called == nullptr) called = function_behind(name);
  dlerror();  // our failed lookup must not leave an error for the caller
  return {found == called ? reinterpret_cast<void*>(names[index].wrapper) : found, nullptr};
}

// A handle is the address of the object's entry in the dynamic linker's list.
bool is_own(const void* handle) {
  static constinit const void* own = nullptr;
  if (handle == RTLD_DEFAULT || handle == RTLD_NEXT) return false;
  const void* known = __atomic_load_n(&own, __ATOMIC_RELAXED);
  for (const link_map* map = _r_debug.r_map; !known && map; map = map->l_next) {
    if (map->l_ld != _DYNAMIC) continue;
    known = map;
    __atomic_store_n(&own, known, __ATOMIC_RELAXED);
  }
  return handle == known;
}

LookUpAnswer answer_of_library(void* handle, const char* name) {
  const KeptErrno kept;
  const LookUp look_up = next_dlsym();
  void* found = look_up(handle, name);
  if (found == nullptr) found = found_in_library(name);
  if (found == nullptr) return {nullptr, look_up};  // fails again, so that the caller can ask dlerror why
  dlerror();
  return {found, nullptr};
}

bool is_leadlines(const LoadedObject& object) { return strncmp(object.soname(), "libleadline", 11) == 0; }

bool defined_elsewhere(const char* name) {
  // Where the last name was found, before all objects: mpi4py binds six hundred names among a hundred objects.
  static constinit ElfAddress last = 0;
  Search search{name, __atomic_load_n(&last, __ATOMIC_RELAXED), 0};
  if (search.only) dl_iterate_phdr(search_object, &search);
  if (search.found) return true;
  search.only = 0;
  const bool found = dl_iterate_phdr(search_object, &search) != 0;
  if (found) __atomic_store_n(&last, search.found, __ATOMIC_RELAXED);
  return found;
}

}  // namespace leadline::host
