#include "host/real.hpp"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include <new>

#include "host/exports.hpp"
#include "host/loaded_object.hpp"
#include "host/symbol_lookup.hpp"
#include "leadline/families.hpp"
#include "leadline/symbols.hpp"

namespace leadline::host {

void* real_functions[function_count][4];
constinit Abi abi;

namespace {

struct Library {
  const Family* family = nullptr;
  char path[1024] = {};
};
constinit Library library;

const char* file_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const Family* family_of(const char* name) {
  for (const Family* f : families) {
    for (const char* const* l = f->libraries; l < f->libraries + Family::max_libraries && *l; ++l) {
      if (strncmp(name, *l, strlen(*l)) == 0) return f;
    }
  }
  return nullptr;
}

// The loaded object whose name is one of an MPI library and which defines PMPI_Init. mpi4py opens `libmpi.so`; then the
// library's own name counts.
int look_at_object(dl_phdr_info* info, size_t, void* found) {
  auto* into = static_cast<Library*>(found);
  if (!info->dlpi_name || !*info->dlpi_name) return 0;
  const LoadedObject object(*info);
  const Family* family = family_of(file_name(info->dlpi_name));
  if (!family) family = family_of(object.soname());
  if (!family || !object.find("PMPI_Init")) return 0;
  into->family = family;
  strncpy(into->path, info->dlpi_name, sizeof(into->path) - 1);
  return 1;
}

// Any object but Leadline's that defines it: calls can be passed on to it, if not recorded.
int look_for_any_mpi(dl_phdr_info* info, size_t, void* found) {
  if (!info->dlpi_name || !*info->dlpi_name) return 0;
  const LoadedObject object(*info);
  if (is_leadlines(object) || !object.find("PMPI_Init")) return 0;
  auto* into = static_cast<Library*>(found);
  strncpy(into->path, info->dlpi_name, sizeof(into->path) - 1);
  return 1;
}

uint64_t value_of(const Constant& c, void* handle) {
  if (c.kind == Constant::Kind::value) return c.value;
  if (c.kind == Constant::Kind::none) return 0;
  void* address = next_dlsym()(RTLD_DEFAULT, c.symbol);
  if (!address && handle) address = next_dlsym()(handle, c.symbol);
  if (!address) return 0;
  return c.kind == Constant::Kind::address_of ? reinterpret_cast<uint64_t>(address) : *static_cast<uint64_t*>(address);
}

void fill_abi(const Family& f, void* handle) {
  abi.family = &f;
  const auto of = [&](const Constant& c) { return value_of(c, handle); };
  abi.comm_null = of(f.comm_null);
  abi.comm_world = of(f.comm_world);
  abi.comm_self = of(f.comm_self);
  abi.request_null = of(f.request_null);
  abi.datatype_null = of(f.datatype_null);
  abi.message_null = of(f.message_null);
  abi.message_no_proc = of(f.message_no_proc);
  abi.win_null = of(f.win_null);
  abi.file_null = of(f.file_null);
  abi.group_null = of(f.group_null);
  abi.info_null = of(f.info_null);
  abi.op_null = of(f.op_null);
  abi.status_ignore = of(f.status_ignore);
  abi.statuses_ignore = of(f.statuses_ignore);
  abi.bottom = of(f.bottom);
  abi.in_place = of(f.in_place);
  abi.byte = of(f.byte);
  for (int i = 0; i < Family::op_count; ++i) {
    abi.ops[i] = of(f.ops[i]);
    if (strcmp(op_names[i], "MPI_NO_OP") == 0) abi.no_op = abi.ops[i];
  }
  if (const uint64_t shared = of(f.finished_request)) {
    abi.shared_first = shared & f.finished_mask;
    const uint64_t every = f.handle_bytes.request == 4 ? UINT32_MAX : UINT64_MAX;
    abi.shared_span = every & ~f.finished_mask;
  }
  abi.status = f.status;
  abi.proc_null = f.proc_null;
  abi.any_source = f.any_source;
  abi.any_tag = f.any_tag;
  abi.root = f.root;
  abi.undefined = f.undefined;
  abi.thread_multiple = f.thread_multiple;
}

// Whether another of Leadline's libraries follows us: its names have a version, so dlsym skips them.
bool chained_to_leadline = false;

// Between another of Leadline's libraries and any other object behind us, the one loaded first counts.
void* next_in_chain(const char* name) {
  void* next = next_dlsym()(RTLD_NEXT, name);
  void* leadlines = chained_to_leadline ? dlvsym(RTLD_NEXT, name, "LEADLINE_1") : nullptr;
  if (!leadlines || !next) return leadlines ? leadlines : next;
  struct Order {
    Dl_info a, b;
    void* first;
  } order{};
  if (!dladdr(leadlines, &order.a) || !dladdr(next, &order.b)) return next;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* o = static_cast<Order*>(data);
        if (!info->dlpi_name) return 0;
        if (strcmp(info->dlpi_name, o->a.dli_fname) == 0) o->first = o->a.dli_fbase;
        if (strcmp(info->dlpi_name, o->b.dli_fname) == 0) o->first = o->b.dli_fbase;
        return o->first ? 1 : 0;
      },
      &order);
  return order.first == order.a.dli_fbase ? leadlines : next;
}

void look_for_leadline() { chained_to_leadline = dlvsym(RTLD_NEXT, "MPI_Allreduce", "LEADLINE_1") != nullptr; }

void find_library(Library* into) {
  dl_iterate_phdr(look_at_object, into);
  if (!into->path[0]) dl_iterate_phdr(look_for_any_mpi, into);
}

