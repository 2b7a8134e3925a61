#include "kit/omission.hpp"

#include <cstdlib>

#include "kit/options.hpp"

namespace kit {

Omission::Omission(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return;
  const std::vector<std::string> pieces = split(text, ':');
  routine_ = pieces[0];
  const std::string what = "the number in " + std::string(variable);
  number_ = static_cast<int>(parse_whole(pieces.size() > 1 ? pieces[1] : "", what, 1, 1000));
  if (pieces.size() > 2) direction_ = pieces[2];
}

}  // namespace kit
