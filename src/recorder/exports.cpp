#include "recorder/exports.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "recorder/recording.hpp"

// The beginning of our own image; the linker defines it, as it does _DYNAMIC, our own dynamic section.
extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));

namespace leadline::recorder {
namespace {

ElfAddress wrappers[exported_name_count];
ElfAddress first_wrapper = ~ElfAddress{0};
ElfAddress last_wrapper = 0;

ElfAddress own_base() { return reinterpret_cast<ElfAddress>(__ehdr_start); }

using Resolver = ElfAddress (*)();

// A name is bound: new code calls it. Where other code was unloaded before, the new one may stand at its addresses.
void notice_unloaded_code() {
  static std::atomic<unsigned long long> seen{0};
  unsigned long long unloaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        *static_cast<unsigned long long*>(data) = info->dlpi_subs;
        return 1;
      },
      &unloaded);
  if (seen.exchange(unloaded) != unloaded) recording.code_unloaded();
}

template <int index>
ElfAddress resolve() {
  notice_unloaded_code();
  return defined_elsewhere(exported_name(index)) ? wrappers[index] : 0;
}

template <int... index>
Resolver resolver(int wanted, std::integer_sequence<int, index...>) {
  static constexpr Resolver resolvers[] = {resolve<index>...};
  return resolvers[wanted];
}

struct Search {
  const char* name;
  bool found;
};

int search_object(dl_phdr_info* info, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (info->dlpi_addr == own_base()) return 0;
  search.found = LoadedObject(*info).find(search.name) != nullptr;
  return search.found ? 1 : 0;
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

// The pages of .dynsym that hold [first, last): read-only, and back to that afterwards.
bool set_writable(ElfAddress first, ElfAddress last, bool writable) {
  const auto page = static_cast<ElfAddress>(sysconf(_SC_PAGESIZE));
  const ElfAddress begin = first & ~(page - 1);
  return mprotect(reinterpret_cast<void*>(begin), last - begin, writable ? PROT_READ | PROT_WRITE : PROT_READ) == 0;
}

bool is_wrapper(ElfAddress address) { return address >= first_wrapper && address <= last_wrapper; }

// Indirect functions from the start would be asked while the program's libraries are being relocated, before we are
// (references that are not lazy: -z now is Ubuntu's default), and the dynamic linker complains about that on stderr.
// Priority 101: before any constructor that may load an MPI library.
__attribute__((constructor(101))) void make_names_indirect() {
  const LoadedObject self(own_base(), _DYNAMIC);
  static ElfSymbol* symbols[exported_name_count];
  ElfAddress first = ~ElfAddress{0};
  ElfAddress last = 0;
  for (int i = 0; i < exported_name_count; ++i) {
    if (exported_name(i) == nullptr) continue;
    symbols[i] = const_cast<ElfSymbol*>(self.find(exported_name(i)));
    if (symbols[i] == nullptr) continue;
    wrappers[i] = own_base() + symbols[i]->st_value;
    first_wrapper = wrappers[i] < first_wrapper ? wrappers[i] : first_wrapper;
    last_wrapper = wrappers[i] > last_wrapper ? wrappers[i] : last_wrapper;
    const auto place = reinterpret_cast<ElfAddress>(symbols[i]);
    first = place < first ? place : first;
    last = place + sizeof(ElfSymbol) > last ? place + sizeof(ElfSymbol) : last;
  }
  if (last == 0) return;
  clear_weak_references(is_wrapper);
  if (!is_plain_data(first) || !set_writable(first, last, true)) return;
  for (int i = 0; i < exported_name_count; ++i) {
    if (symbols[i] == nullptr) continue;
    const Resolver indirect = resolver(i, std::make_integer_sequence<int, exported_name_count>{});
    symbols[i]->st_value = reinterpret_cast<ElfAddress>(indirect) - own_base();
    symbols[i]->st_info = ELF64_ST_INFO(ELF64_ST_BIND(symbols[i]->st_info), STT_GNU_IFUNC);
  }
  set_writable(first, last, false);
}

}  // namespace

bool defined_elsewhere(const char* name) {
  Search search{name, false};
  dl_iterate_phdr(search_object, &search);
  return search.found;
}

}  // namespace leadline::recorder
