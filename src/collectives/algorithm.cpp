#include "collectives/algorithm.hpp"

#include "collectives/algorithms.hpp"
#include "collectives/two_level.hpp"

namespace leadline::collectives {

namespace {

template <bool (*over)(const Problem&, Schedule*)>
bool reduce_two_level(const Problem& problem, Schedule* schedule) {
  return two_level_reduce(problem, over, schedule);
}

template <bool (*over)(const Problem&, Schedule*)>
bool allreduce_two_level(const Problem& problem, Schedule* schedule) {
  return two_level_allreduce(problem, over, schedule);
}

constexpr const char* open_mpi_study =
    "Pjesivac-Grbovic and others, Performance analysis of MPI collective operations, 2007";
constexpr const char* mpich_study =
    "Thakur, Rabenseifner, Gropp, Optimization of collective communication in MPICH, 2005";
constexpr const char* building = "Chan, Heimlich, Purkayastha, van de Geijn, Collective communication, 2007";
constexpr const char* baidin = "Baidin, as read from Leus's study of Intel MPI";
constexpr const char* leus = "Leus's study of Intel MPI";
constexpr const char* two_levels = "Karonis and others, Exploiting hierarchy in parallel computer networks, 2000";

constexpr bool any = false, commutative = true, segments = true, radix = true, none = false;

constexpr Algorithm portfolio[] = {
    {Operation::broadcast, "linear", any, none, none, open_mpi_study, broadcast_linear},
    {Operation::broadcast, "chain", any, segments, none, open_mpi_study, broadcast_chain},
    {Operation::broadcast, "binary_tree_async", any, segments, none, leus, broadcast_binary_tree_async},
    {Operation::broadcast, "split_binary_tree", any, segments, none, open_mpi_study, broadcast_split_binary_tree},
    {Operation::broadcast, "binomial", any, none, none, building, broadcast_binomial},
    {Operation::broadcast, "knomial", any, none, radix, building, broadcast_knomial},
    {Operation::broadcast, "scatter_recursive_doubling", any, none, none, mpich_study,
     broadcast_scatter_recursive_doubling},
    {Operation::broadcast, "scatter_ring", any, none, none, mpich_study, broadcast_scatter_ring},
    {Operation::broadcast, "scatter_direct", any, none, none, baidin, broadcast_scatter_direct},
    {Operation::broadcast, "split_native", any, none, radix, leus, broadcast_split_native},

    {Operation::reduce, "linear", any, none, none, open_mpi_study, reduce_linear},
    {Operation::reduce, "binary_tree", any, none, none, open_mpi_study, reduce_binary_tree},
    {Operation::reduce, "binary_tree_async", any, segments, none, leus, reduce_binary_tree_async},
    {Operation::reduce, "binomial", commutative, none, none, building, reduce_binomial},
    {Operation::reduce, "ring", commutative, none, none, building, reduce_ring},
    {Operation::reduce, "segmented_ring", commutative, segments, none, open_mpi_study, reduce_segmented_ring},
    {Operation::reduce, "rabenseifner", any, none, none, mpich_study, reduce_rabenseifner},
    {Operation::reduce, "direct", any, none, none, baidin, reduce_direct},
    {Operation::reduce, "two_level", commutative, none, none, two_levels, reduce_two_level<reduce_binomial>},
    {Operation::reduce, "two_level:over=binary_tree_async", commutative, segments, none, two_levels,
     reduce_two_level<reduce_binary_tree_async>},

    {Operation::allreduce, "linear", any, none, none, open_mpi_study, allreduce_linear},
    {Operation::allreduce, "binary_tree", any, none, none, open_mpi_study, allreduce_binary_tree},
    {Operation::allreduce, "binary_tree_async", any, segments, none, leus, allreduce_binary_tree_async},
    {Operation::allreduce, "recursive_doubling", any, none, none, mpich_study, allreduce_recursive_doubling},
    {Operation::allreduce, "ring", commutative, none, none, building, allreduce_ring},
    {Operation::allreduce, "segmented_ring", commutative, segments, none, open_mpi_study, allreduce_segmented_ring},
    {Operation::allreduce, "rabenseifner", any, none, none, mpich_study, allreduce_rabenseifner},
    {Operation::allreduce, "direct", any, none, none, baidin, allreduce_direct},
    {Operation::allreduce, "two_level", commutative, none, none, two_levels,
     allreduce_two_level<allreduce_recursive_doubling>},
    {Operation::allreduce, "two_level:over=binary_tree_async", commutative, segments, none, two_levels,
     allreduce_two_level<allreduce_binary_tree_async>},
    {Operation::allreduce, "two_level:over=rabenseifner", commutative, none, none, two_levels,
     allreduce_two_level<allreduce_rabenseifner>},
    {Operation::allreduce, "two_level:over=ring", commutative, none, none, two_levels,
     allreduce_two_level<allreduce_ring>},
    {Operation::allreduce, "two_level:over=segmented_ring", commutative, segments, none, two_levels,
     allreduce_two_level<allreduce_segmented_ring>},
};

constexpr const char* operations[] = {"bcast", "reduce", "allreduce"};

}  // namespace

std::span<const Algorithm> algorithms() { return portfolio; }

const Algorithm* find_algorithm(Operation operation, std::string_view name) {
  for (const Algorithm& algorithm : portfolio)
    if (algorithm.operation == operation && name == algorithm.name) return &algorithm;
  return nullptr;
}

const char* name_of(Operation operation) { return operations[static_cast<int>(operation)]; }

network::Movement movement_of(Operation operation) {
  return {.contributed = {.root_only = operation == Operation::broadcast},
          .received = {.root_only = operation == Operation::reduce},
          .reduced = operation != Operation::broadcast};
}

bool operation_of(std::string_view name, Operation* operation) {
  for (int i = 0; i < 3; ++i)
    if (name == operations[i]) {
      *operation = static_cast<Operation>(i);
      return true;
    }
  return false;
}

}  // namespace leadline::collectives
