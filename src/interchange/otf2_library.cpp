#include "interchange/otf2_library.hpp"

namespace leadline::interchange::otf2 {

// It stays loaded: OTF2 keeps state of its own.
std::string load_first(const std::vector<std::string>& files, const std::function<const char*(void*)>& missing) {
  std::string why = "no OTF2 library given";
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

}  // namespace leadline::interchange::otf2
