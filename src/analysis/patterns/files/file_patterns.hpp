// Patterns of file I/O: who reads and writes which file, and in pieces of which size.
#pragma once

#include <vector>

#include "analysis/pattern.hpp"
#include "analysis/patterns/files/file_sites.hpp"

namespace leadline::analysis {

void patterns_of_files(const Profile& profile, const FileSites& sites, std::vector<Pattern>* found);

}  // namespace leadline::analysis
