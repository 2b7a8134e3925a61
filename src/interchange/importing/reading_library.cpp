#include "interchange/importing/reading_library.hpp"

namespace leadline::interchange::otf2 {

std::string ReadingLibrary::load(const std::vector<std::string>& files) {
  return load_first(files, [this](void* library) -> const char* {
    const char* missing = nullptr;
#define LEADLINE_OTF2_FIND(result, name, arguments) \
  if (!missing && !find_function(library, "OTF2_" #name, &name)) missing = "OTF2_" #name;
    LEADLINE_OTF2_READING(LEADLINE_OTF2_FIND)
#undef LEADLINE_OTF2_FIND
#define LEADLINE_OTF2_LOOK(result, name, arguments) find_function(library, "OTF2_" #name, &name);
    LEADLINE_OTF2_READING_NEWER(LEADLINE_OTF2_LOOK)
#undef LEADLINE_OTF2_LOOK
    return missing;
  });
}

}  // namespace leadline::interchange::otf2
