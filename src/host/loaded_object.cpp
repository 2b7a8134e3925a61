#include "host/loaded_object.hpp"

#include <cstring>

namespace leadline::host {

LoadedObject::LoadedObject(ElfAddress base, const ElfDynamic* dynamic) : base_(base) { read(dynamic); }

LoadedObject::LoadedObject(const dl_phdr_info& info) : base_(info.dlpi_addr) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC) {
      read(reinterpret_cast<const ElfDynamic*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr));
      return;
    }
  }
}

void LoadedObject::read(const ElfDynamic* dynamic) {
  // The dynamic linker turns these into addresses in place, except where the section is read-only (the vDSO).
  const auto address = [this](ElfAddress value) { return value < base_ ? value + base_ : value; };
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    const ElfAddress value = dynamic->d_un.d_ptr;
    switch (dynamic->d_tag) {
      case DT_SYMTAB:
        symbols_ = reinterpret_cast<const ElfSymbol*>(address(value));
        break;
      case DT_STRTAB:
        strings_ = reinterpret_cast<const char*>(address(value));
        break;
      case DT_SONAME:
        soname_ = value;
        break;
      case DT_GNU_HASH:
        gnu_hash_ = reinterpret_cast<const uint32_t*>(address(value));
        break;
      case DT_HASH:
        sysv_hash_ = reinterpret_cast<const uint32_t*>(address(value));
        break;
      case DT_VERSYM:
        versions_ = reinterpret_cast<const ElfVersion*>(address(value));
        break;
      case DT_RELA:
        relocations_[0].first = reinterpret_cast<const ElfRelocation*>(address(value));
        break;
      case DT_RELASZ:
        relocations_[0].bytes = value;
        break;
      case DT_RELACOUNT:
        without_symbol_ = value;
        break;
      case DT_JMPREL:
        relocations_[1].first = reinterpret_cast<const ElfRelocation*>(address(value));
        break;
      case DT_PLTRELSZ:
        relocations_[1].bytes = value;
        break;
      default:
        break;
    }
  }
}

const char* LoadedObject::linked(ElfAddress slot) const {
  const Relocations& table = relocations_[1];
  const size_t count = table.bytes / sizeof(ElfRelocation);
  const ElfAddress offset = slot - base_;
  size_t from = 0, to = count;  // the first one that is not before the slot is in [from, to]
  while (from < to) {
    const size_t middle = from + (to - from) / 2;
    if (table.first[middle].r_offset < offset) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  if (from == count || table.first[from].r_offset != offset) return nullptr;
  return symbol_name(static_cast<uint32_t>(ELF64_R_SYM(table.first[from].r_info)));
}

const ElfSymbol* LoadedObject::find(const char* name) const { return find(name, hash_of(name)); }

uint32_t LoadedObject::hash_of(const char* name) {
  uint32_t hash = 5381;
  for (const char* c = name; *c != 0; ++c) hash = hash * 33 + static_cast<unsigned char>(*c);
  return hash;
}

const ElfSymbol* LoadedObject::find(const char* name, uint32_t hash) const {
  if (symbols_ == nullptr || strings_ == nullptr) return nullptr;
  if (gnu_hash_ != nullptr) return find_by_gnu_hash(name, hash);
  if (sysv_hash_ != nullptr) return find_by_sysv_hash(name);
  return nullptr;
}

bool LoadedObject::defines(uint32_t index, const char* name) const {
  const ElfSymbol& symbol = symbols_[index];
  return symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0 && std::strcmp(strings_ + symbol.st_name, name) == 0;
}

// Layout: bucket count, first hashed symbol, filter words, filter shift; filter; buckets; one hash per symbol, whose
// lowest bit ends the bucket.
const ElfSymbol* LoadedObject::find_by_gnu_hash(const char* name, uint32_t hash) const {
  const uint32_t buckets = gnu_hash_[0];
  const uint32_t first = gnu_hash_[1];
  const uint32_t filter_words = gnu_hash_[2];
  if (buckets == 0 || filter_words == 0) return nullptr;
  constexpr uint32_t word_bits = sizeof(ElfAddress) * 8;
  const auto* filter = reinterpret_cast<const ElfAddress*>(gnu_hash_ + 4);
  const ElfAddress bits =
      filter[(hash / word_bits) & (filter_words - 1)];  // a power of two, as glibc takes for granted
  if (((bits >> (hash % word_bits)) & (bits >> ((hash >> gnu_hash_[3]) % word_bits)) & 1) == 0) return nullptr;
  const auto* bucket = reinterpret_cast<const uint32_t*>(filter + filter_words);
  const uint32_t* hashes = bucket + buckets;
  uint32_t index = bucket[hash % buckets];
  if (index < first) return nullptr;
  for (;; ++index) {
    const uint32_t found = hashes[index - first];
    if ((found | 1) == (hash | 1) && defines(index, name)) return &symbols_[index];
    if ((found & 1) != 0) return nullptr;
  }
}

// Layout: bucket count, symbol count; buckets; one chain link per symbol.
const ElfSymbol* LoadedObject::find_by_sysv_hash(const char* name) const {
  uint32_t hash = 0;
  for (const char* c = name; *c != 0; ++c) {
    hash = (hash << 4) + static_cast<unsigned char>(*c);
    hash = (hash ^ ((hash & 0xf0000000) >> 24)) & 0x0fffffff;
  }
  const uint32_t buckets = sysv_hash_[0];
  if (buckets == 0) return nullptr;
  const uint32_t* chain = sysv_hash_ + 2 + buckets;
  for (uint32_t index = sysv_hash_[2 + hash % buckets]; index != STN_UNDEF; index = chain[index]) {
    if (defines(index, name)) return &symbols_[index];
  }
  return nullptr;
}

bool in_one_object(const void* a, const void* b) {
  struct Search {
    ElfAddress a, b;
    bool both;
  } search{reinterpret_cast<ElfAddress>(a), reinterpret_cast<ElfAddress>(b), false};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        bool has_a = false, has_b = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfSegment& p = info->dlpi_phdr[i];
          if (p.p_type != PT_LOAD) continue;
          has_a |= s.a - info->dlpi_addr - p.p_vaddr < p.p_memsz;
          has_b |= s.b - info->dlpi_addr - p.p_vaddr < p.p_memsz;
        }
        s.both = has_a && has_b;
        return has_a || has_b ? 1 : 0;
      },
      &search);
  return search.both;
}

}  // namespace leadline::host
