// The builders of the algorithms; algorithm.cpp lists them.
#pragma once

#include "collectives/schedule.hpp"

namespace leadline::collectives {

bool broadcast_linear(const Problem& problem, Schedule* schedule);
bool broadcast_chain(const Problem& problem, Schedule* schedule);
bool broadcast_binary_tree_async(const Problem& problem, Schedule* schedule);
bool broadcast_split_binary_tree(const Problem& problem, Schedule* schedule);
bool broadcast_binomial(const Problem& problem, Schedule* schedule);
bool broadcast_knomial(const Problem& problem, Schedule* schedule);
bool broadcast_scatter_recursive_doubling(const Problem& problem, Schedule* schedule);
bool broadcast_scatter_ring(const Problem& problem, Schedule* schedule);
bool broadcast_scatter_direct(const Problem& problem, Schedule* schedule);
bool broadcast_split_native(const Problem& problem, Schedule* schedule);

bool reduce_linear(const Problem& problem, Schedule* schedule);
bool reduce_binary_tree(const Problem& problem, Schedule* schedule);
bool reduce_binary_tree_async(const Problem& problem, Schedule* schedule);
bool reduce_binomial(const Problem& problem, Schedule* schedule);
bool reduce_ring(const Problem& problem, Schedule* schedule);
bool reduce_segmented_ring(const Problem& problem, Schedule* schedule);
bool reduce_rabenseifner(const Problem& problem, Schedule* schedule);
bool reduce_direct(const Problem& problem, Schedule* schedule);

bool allreduce_linear(const Problem& problem, Schedule* schedule);
bool allreduce_binary_tree(const Problem& problem, Schedule* schedule);
bool allreduce_binary_tree_async(const Problem& problem, Schedule* schedule);
bool allreduce_recursive_doubling(const Problem& problem, Schedule* schedule);
bool allreduce_ring(const Problem& problem, Schedule* schedule);
bool allreduce_segmented_ring(const Problem& problem, Schedule* schedule);
bool allreduce_rabenseifner(const Problem& problem, Schedule* schedule);
bool allreduce_direct(const Problem& problem, Schedule* schedule);

}  // namespace leadline::collectives
