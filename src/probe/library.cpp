#include "probe/library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "leadline/families.hpp"

namespace leadline::probe {

namespace {

// Parts of the binary interface (api/abi/) that only the probe needs.
struct More {
  host::Constant real, type_char, errors_return;
  int mode;  // MPI_MODE_CREATE, MPI_MODE_RDWR and MPI_MODE_DELETE_ON_CLOSE
};

host::Constant value(uint64_t of) { return {host::Constant::Kind::value, of, nullptr}; }
host::Constant address(const char* symbol) { return {host::Constant::Kind::address_of, 0, symbol}; }

More mpich() { return {value(0x4c00080b), value(0x4c000101), value(0x54000001), 1 | 8 | 16}; }
More standard() { return {value(0x214), value(0x243), value(0x143), 2 | 32 | 4}; }
More openmpi() {
  return {address("ompi_mpi_double"), address("ompi_mpi_char"), address("ompi_mpi_errors_return"), 1 | 8 | 16};
}

void set_handles(void* object, const host::Family& family, const More& more, Library* library) {
  const auto handle = [object](const host::Constant& constant) {
    if (constant.kind != host::Constant::Kind::address_of) return static_cast<Handle>(constant.value);
    return reinterpret_cast<Handle>(dlsym(object, constant.symbol));
  };
  const auto op = [&](std::string_view name) {
    const auto* found = std::find(std::begin(host::op_names), std::end(host::op_names), name);
    return handle(family.ops[found - std::begin(host::op_names)]);
  };
  library->world = handle(family.comm_world);
  library->byte = handle(family.byte);
  library->sum = op("MPI_SUM");
  library->bitwise_or = op("MPI_BOR");
  library->real = handle(more.real);
  library->type_char = handle(more.type_char);
  library->errors_return = handle(more.errors_return);
  library->info_null = handle(family.info_null);
  library->mode = more.mode;
}

template <typename T>
bool find(void* object, const char* name, T* function) {
  *function = reinterpret_cast<T>(dlsym(object, name));
  return *function != nullptr;
}

// The function that a program would call: that of a preloaded library, if there is one.
template <typename T>
bool find_in_front(void* object, const char* name, T* function) {
  if (void* in_front = dlsym(RTLD_DEFAULT, name)) {
    *function = reinterpret_cast<T>(in_front);
    return true;
  }
  return find(object, name, function);
}

}  // namespace

const char* load(const std::string& path, Library* library) {
  // Global: components of Open MPI look for its symbols everywhere.
  void* object = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (object == nullptr) return dlerror();
  if (dlsym(object, "ompi_mpi_comm_world") != nullptr) {
    set_handles(object, host::openmpi_family, openmpi(), library);
  } else if (path.find("libmpi_abi") != std::string::npos) {
    set_handles(object, host::mpi5_family, standard(), library);
  } else {
    set_handles(object, host::mpich_family, mpich(), library);
  }
  Library& it = *library;
  const bool whole = find(object, "MPI_Init", &it.init) && find(object, "MPI_Finalize", &it.finalize) &&
                     find(object, "MPI_Comm_rank", &it.rank) && find(object, "MPI_Comm_size", &it.size) &&
                     find(object, "MPI_Comm_split", &it.split) && find(object, "MPI_Comm_free", &it.free) &&
                     find(object, "MPI_Comm_set_errhandler", &it.set_errhandler) &&
                     find(object, "MPI_Barrier", &it.barrier) && find(object, "MPI_Bcast", &it.bcast) &&
                     find(object, "MPI_Error_string", &it.error_string);
  if (!whole) return "MPI functions missing";
  for (int i = 0; i < collectives::operation_count; ++i) {
    if (!find(object, collectives::facts_of_operations[i].function, &it.collectives[i])) return "collectives missing";
  }
  find(object, "MPI_Isend", &it.isend);
  find(object, "MPI_Send", &it.send);
  find(object, "MPI_Recv", &it.recv);
  find(object, "MPI_Test", &it.test);
  find(object, "MPI_Wait", &it.wait);
  find(object, "MPI_File_open", &it.file_open);
  find(object, "MPI_File_get_info", &it.file_info);
  find(object, "MPI_File_close", &it.file_close);
  find(object, "MPI_Info_get_nkeys", &it.info_size);
  find(object, "MPI_Info_get_nthkey", &it.info_key);
  find(object, "MPI_Info_get", &it.info_value);
  find(object, "MPI_T_init_thread", &it.tools_init);
  find(object, "MPI_T_cvar_get_index", &it.control_index);
  find(object, "MPI_T_cvar_get_info", &it.control_info);
  find(object, "MPI_T_cvar_handle_alloc", &it.control_handle);
  find(object, "MPI_T_cvar_read", &it.control_read);
  return nullptr;
}

void take_those_in_front(const std::string& path, Library* library) {
  void* object = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  Library& it = *library;
  find_in_front(object, "MPI_Init", &it.init);
  find_in_front(object, "MPI_Finalize", &it.finalize);
  for (int i = 0; i < collectives::operation_count; ++i) {
    find_in_front(object, collectives::facts_of_operations[i].function, &it.collectives[i]);
  }
}

bool read_control(const Library& it, const std::string& name, std::string* value) {
  if (!it.tools_init || !it.control_index || !it.control_info || !it.control_handle || !it.control_read) return false;
  int provided, index, verbosity, bind, scope, count = 0;
  if (it.tools_init(0, &provided) != 0 || it.control_index(name.c_str(), &index) != 0) return false;
  alignas(int) char text[8192] = "";
  char description[16] = "";
  int length = 0, description_length = sizeof description;
  Handle type = 0, enumeration = 0, handle = 0;
  if (it.control_info(index, nullptr, &length, &verbosity, &type, &enumeration, description, &description_length, &bind,
                      &scope) != 0 ||
      it.control_handle(index, nullptr, &handle, &count) != 0 || count > static_cast<int>(sizeof text)) {
    return false;
  }
  if (it.control_read(handle, text) != 0) return false;
  // Characters are a string; else an integer, of which the lower half is enough for what is asked here.
  const bool characters = static_cast<uint32_t>(type) == static_cast<uint32_t>(it.type_char);
  int number = 0;
  std::memcpy(&number, text, sizeof number);
  *value = characters ? std::string(text) : std::to_string(number);
  return true;
}

}  // namespace leadline::probe
