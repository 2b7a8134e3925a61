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

#include <utility>

#include "host/loaded_object.hpp"

namespace leadline::host {

// A name that a library exports, and what it is bound to.
struct ExportedName {
  const char* name = nullptr;  // nullptr: there is no such form of the function
  ElfAddress (*resolve)() = nullptr;
  ElfSymbol* symbol = nullptr;
  ElfAddress wrapper = 0;
};

// Whether it is one of Leadline's preloaded libraries.
bool is_leadlines(const LoadedObject& object);

// Whether an object of the process other than Leadline's libraries defines the function `name`.
bool defined_elsewhere(const char* name);

// Makes `count` names answer as if we were not there.
void make_names_indirect(ExportedName* names, int count);

// Sets to null the weak references of the objects loaded so far that are bound to one of our wrappers and that
// nobody else defines. `is_wrapper` tells the address of a wrapper.
void clear_weak_references(bool (*is_wrapper)(ElfAddress));

// The names of a library: Names::count of them, Names::name(i). Names::bound() is called whenever one is bound.
template <class Names>
class Exports {
 public:
  static void make_indirect() {
    fill(std::make_integer_sequence<int, Names::count>{});
    make_names_indirect(names_, Names::count);
  }

 private:
  template <int index>
  static ElfAddress resolve() {
    Names::bound();
    return defined_elsewhere(Names::name(index)) ? names_[index].wrapper : 0;
  }
  template <int... index>
  static void fill(std::integer_sequence<int, index...>) {
    static constexpr ElfAddress (*resolvers[])() = {resolve<index>...};
    for (int i = 0; i < Names::count; ++i) names_[i] = {Names::name(i), resolvers[i]};
  }

  static inline constinit ExportedName names_[Names::count] = {};  // filled before other constructors run
};

}  // namespace leadline::host
