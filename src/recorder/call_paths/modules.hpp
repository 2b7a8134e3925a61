// The objects loaded in this process: which one an address belongs to, and its kind. Used on the slow path only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "recorder/call_paths/unwinder.hpp"
#include "recording/table.hpp"

struct dl_phdr_info;

namespace leadline::recorder {

struct ModuleAddress {
  uint32_t module = 0;  // number in the trace; meaningful where known
  uint64_t offset = 0;  // from the load bias
  bool known = false;
  bool mpi_layer = false;         // in the MPI library or one of its Fortran layers: never a user's frame
  bool language_runtime = false;  // Fortran's or C++'s: its frames are not the user's where it does I/O
  bool system = false;            // libc or the dynamic linker: they call main and a thread's first routine
  bool loader = false;            // the dynamic linker
  bool interpreter = false;       // its frames say nothing of where the interpreted program is
};

class Modules {
 public:
  void attach(recording::ByteTable text) { text_ = text; }
  ModuleAddress find(uint64_t address);
  // Where a frame of the trace is in memory now. False: its module was not loaded any more at the last find().
  bool address_of(uint32_t module, uint64_t offset, uint64_t* address);
  // Whether it interprets programs: its frames are not theirs.
  bool interprets(uint32_t module);
  // The same, among the objects that were loaded at the last find().
  ModuleAddress find_again(uint64_t address);

  // Whether the address lies in an MPI library or in one that it communicates and starts processes with.
  static bool in_mpi_library(uint64_t address);

  // Whether a call from `caller`, an address inside an MPI or Fortran layer, is the call the user made: the enclosing
  // Fortran symbol names the function. A layer's helper calls (Comm_f2c, Type_size, ...) are not.
  bool layer_calls_for_user(uint64_t caller, const char* function);

  // Its rules are of the objects that were loaded at the last find().
  Unwinder& unwinder() { return unwinder_; }

 private:
  struct Module {
    uint64_t begin, end, bias;
    uint32_t number;  // not_numbered until an address in it is asked for
    ModuleAddress kind;
  };
  static constexpr uint32_t not_numbered = UINT32_MAX - 1;
  static constexpr int max_modules = 1024;

  void read_loaded();
  void give_number(Module* module);
  uint32_t number_of(const char* path, const char* build_id);
  const char* path_of(uint32_t module) const;  // its build id follows
  bool is_numbered(const dl_phdr_info& info, uint32_t number) const;
  void keep_number(const dl_phdr_info& info, int listed, Module* module) const;

  Module modules_[max_modules] = {};
  int count_ = 0;
  uint8_t interprets_[max_modules] = {};  // by number: 0: not asked yet, 1: no, 2: yes
  uint64_t adds_ = 0, subs_ = 0;
  Unwinder unwinder_;
  recording::ByteTable text_;  // "path\0build-id\0" each; a module keeps its number when it is loaded again
};

}  // namespace leadline::recorder
