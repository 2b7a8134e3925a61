// Weak references to MPI functions that only we define would be null without us, so they are set to null.
#include <sys/mman.h>
#include <unistd.h>

#include "host/exports.hpp"
#include "host/symbol_lookup.hpp"

namespace leadline::host {
namespace {

ElfAddress page_of(ElfAddress address) { return address & ~(static_cast<ElfAddress>(sysconf(_SC_PAGESIZE)) - 1); }

// Whether the dynamic linker has made the page of that address read-only after relocation: it leaves out a last page
// that belongs to the range only in part.
bool is_protected(const dl_phdr_info& info, ElfAddress address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfSegment& segment = info.dlpi_phdr[i];
    const ElfAddress begin = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_RELRO && address >= page_of(begin) && address < page_of(begin + segment.p_memsz)) {
      return true;
    }
  }
  return false;
}

void set_null(const dl_phdr_info& info, ElfAddress* slot) {
  const auto address = reinterpret_cast<ElfAddress>(slot);
  auto* const page = reinterpret_cast<void*>(page_of(address));
  const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const bool is_read_only = is_protected(info, address);
  if (is_read_only && mprotect(page, bytes, PROT_READ | PROT_WRITE) != 0) return;
  *slot = 0;
  if (is_read_only) mprotect(page, bytes, PROT_READ);
}

int clear_in_object(dl_phdr_info* info, size_t, void* data) {
  const auto is_wrapper = *static_cast<bool (**)(ElfAddress)>(data);
  LoadedObject(*info).for_each_weak_slot(is_wrapper, [&](const char* name, ElfAddress* slot) {
    if (is_mpi_name(name) && !defined_elsewhere(name)) set_null(*info, slot);
  });
  return 0;
}

}  // namespace

void clear_weak_references(bool (*is_wrapper)(ElfAddress)) { dl_iterate_phdr(clear_in_object, &is_wrapper); }

}  // namespace leadline::host
