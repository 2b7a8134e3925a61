// What the order of calls in one step says of an exchange of one-sided operations. A rank knows of others' operations
// by synchronisations only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/matching/step.hpp"
#include "analysis/patterns/exchanges/exchange.hpp"
#include "analysis/patterns/exchanges/ordering.hpp"

namespace leadline::analysis {

// Sets what is known of operations: how many, how many together, and whether they are passed on.
void order_operations(const Exchange& exchange, const Step& step, Ordering* order);

// Whether a rank synchronises between two targets, as in the stages of a reduction: nearly all ranks, nearly always.
bool operate_in_stages(const std::vector<uint32_t>& sites, const Step& step);

}  // namespace leadline::analysis
