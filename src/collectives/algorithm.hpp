// The portfolio: a folder per operation, a file per algorithm, and in each folder a list of its algorithms
// (algorithms.toml) that the table of all is generated from. All algorithms work in place: `input` is then in `data`,
// except where ranks exchange blocks (OperationFacts::exchanges). Reductions have the same result on all ranks, bit for
// bit. On ranks that receive nothing, `data` is not touched.
#pragma once

#include <span>
#include <string_view>

#include "collectives/schedule.hpp"
#include "network/bounds.hpp"

namespace leadline::collectives {

struct Algorithm {
  Operation operation;
  const char* name;        // as in tuning tables and reports: "binomial"
  bool needs_commutative;  // it reduces in another order than that of the ranks
  bool takes_segments;     // Problem::segment_bytes means something to it
  bool takes_radix;        // Problem::radix does
  bool needs_memory;       // the ranks of a node work through memory that they share: Problem::shares_memory
  // Appends what `problem.rank` does. False: the algorithm can't be used for this problem (fewer elements than it
  // needs, ...); the answer is the same on every rank.
  bool (*build)(const Problem& problem, Schedule* schedule);
};

std::span<const Algorithm> algorithms();
// nullptr: there is none of that name.
const Algorithm* find_algorithm(Operation operation, std::string_view name);

const char* name_of(Operation operation);  // "bcast": as commands and tables say
bool operation_of(std::string_view name, Operation* operation);
// What its data do, for its lower bound.
network::Movement movement_of(Operation operation);

}  // namespace leadline::collectives
