// Exchanges in which every rank has a block for every other, and sends it there directly.
#pragma once

#include "collectives/schedule.hpp"

namespace leadline::collectives {

enum class Partners : uint8_t {
  shifted,  // in round i a rank sends to the one i after it, and receives from the one i before it
  pairs,    // in each round pairs exchange, if there are 2^k ranks; else as shifted
};

// All messages are under way together.
void exchange_at_once(const Problem& problem, Schedule* schedule);
// Those of so many partners are under way together, then those of the next ones.
void exchange_in_groups(const Problem& problem, int partners, Schedule* schedule);
// A message each way in each of p - 1 rounds, which are waited for.
void exchange_in_rounds(const Problem& problem, Partners partners, Schedule* schedule);

}  // namespace leadline::collectives
