// The slots of memory that calls of other objects go through and that are in no procedure linkage table (-fno-plt, and
// addresses of functions that are taken), by object. A large library has hundreds of thousands of relocations: they are
// gone through once, when the first slot is asked for.
#pragma once

#include <cstdint>

#include "host/loaded_object.hpp"

namespace leadline::recorder {

class GlobalSlots {
 public:
  // The name of the symbol that the dynamic linker puts into the slot of the object; nullptr: none. unloaded: how many
  // objects were so far; where that changes, all is read again.
  const char* find(const host::LoadedObject& object, uint64_t unloaded, uint64_t slot);

 private:
  struct Slot {
    uint64_t address;  // 0: none
    uint32_t symbol;
  };
  struct Object {
    uint64_t base;
    Slot* slots;
    uint64_t mask;  // of a hash; places are a power of 2
  };

  const Object* of(const host::LoadedObject& object);
  void forget();

  static constexpr unsigned most_objects = 64;
  Object objects_[most_objects] = {};
  unsigned count_ = 0;
  uint64_t unloaded_ = 0;
};

}  // namespace leadline::recorder
