#include "recorder/call_paths/global_slots.hpp"

#include <sys/mman.h>

#include "trace/hash.hpp"

namespace leadline::recorder {

const GlobalSlots::Object* GlobalSlots::of(const host::LoadedObject& object) {
  for (unsigned i = 0; i < count_; ++i) {
    if (objects_[i].base == object.base()) return &objects_[i];
  }
  if (count_ == most_objects) return nullptr;
  uint64_t slots = 0;
  object.for_each_global_slot([&](uint64_t, uint32_t) { ++slots; });
  uint64_t places = 16;
  while (places < 2 * slots) places *= 2;
  void* memory =
      mmap(nullptr, places * sizeof(Slot), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  Object& made = objects_[count_++];
  made = {object.base(), static_cast<Slot*>(memory), places - 1};
  object.for_each_global_slot([&](uint64_t address, uint32_t symbol) {
    uint64_t at = trace::mix(0x107, address) & made.mask;
    while (made.slots[at].address) at = (at + 1) & made.mask;
    made.slots[at] = {address, symbol};
  });
  return &made;
}

void GlobalSlots::forget() {
  for (unsigned i = 0; i < count_; ++i) munmap(objects_[i].slots, (objects_[i].mask + 1) * sizeof(Slot));
  count_ = 0;
}

const char* GlobalSlots::find(const host::LoadedObject& object, uint64_t unloaded, uint64_t slot) {
  if (unloaded != unloaded_) forget();  // another object may lie where one was
  unloaded_ = unloaded;
  const Object* known = of(object);
  if (!known) return nullptr;
  for (uint64_t at = trace::mix(0x107, slot) & known->mask; known->slots[at].address; at = (at + 1) & known->mask) {
    if (known->slots[at].address == slot) return object.symbol_name(known->slots[at].symbol);
  }
  return nullptr;
}

}  // namespace leadline::recorder
