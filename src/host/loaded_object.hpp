// Looks up symbols and references in the objects of this process without the dynamic linker's help. It causes no
// binding and has no side effects, so it may run while the dynamic linker is binding something.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>

namespace leadline::host {

using ElfAddress = ElfW(Addr);
using ElfDynamic = ElfW(Dyn);
using ElfHeader = ElfW(Ehdr);
using ElfRelocation = ElfW(Rela);
using ElfSegment = ElfW(Phdr);
using ElfSymbol = ElfW(Sym);
using ElfVersion = ElfW(Half);

class LoadedObject {
 public:
  // Reads the object's dynamic section; an object without a symbol table finds nothing.
  LoadedObject(ElfAddress base, const ElfDynamic* dynamic);
  explicit LoadedObject(const dl_phdr_info& info);

  // The definition of `name`, nullptr where the object has none. The symbol lies in the object's own .dynsym.
  const ElfSymbol* find(const char* name) const;
  // The same, for a name that is looked for in many objects.
  const ElfSymbol* find(const char* name, uint32_t hash) const;
  static uint32_t hash_of(const char* name);
  // False: it does not define the name with that hash. Inline: nearly all objects are passed over by this.
  bool may_define(uint32_t hash) const {
    if (gnu_hash_ == nullptr || gnu_hash_[2] == 0) return true;
    constexpr uint32_t word_bits = sizeof(ElfAddress) * 8;
    const auto* filter = reinterpret_cast<const ElfAddress*>(gnu_hash_ + 4);
    const ElfAddress bits = filter[(hash / word_bits) & (gnu_hash_[2] - 1)];
    return ((bits >> (hash % word_bits)) & (bits >> ((hash >> gnu_hash_[3]) % word_bits)) & 1) != 0;
  }

  ElfAddress base() const { return base_; }

  // The version of a symbol that find() found, nullptr where the object's symbols have none.
  const ElfVersion* version_of(const ElfSymbol* symbol) const {
    return versions_ != nullptr && symbol != nullptr ? versions_ + (symbol - symbols_) : nullptr;
  }

  // The object's own name ("libmpi.so.40", whatever file it was opened by), "" if it has none.
  const char* soname() const { return soname_ != 0 && strings_ != nullptr ? strings_ + soname_ : ""; }

  // Calls visit(name, slot) for every relocation of an undefined weak symbol that was bound to an address which
  // is_wanted(address) accepts; the slot holds it. That is asked first: slots lie close together, symbols do not.
  template <class Filter, class Visitor>
  void for_each_weak_slot(Filter is_wanted, Visitor visit) const {
    if (symbols_ == nullptr || strings_ == nullptr) return;
    const uint32_t first_hashed = gnu_hash_ != nullptr ? gnu_hash_[1] : UINT32_MAX;  // from here on all are defined
    for (const Relocations& table : relocations_) {
      const size_t without_symbol = &table == relocations_ ? without_symbol_ : 0;
      for (size_t i = without_symbol; i < table.bytes / sizeof(ElfRelocation); ++i) {
        const uint32_t symbol = ELF64_R_SYM(table.first[i].r_info);
        if (symbol == 0 || symbol >= first_hashed) continue;
        auto* const slot = reinterpret_cast<ElfAddress*>(base_ + table.first[i].r_offset);
        if (is_wanted(*slot) && is_weak_reference(symbol)) visit(strings_ + symbols_[symbol].st_name, slot);
      }
    }
  }

  // The name of the symbol whose address the dynamic linker puts into a slot of the procedure linkage table; nullptr:
  // it is no such slot. The slots are in the order of their relocations.
  const char* linked(ElfAddress slot) const;

  // Calls visit(slot, symbol) for every other slot that calls may go through. The relocations that have no symbol come
  // first, in large libraries hundreds of thousands; symbol_name() names the symbol.
  template <class Visitor>
  void for_each_global_slot(Visitor visit) const {
    if (symbols_ == nullptr || strings_ == nullptr) return;
    const Relocations& table = relocations_[0];
    for (size_t i = without_symbol_; i < table.bytes / sizeof(ElfRelocation); ++i) {
      const auto& relocation = table.first[i];
      if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_GLOB_DAT) continue;
      visit(base_ + relocation.r_offset, static_cast<uint32_t>(ELF64_R_SYM(relocation.r_info)));
    }
  }
  const char* symbol_name(uint32_t symbol) const {
    return symbol != 0 && symbols_ != nullptr && strings_ != nullptr ? strings_ + symbols_[symbol].st_name : nullptr;
  }

 private:
  struct Relocations {
    const ElfRelocation* first;
    size_t bytes;
  };

  void read(const ElfDynamic* dynamic);
  bool is_weak_reference(uint32_t index) const {
    return symbols_[index].st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbols_[index].st_info) == STB_WEAK;
  }
  const ElfSymbol* find_by_gnu_hash(const char* name, uint32_t hash) const;
  const ElfSymbol* find_by_sysv_hash(const char* name) const;
  bool defines(uint32_t index, const char* name) const;

  ElfAddress base_ = 0;
  const ElfSymbol* symbols_ = nullptr;
  const char* strings_ = nullptr;
  const ElfVersion* versions_ = nullptr;
  ElfAddress soname_ = 0;  // where in strings_
  const uint32_t* gnu_hash_ = nullptr;
  const uint32_t* sysv_hash_ = nullptr;
  Relocations relocations_[2] = {};  // of data and of procedure linkage
  size_t without_symbol_ = 0;        // of those of data, the first ones
};

// Whether both addresses lie in one object. dladdr would search the object's whole symbol table for each.
bool in_one_object(const void* a, const void* b);

}  // namespace leadline::host
