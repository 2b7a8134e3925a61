#include "recorder/call_paths/modules.hpp"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include <initializer_list>

#include "host/begins.hpp"
#include "host/loaded_object.hpp"
#include "host/readable_memory.hpp"
#include "recording/live.hpp"

namespace leadline::recorder {

namespace {

const char* name_of(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool is_one_of(const char* name, std::initializer_list<const char*> beginnings) {
  for (const char* with : beginnings) {
    if (host::begins(name, with)) return true;
  }
  return false;
}

// The dynamic linker, which runs constructors; musl's is all of libc.
bool is_loader(const char* name) { return is_one_of(name, {"ld-linux", "ld-2.", "ld.so", "ld64.so", "ld-musl"}); }
bool is_libc(const char* name) { return is_one_of(name, {"libc.so", "libc-2.", "libpthread", "libc.musl"}); }

// "python3.11", "libpython3.11d.so.1.0", "libguile-3.0.so.1"
bool is_interpreter(const char* name) {
  if (is_one_of(name, {"libpython", "libguile", "libjulia", "libperl", "libruby", "liblua", "liboctinterp", "libR.so",
                       "libtcl"}))
    return true;
  for (const char* with : {"python", "guile", "julia", "perl", "ruby", "luajit", "lua", "octave-cli", "tclsh"}) {
    const size_t length = strlen(with);
    if (host::begins(name, with) && !name[length + strspn(name + length, "-0123456789.dmt")]) return true;
  }
  return false;
}

// Libraries of MPI implementations whose frames are not the user's. (The C++ bindings are: they are inlined user code.)
bool is_mpi_layer(const char* path) {
  const char* name = name_of(path);
  if (host::begins(name, "libmpi_cxx") || host::begins(name, "libmpicxx") || host::begins(name, "libmpichcxx"))
    return false;
  return host::begins(name, "libmpi.so") || host::begins(name, "libmpi_") || host::begins(name, "libmpifort") ||
         host::begins(name, "libmpich") || host::begins(name, "libfmpich") || host::begins(name, "libmpi-") ||
         host::begins(name, "libpmpi") || host::begins(name, "libopen-pal") || host::begins(name, "libopen-rte");
}

// Libraries that come with MPI libraries; their I/O counts as the MPI library's.
bool is_communication_library(const char* path) {
  return is_one_of(name_of(path), {"libpmi", "libprrte", "libhwloc", "libevent", "libuc", "libfabric", "libpsm",
                                   "libibverbs", "librdmacm", "libnuma", "libmunge", "mca_", "libmca_"});
}

// Run-time libraries of languages, which do I/O for their programs.
bool is_language_runtime(const char* path) {
  return is_one_of(name_of(path), {"libgfortran.so", "libstdc++.so", "libc++.so", "libifcore", "libflang", "libpgf90",
                                   "libnvf", "libFortran", "libfortran", "libcraylibs", "libf.so", "libfi.so"});
}

// The notes are the program's, and may be damaged.
void read_build_id(const dl_phdr_info& info, char* hex, size_t size) {
  *hex = 0;
  host::ReadableMemory memory;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) & p = info.dlpi_phdr[i];
    if (p.p_type != PT_NOTE) continue;
    constexpr uint64_t most_bytes = 1u << 16;
    uint64_t at = info.dlpi_addr + p.p_vaddr;
    const uint64_t end = at + (p.p_memsz < most_bytes ? p.p_memsz : most_bytes);
    ElfW(Nhdr) note{};
    while (at + sizeof(note) <= end && memory.read(at, &note)) {
      const uint64_t name = at + sizeof(note);
      const uint64_t desc = name + ((uint64_t{note.n_namesz} + 3) & ~uint64_t{3});
      uint32_t letters = 0;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(letters) && memory.read(name, &letters) &&
          memcmp(&letters, "GNU", sizeof(letters)) == 0) {
        for (unsigned b = 0; b < note.n_descsz && 2 * b + 2 < size && desc + b < end; ++b) {
          uint8_t byte = 0;
          if (!memory.read(desc + b, &byte)) break;
          constexpr char digits[] = "0123456789abcdef";
          hex[2 * b] = digits[byte >> 4];
          hex[2 * b + 1] = digits[byte & 15];
          hex[2 * b + 2] = 0;
        }
        return;
      }
      at = desc + ((uint64_t{note.n_descsz} + 3) & ~uint64_t{3});
    }
  }
}

