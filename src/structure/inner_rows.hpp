// The iterations of the one loop in which a silent loop makes its calls, in rows: from each entry until control leaves.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "structure/loop_tree.hpp"
#include "trace/process.hpp"

namespace leadline::structure {

struct InnerRows {
  uint32_t inner = 0;                    // the loop
  uint64_t longest = 0, divisor = 0;     // iterations: of a row; that divide those of all rows
  uint64_t iterations = 0, rows = 0;     // in all
  std::map<Sequence, uint64_t> entered;  // the different rows, and how often each comes
};

// Of the loop within that makes most calls; none if an iteration of the outer loop enters it twice, or all rows have
// one iteration.
std::optional<InnerRows> inner_rows(const LoopTree& tree, const trace::Stream& stream, uint32_t outer);

// A row's iterations one by one, as the sequences of their calls; empty if there are more than a person looks for.
std::vector<Sequence> expanded_row(const LoopTree& tree, Sequence row);

}  // namespace leadline::structure
