#include "interchange/otf2_library.hpp"

namespace leadline::interchange::otf2 {

// It stays loaded: OTF2 keeps state of its own.
std::string load_first(const std::vector<std::string>& files, const std::function<const char*(void*)>& missing) {
  std::string why = "no file was named";
  for (const std::string& file : files) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char* error = dlerror();
      why = error ? error : file;
      continue;
    }
    const char* function = missing(library);
    if (!function) return "";
    why = file + " lacks " + function;
    dlclose(library);
  }
  return why;
}

std::string Library::load(const std::vector<std::string>& files) {
  return load_first(files, [this](void* library) -> const char* {
    const char* missing = nullptr;
#define LEADLINE_OTF2_FIND(result, name, arguments) \
  if (!missing && !find_function(library, "OTF2_" #name, &name)) missing = "OTF2_" #name;
    LEADLINE_OTF2_FUNCTIONS(LEADLINE_OTF2_FIND)
#undef LEADLINE_OTF2_FIND
#define LEADLINE_OTF2_LOOK(result, name, arguments) find_function(library, "OTF2_" #name, &name);
    LEADLINE_OTF2_NEWER_FUNCTIONS(LEADLINE_OTF2_LOOK)
#undef LEADLINE_OTF2_LOOK
    return missing;
  });
}

}  // namespace leadline::interchange::otf2
