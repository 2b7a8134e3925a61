#include "probe/library.hpp"

#include <dlfcn.h>

#include <cstring>

namespace leadline::probe {

namespace {

void set_mpich(Library* library) {
  library->world = 0x44000000;
  library->byte = 0x4c00010d;
  library->real = 0x4c00080b;
  library->sum = 0x58000003;
  library->bitwise_or = 0x58000008;
  library->errors_return = 0x54000001;
  library->type_char = 0x4c000101;
}

void set_standard(Library* library) {
  library->world = 0x101;
  library->byte = 0x247;
  library->real = 0x214;
  library->sum = 0x21;
  library->bitwise_or = 0x29;
  library->errors_return = 0x143;
  library->type_char = 0x243;
}

void set_openmpi(void* object, Library* library) {
  const auto address = [object](const char* name) { return reinterpret_cast<Handle>(dlsym(object, name)); };
  library->world = address("ompi_mpi_comm_world");
  library->byte = address("ompi_mpi_byte");
  library->real = address("ompi_mpi_double");
  library->sum = address("ompi_mpi_op_sum");
  library->bitwise_or = address("ompi_mpi_op_bor");
  library->errors_return = address("ompi_mpi_errors_return");
  library->type_char = address("ompi_mpi_char");
}

template <typename T>
bool find(void* object, const char* name, T* function) {
  *function = reinterpret_cast<T>(dlsym(object, name));
  return *function != nullptr;
}

// What a program would call: that of a preloaded library, if there is one.
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
    set_openmpi(object, library);
  } else if (path.find("libmpi_abi") != std::string::npos) {
    set_standard(library);
  } else {
    set_mpich(library);
  }
  Library& it = *library;
  const bool whole = find(object, "MPI_Init", &it.init) && find(object, "MPI_Finalize", &it.finalize) &&
                     find(object, "MPI_Comm_rank", &it.rank) && find(object, "MPI_Comm_size", &it.size) &&
                     find(object, "MPI_Comm_split", &it.split) && find(object, "MPI_Comm_free", &it.free) &&
                     find(object, "MPI_Comm_set_errhandler", &it.set_errhandler) &&
                     find(object, "MPI_Barrier", &it.barrier) && find(object, "MPI_Bcast", &it.bcast) &&
                     find(object, "MPI_Reduce", &it.reduce) && find(object, "MPI_Allreduce", &it.allreduce) &&
                     find(object, "MPI_Error_string", &it.error_string);
  if (!whole) return "it lacks functions of MPI";
  find(object, "MPI_Isend", &it.isend);
  find(object, "MPI_Send", &it.send);
  find(object, "MPI_Recv", &it.recv);
  find(object, "MPI_Test", &it.test);
  find(object, "MPI_Wait", &it.wait);
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
  find_in_front(object, "MPI_Bcast", &it.bcast);
  find_in_front(object, "MPI_Reduce", &it.reduce);
  find_in_front(object, "MPI_Allreduce", &it.allreduce);
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
