// The keeper of a run on this node (python/leadline/launch/keeper.py): started by the first rank there, told of the
// others.
#pragma once

#include <string>
#include <vector>

namespace leadline::exec {

// Has this process watched, which is about to become a rank of the run in `directory`. Never fails: ranks run as well
// without a keeper. python: the words by which Python started us.
void watch(const std::string& directory, const std::vector<std::string>& python);

}  // namespace leadline::exec
