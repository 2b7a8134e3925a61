// The hints that the library's MPI-IO says it uses for a file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "probe/library.hpp"

namespace leadline::probe {

// Of a file that all ranks open, and that is deleted again; none if it cannot be opened.
std::vector<std::pair<std::string, std::string>> hints_of(const Library& library, const std::string& path);

}  // namespace leadline::probe