// The objects loaded so far. Asking the dynamic linker for two thousand names costs a millisecond where there are many:
// most can be answered from the objects' own tables, in the same way.
class Definitions {
 public:
  explicit Definitions(const char* library) : library_(library) {
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
          static_cast<Definitions*>(data)->add(*info);
          return 0;
        },
        this);
  }

  // True: no object but Leadline's defines the name (then *function is null), or the MPI library alone does so, as a
  // function that is found without a version.
  bool settles(const char* name, void** function) const {
    *function = nullptr;
    if (count_ > most || chained_to_leadline) return false;
    const uint32_t hash = LoadedObject::hash_of(name);
    for (int i = 0; i < count_; ++i) {
      const ElfSymbol* symbol = objects()[i].may_define(hash) ? objects()[i].find(name, hash) : nullptr;
      if (!symbol) continue;
      const ElfVersion* version = objects()[i].version_of(symbol);
      const bool plain = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && (!version || *version == VER_NDX_GLOBAL);
      if (i != library_number_ || !plain) return false;
      *function = reinterpret_cast<void*>(objects()[i].base() + symbol->st_value);
    }
    return true;
  }

 private:
  static constexpr int most = 512;

  // Not on the program's stack, which may be small.
  static LoadedObject* objects() {
    alignas(LoadedObject) static char memory[most * sizeof(LoadedObject)];
    return reinterpret_cast<LoadedObject*>(memory);
  }
  void add(const dl_phdr_info& info) {
    const LoadedObject object(info);
    if (is_leadlines(object)) return;
    if (*library_ && info.dlpi_name && strcmp(info.dlpi_name, library_) == 0) library_number_ = count_;
    if (count_ < most) new (&objects()[count_]) LoadedObject(object);
    ++count_;
  }

  const char* library_;
  int count_ = 0, library_number_ = -1;
};

// Where the library was loaded locally (mpi4py, ctypes, plug-ins) nothing follows us in the global scope.
void* behind(const char* name, void* library_handle) {
  void* next = next_in_chain(name);
  return next ? next : library_handle ? next_dlsym()(library_handle, name) : nullptr;
}

}  // namespace

const char* Abi::op_name(uint64_t op) const {
  for (int i = 0; i < Family::op_count; ++i) {
    if (ops[i] == op) return op_names[i];
  }
  return "user-defined";
}

bool find_real_functions(const char** why) {
  find_library(&library);
  void* handle = library.path[0] ? dlopen(library.path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  look_for_leadline();
  const Definitions definitions(library.path);
  for (int f = 0; f < function_count; ++f) {
    for (int n = 0; n < 4; ++n) {
      const char* name = symbol_names[f][n];
      if (!name || definitions.settles(name, &real_functions[f][n])) continue;
      real_functions[f][n] = behind(name, handle);
    }
  }
  if (!library.family) {
    *why = "unsupported MPI library";
    return false;
  }
  if (!has_real(Fn::Init) || !has_real(Fn::Comm_rank) || !has_real(Fn::Type_size)) {
    *why = "MPI functions not found in the MPI library";
    return false;
  }
  fill_abi(*library.family, handle);
  return true;
}

void* found_in_library(const char* name) {
  Library loaded;
  find_library(&loaded);
  void* handle = loaded.path[0] ? dlopen(loaded.path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  void* const found = handle ? next_dlsym()(handle, name) : nullptr;
  if (handle) dlclose(handle);
  return found;
}

void* function_behind(const char* name) {
  Library loaded;
  find_library(&loaded);
  if (!loaded.family) return nullptr;
  void* handle = dlopen(loaded.path, RTLD_LAZY | RTLD_NOLOAD);
  look_for_leadline();
  void* const found = behind(name, handle);
  if (handle) dlclose(handle);
  return found;
}

namespace {

// The name spaces that dlmopen() makes. The C library tells debuggers of them since 2.35; older ones hide them.
struct NameSpace {
  r_debug objects;
  const NameSpace* next;
};

bool was_initialized_in_a_name_space() {
  const r_debug* shown = &_r_debug;
  if (shown->r_version < 2) return false;
  asm("" : "+r"(shown));  // it is the beginning of something larger
  const auto* const own = reinterpret_cast<const NameSpace*>(shown);
  for (const NameSpace* other = own->next; other; other = other->next) {
    for (const link_map* map = other->objects.r_map; map; map = map->l_next) {
      const LoadedObject object(map->l_addr, map->l_ld);
      const ElfSymbol* symbol = family_of(object.soname()) ? object.find("PMPI_Initialized") : nullptr;
      if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) continue;
      const auto initialized = reinterpret_cast<int (*)(int32_t*)>(object.base() + symbol->st_value);
      int32_t flag = 0;
      if (initialized(&flag) == 0 && flag) return true;
    }
  }
  return false;
}

}  // namespace

bool mpi_was_initialized() {
  Library loaded;
  dl_iterate_phdr(look_at_object, &loaded);
  void* handle = loaded.family ? dlopen(loaded.path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  if (!handle) return was_initialized_in_a_name_space();
  int32_t flag = 0;
  const auto initialized = reinterpret_cast<int (*)(int32_t*)>(next_dlsym()(handle, "PMPI_Initialized"));
  const bool known = initialized && initialized(&flag) == 0;
  dlclose(handle);
  return known && flag;
}

const char* mpi_library_path() { return library.path[0] ? library.path : nullptr; }

}  // namespace leadline::host
