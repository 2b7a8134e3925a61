// Exporting MPI_x and PMPI_x from a preloaded library without the program noticing.
//
// Programs ask which MPI there is. mpi4py's wheels do it twice: dlsym(MPI_Get_version) tells them that an MPI library
// is in the process already, and they refer weakly to what only some libraries have (MPI_x_c, MPI_Comm_toint, ...) and
// call it if it is there. A preloaded library that simply exports every name makes them load the wrong library, or call
// what the right one lacks; one that exports fewer names misses calls. So every name answers as if we were not there:
//   * It has a version that is not the default (exports.map), so dlsym passes it by while references without a version,
//     as all programs have, bind to it.
//   * Once the program has started it is an indirect function (STT_GNU_IFUNC), whose resolver the dynamic linker asks
//     when it binds a reference: the wrapper if another object of the process defines the name, else null.
//   * Weak references that were bound to a wrapper before that are set to null where nobody else defines the name.
// docs/decisions/0002-large-count-names.md says why, and what else was tried.
#pragma once

#include "leadline/symbols.hpp"
#include "recorder/loaded_object.hpp"

namespace leadline::recorder {

inline constexpr int name_forms = 4;
inline constexpr int exported_name_count = function_count * name_forms;

// MPI_x, PMPI_x, MPI_x_c, PMPI_x_c of each function in turn; nullptr where there is no such form.
constexpr const char* exported_name(int index) { return symbol_names[index / name_forms][index % name_forms]; }

// Whether an object of the process other than this library defines the function `name`.
bool defined_elsewhere(const char* name);

// Sets to null the weak references of the objects loaded so far that are bound to one of our wrappers and that
// nobody else defines. `is_wrapper` tells the address of a wrapper.
void clear_weak_references(bool (*is_wrapper)(ElfAddress));

}  // namespace leadline::recorder
