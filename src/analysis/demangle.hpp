// Names of routines as people write them.
#pragma once

#include <string>

namespace leadline::analysis {

// A mangled name without return type and parameters: "_ZN5opatm6trcadvEi" -> "opatm::trcadv". Template arguments stay.
// Any other name is returned unchanged.
std::string demangle_short(const std::string& name);

}  // namespace leadline::analysis
