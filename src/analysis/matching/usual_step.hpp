// Which of several iterations in a row stand for the others.
#pragma once

#include <vector>

#include "analysis/matching/step.hpp"

namespace leadline::analysis {

// Of iterations that were found, at least one: the richest that is not alone, and then such complete ones that send or
// operate from call sites that those before do not. Their calls get the usual computation before each.
std::vector<Step> usual_of(std::vector<Step> steps);

}  // namespace leadline::analysis
