// Exporting MPI_x and PMPI_x from a preloaded library without the program noticing.
//
// Programs check which MPI library there is. mpi4py's wheels do it twice: dlsym(MPI_Get_version) shows them whether an
// MPI library is in the process already, and they refer weakly to functions that only some libraries have (MPI_x_c,
// MPI_Comm_toint, ...) and call those that are there. A preloaded library that simply exports every name makes them
// load the wrong library, or call functions that the right one lacks. One that exports fewer names misses calls. Every
// name therefore behaves as if we were not there:
//   * It has a version that is not the default (exports.map). dlsym skips it, while references without a version, which
//     all programs have, bind to it.
//   * Once the program has started, it is an indirect function (STT_GNU_IFUNC). The dynamic linker calls its resolver
//     when it binds a reference: the wrapper if another object of the process defines the name, else null.
//   * Weak references that were bound to a wrapper before that are set to null if no other object defines the name.
//   * dlsym finds a name of ours where it would find one behind us without us (symbol_lookup.hpp). A program may ask
//     dladdr which file it is in, open that and ask for names that only one MPI library has (NEURON does): a handle of
//     ours stands for the MPI library.
// docs/decisions/0002-large-count-names.md gives the reasons, and the alternatives that were tried.
#pragma once

#include <utility>

#include "host/loaded_object.hpp"
#include "host/symbol_lookup.hpp"

namespace leadline::host {

// A name that a library exports, and what it is bound to.
struct ExportedName {
  const char* name = nullptr;  // nullptr: there is no such form of the function
  ElfAddress (*resolve)() = nullptr;
  ElfSymbol* symbol = nullptr;
  ElfAddress wrapper = 0;
  ElfVersion* version = nullptr;  // nullptr: it may not be changed
};

// Whether it is one of Leadline's preloaded libraries.
bool is_leadlines(const LoadedObject& object);

// Whether an object of the process other than Leadline's libraries defines the function `name`.
bool defined_elsewhere(const char* name);

// Makes `count` names answer as if we were not there.
void make_names_indirect(ExportedName* names, int count);

// What dlsym is to do for a program that looks an MPI name up. `target` finds the function that a wrapper calls.
LookUpAnswer answer_look_up(ExportedName* names, int count, void* handle, const char* name, void* (*target)(int index));

// Whether dlopen returned the handle for the library that this is a part of.
bool is_own(const void* handle);

// The same of a name that is none of MPI's, for such a handle: the name is ours or the MPI library's.
LookUpAnswer answer_of_library(void* handle, const char* name);

// Sets to null the weak references of the objects loaded so far that are bound to one of our wrappers and that
// no other object defines. `is_wrapper` recognises the address of a wrapper.
void clear_weak_references(bool (*is_wrapper)(ElfAddress));

// The names of a library: Names::count of them, Names::name(i). Names::bound() is called whenever one is bound.
// Names::target(i): the function that the wrapper calls if that is settled, else nullptr.
template <class Names>
class Exports {
 public:
  static void make_indirect() {
    fill(std::make_integer_sequence<int, Names::count>{});
    make_names_indirect(names_, Names::count);
  }

  static LookUpAnswer look_up(void* handle, const char* name) {
    if (name == nullptr) return {nullptr, next_dlsym()};
    if (!is_mpi_name(name))
      return is_own(handle) ? answer_of_library(handle, name) : LookUpAnswer{nullptr, next_dlsym()};
    return answer_look_up(names_, Names::count, handle, name, Names::target);
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
