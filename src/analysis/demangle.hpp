// Names of routines as people write them.
#pragma once

#include <string>

namespace leadline::analysis {

// "_ZN5opatm6trcadvEi" -> "opatm::trcadv(int)". A name that is no mangled C++ name comes back unchanged.
std::string demangle(const std::string& name);

// Without return type and parameters: "opatm::trcadv". Template arguments stay. What is no C++ name is unchanged.
std::string demangle_short(const std::string& name);

}  // namespace leadline::analysis