ModuleAddress kind_of(const char* path) {
  ModuleAddress kind;
  kind.known = true;
  if (!path || !*path) return kind;  // the program itself
  kind.mpi_layer = is_mpi_layer(path);
  kind.language_runtime = is_language_runtime(path);
  kind.loader = is_loader(name_of(path));
  kind.system = kind.loader || is_libc(name_of(path));
  return kind;
}

}  // namespace

uint32_t Modules::number_of(const char* path, const char* build_id) {
  uint32_t number = 0;
  for (uint32_t at = 0; at < text_.size(); ++number) {
    const char* p = reinterpret_cast<const char*>(text_.data()) + at;
    const char* id = p + strlen(p) + 1;
    if (strcmp(p, path) == 0 && strcmp(id, build_id) == 0) return number;
    at += static_cast<uint32_t>(strlen(p) + strlen(id) + 2);
  }
  const size_t n = strlen(path) + 1, m = strlen(build_id) + 1;
  uint8_t* room = text_.room(n + m);
  if (!room) return UINT32_MAX;
  memcpy(room, path, n);
  memcpy(room + n, build_id, m);
  text_.advance(room + n + m);
  return number;
}

const char* Modules::path_of(uint32_t module) const {
  const char* path = reinterpret_cast<const char*>(text_.data());
  const char* end = path + text_.size();
  for (uint32_t number = 0; path < end; ++number) {
    if (number == module) return path;
    path += strlen(path) + 1;  // its build id
    path += strlen(path) + 1;
  }
  return nullptr;
}

// Whether the object is the one that has the number: its addresses do not show it, as another may lie there by now.
bool Modules::is_numbered(const dl_phdr_info& info, uint32_t number) const {
  const char* path = path_of(number);
  const char* name = info.dlpi_name ? info.dlpi_name : "";
  if (!path) return false;
  const size_t n = strlen(path), m = strlen(name);
  if (m > n || strcmp(path + n - m, name) != 0) return false;
  if (m && m < n && (*name == '/' || path[n - m - 1] != '/')) return false;  // "./plugin.so" got its folder
  char build_id[80];
  read_build_id(info, build_id, sizeof(build_id));
  return strcmp(path + n + 1, build_id) == 0;
}

// What the last listing knew of the object: it stays known though nothing asks for an address in it any more. Entries
// from count_ on are those of that listing which were not replaced: what is loaded later comes later in it.
void Modules::keep_number(const dl_phdr_info& info, int listed, Module* module) const {
  for (int i = count_; i < listed; ++i) {
    const Module& was = modules_[i];
    if (was.begin != module->begin || was.end != module->end || was.bias != module->bias) continue;
    if (was.number >= not_numbered || !is_numbered(info, was.number)) return;
    module->number = was.number;
    module->kind.interpreter = was.kind.interpreter;
    return;
  }
}

void Modules::read_loaded() {
  struct Reading {
    Modules* self;
    int seen, listed;
  } reading{this, 0, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* r = static_cast<Reading*>(data);
        Modules& m = *r->self;
        if (r->seen++ == 0) {
          if (m.count_ && info->dlpi_adds == m.adds_ && info->dlpi_subs == m.subs_) return 1;
          m.adds_ = info->dlpi_adds;
          m.subs_ = info->dlpi_subs;
          r->listed = m.count_;
          m.count_ = 0;
          m.unwinder_.forget();
        }
        uint64_t begin = UINT64_MAX, end = 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) & p = info->dlpi_phdr[i];
          if (p.p_type != PT_LOAD) continue;
          if (info->dlpi_addr + p.p_vaddr < begin) begin = info->dlpi_addr + p.p_vaddr;
          if (info->dlpi_addr + p.p_vaddr + p.p_memsz > end) end = info->dlpi_addr + p.p_vaddr + p.p_memsz;
        }
        if (begin >= end || m.count_ == max_modules) return 0;
        Module module{begin, end, info->dlpi_addr, not_numbered, kind_of(info->dlpi_name)};
        m.keep_number(*info, r->listed, &module);
        m.modules_[m.count_++] = module;
        return 0;
      },
      &reading);
}

void Modules::give_number(Module* module) {
  struct Naming {
    Modules* self;
    Module* module;
  } naming{this, module};
  module->number = UINT32_MAX;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* n = static_cast<Naming*>(data);
        if (info->dlpi_addr != n->module->bias) return 0;
        char self[1024] = {};
        const char* path = info->dlpi_name;
        if (!path || !*path) {
          if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0) return 1;
          path = self;
        } else if (*path != '/' && getcwd(self, sizeof(self))) {  // opened as "./plugin.so"
          const size_t n = strlen(self);
          if (n + 1 + strlen(path) < sizeof(self)) {
            self[n] = '/';
            strcpy(self + n + 1, path);
            if (access(self, R_OK) == 0) path = self;  // else the program has moved since
          }
        }
        n->module->kind.interpreter = is_interpreter(name_of(path));
        char build_id[80];
        read_build_id(*info, build_id, sizeof(build_id));
        n->module->number = n->self->number_of(path, build_id);
        return 1;
      },
      &naming);
}

