#include "omission.hpp"

#include <cstdlib>

#include "kit/options.hpp"

namespace opatm {

Omission::Omission() {
  const char* text = std::getenv("OPATM_LEAVE_OUT");
  if (text == nullptr) return;
  const std::vector<std::string> pieces = kit::split(text, ':');
  routine_ = pieces[0];
  number_ =
      static_cast<int>(kit::parse_whole(pieces.size() > 1 ? pieces[1] : "", "the number in OPATM_LEAVE_OUT", 1, 1000));
  if (pieces.size() > 2) direction_ = pieces[2];
}

}  // namespace opatm
