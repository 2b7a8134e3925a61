#include "interchange/otf2_library.hpp"

#include <dlfcn.h>

namespace leadline::interchange::otf2 {

namespace {

template <class Function>
bool find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

}  // namespace

// It stays loaded: OTF2 keeps state of its own.
std::string Library::load(const std::vector<std::string>& files) {
  std::string why = "no file was named";
  for (const std::string& file : files) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char* error = dlerror();
      why = error ? error : file;
      continue;
    }
    const char* missing = nullptr;
#define LEADLINE_OTF2_FIND(result, name, arguments) \
  if (!missing && !find(library, "OTF2_" #name, &name)) missing = "OTF2_" #name;
    LEADLINE_OTF2_FUNCTIONS(LEADLINE_OTF2_FIND)
#undef LEADLINE_OTF2_FIND
    if (!missing) return "";
    why = file + " lacks " + missing;
    dlclose(library);
  }
  return why;
}

}  // namespace leadline::interchange::otf2
