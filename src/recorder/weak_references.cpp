// Weak references to MPI functions that only we define: null without us, so null with us.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "recorder/exports.hpp"
#include "recorder/loaded_object.hpp"

namespace leadline::recorder {
namespace {

bool is_mpi_name(const char* name) { return std::strncmp(name + (*name == 'P' ? 1 : 0), "MPI_", 4) == 0; }

// The pages of a segment that the dynamic linker has made read-only after relocation, if the address is there.
bool is_protected(const dl_phdr_info& info, ElfW(Addr) address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type == PT_GNU_RELRO && address - info.dlpi_addr - segment.p_vaddr < segment.p_memsz) return true;
  }
  return false;
}

void set_null(const dl_phdr_info& info, ElfW(Addr) * slot) {
  const auto address = reinterpret_cast<ElfW(Addr)>(slot);
  const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
  auto* const begin = reinterpret_cast<void*>(address & ~(page - 1));
  const bool is_read_only = is_protected(info, address);
  if (is_read_only && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return;
  *slot = 0;
  if (is_read_only) mprotect(begin, page, PROT_READ);
}

int clear_in_object(dl_phdr_info* info, size_t, void* data) {
  const auto is_wrapper = *static_cast<bool (**)(ElfW(Addr))>(data);
  const LoadedObject object(*info);
  if (!object.has_weak_reference(is_mpi_name)) return 0;
  object.for_each_weak_slot([&](const char* name, ElfW(Addr) * slot) {
    if (is_mpi_name(name) && is_wrapper(*slot) && !defined_elsewhere(name)) set_null(*info, slot);
  });
  return 0;
}

}  // namespace

void clear_weak_references(bool (*is_wrapper)(ElfW(Addr))) { dl_iterate_phdr(clear_in_object, &is_wrapper); }

}  // namespace leadline::recorder