bool Modules::in_mpi_library(uint64_t address) {
  struct Search {
    uint64_t address;
    bool found;
  } search{address, false};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* s = static_cast<Search*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) & p = info->dlpi_phdr[i];
          if (p.p_type != PT_LOAD || s->address - info->dlpi_addr - p.p_vaddr >= p.p_memsz) continue;
          s->found = info->dlpi_name && (is_mpi_layer(info->dlpi_name) || is_communication_library(info->dlpi_name));
          return 1;
        }
        return 0;
      },
      &search);
  return search.found;
}

bool Modules::interprets(uint32_t module) {
  uint8_t* const known = module < max_modules ? &interprets_[module] : nullptr;
  if (const uint8_t k = known ? __atomic_load_n(known, __ATOMIC_RELAXED) : uint8_t{0}) return k == 2;
  const char* path = path_of(module);
  const bool yes = path && is_interpreter(name_of(path));
  if (path && known) __atomic_store_n(known, static_cast<uint8_t>(yes ? 2 : 1), __ATOMIC_RELAXED);
  return yes;
}

bool Modules::address_of(uint32_t module, uint64_t offset, uint64_t* address) {
  for (int i = 0; i < count_; ++i) {
    if (modules_[i].number != module || offset > modules_[i].end - modules_[i].bias) continue;
    *address = modules_[i].bias + offset;
    return true;
  }
  return false;
}

ModuleAddress Modules::find(uint64_t address) {
  read_loaded();
  return find_again(address);
}

ModuleAddress Modules::find_again(uint64_t address) {
  for (int i = 0; i < count_; ++i) {
    Module& m = modules_[i];
    if (address < m.begin || address >= m.end) continue;
    if (m.number == not_numbered) give_number(&m);
    if (m.number >= trace::no_module_word) break;
    ModuleAddress found = m.kind;
    found.module = m.number;
    found.offset = address - m.bias;
    return found;
  }
  return {};
}

namespace {

// The exported symbol around a return address, if there is one.
const char* enclosing_symbol(uint64_t address) {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(address - 1), &info) ? info.dli_sname : nullptr;
}

struct Search {
  uint64_t caller;
  bool reached;
  const char* symbol;
};

bool seek_symbol(void* self, const Unwinder::Frame& frame) {
  auto* s = static_cast<Search*>(self);
  if (frame.address == s->caller) s->reached = true;
  if (!s->reached) return true;
  s->symbol = enclosing_symbol(frame.address);
  return s->symbol == nullptr;
}

// MPICH's f08 bindings pass through hidden functions: then the next exported one that called counts.
const char* layer_symbol(Unwinder& unwinder, uint64_t caller) {
  if (const char* symbol = enclosing_symbol(caller)) return symbol;
  Search search{caller, false, nullptr};
  unwinder.walk(seek_symbol, &search);
  return search.symbol;
}

}  // namespace

bool Modules::layer_calls_for_user(uint64_t caller, const char* function) {
  const char* enclosing = layer_symbol(unwinder_, caller);
  if (!enclosing) return false;
  char symbol[256];
  size_t n = 0;
  for (const char* s = enclosing; *s && n + 1 < sizeof(symbol); ++s) {
    symbol[n++] = static_cast<char>(tolower(static_cast<unsigned char>(*s)));
  }
  while (n && symbol[n - 1] == '_') --n;
  symbol[n] = 0;
  const char* at = symbol;
  for (const char* prefix : {"pompi_", "ompi_", "pmpir_", "mpir_", "pmpi_", "mpi_"}) {
    if (host::begins(at, prefix)) {
      at += strlen(prefix);
      break;
    }
  }
  if (at == symbol) return false;
  const char* name = function + 4;  // past "MPI_"
  size_t i = 0;
  while (name[i] && at[i] == tolower(static_cast<unsigned char>(name[i]))) ++i;
  if (name[i]) return false;
  // Suffixes of the layers' variants may follow.
  for (const char* suffix :
       {"", "_f", "_f08", "_f08ts", "_cdesc", "_fts", "_c", "_f08_c", "_f08ts_large", "_f08_large"}) {
    if (strcmp(at + i, suffix) == 0) return true;
  }
  return false;
}

}  // namespace leadline::recorder
