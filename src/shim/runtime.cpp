// The small part of the C++ library that containers need, so that nothing else of it is linked in. The library's own
// operator new throws, and throwing brings a memory pool that is constructed when the process begins
// (host/immortal.hpp). Nothing here throws. Where the library would throw, the process ends, as it does with an
// uncaught exception.
#include <stdarg.h>
#include <stdlib.h>

#include <new>

#include "shim/state.hpp"

namespace {

[[noreturn]] void give_up(const char* why) {
  leadline::shim::tell("%s", why);
  abort();
}

void* memory(size_t bytes) {
  void* p = malloc(bytes ? bytes : 1);
  if (!p) give_up("out of memory in a collective");
  return p;
}

}  // namespace

void* operator new(size_t bytes) { return memory(bytes); }
void* operator new[](size_t bytes) { return memory(bytes); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return malloc(bytes ? bytes : 1); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return malloc(bytes ? bytes : 1); }
void operator delete(void* p) noexcept { free(p); }
void operator delete[](void* p) noexcept { free(p); }
void operator delete(void* p, size_t) noexcept { free(p); }
void operator delete[](void* p, size_t) noexcept { free(p); }

#ifdef __GLIBCXX__  // of other libraries, what would throw ends the process by itself where exceptions are off
namespace std {

void __throw_bad_alloc() { give_up("out of memory in a collective"); }
void __throw_bad_array_new_length() { give_up("out of memory in a collective"); }
void __throw_length_error(const char* what) { give_up(what); }

}  // namespace std
#endif
