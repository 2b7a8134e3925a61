// The facts about an operation: the terms of api/operations.toml, which that file explains. The table itself,
// `facts_of_operations`, is generated from there (leadline/operations.hpp).
#pragma once

#include <cstdint>

namespace leadline::collectives {

// The data that ranks contribute to an operation, or receive from it.
struct DataSide {
  bool root_only;          // else it is all ranks'
  bool block_per_rank;     // a block for each rank, or each neighbour; else one block
  bool count_per_rank;     // blocks have their own counts and places, as in MPI_Gatherv; else one count
  bool datatype_per_rank;  // and their own datatypes, as in MPI_Alltoallw
};

// Who may pass MPI_IN_PLACE. of_result: nobody needs to, as the result takes the place of the contribution.
enum class InPlace : uint8_t { nobody, root, all, of_result };

// Of a reduction: of whose contributions. everybody: all ranks'; inclusive: a rank's and those of the ranks before it;
// exclusive: of those before it, so that rank 0 gets nothing.
enum class Prefix : uint8_t { everybody, inclusive, exclusive };

// Which argument of the function is which; -1: it has none.
struct Arguments {
  int8_t number;
  int8_t sbuf, scount, sdispls, stype, rbuf, rcount, rdispls, rtype, op, root, comm;
};

struct OperationFacts {
  const char* name;      // "bcast": as commands and tables say
  const char* function;  // "MPI_Bcast"
  DataSide contributed, received;
  bool has_data;  // else ranks only wait for one another
  bool reduces, has_root;
  bool for_neighbours;  // in a process topology: what else is for all ranks is for those
  Prefix prefix;
  InPlace in_place;
  Arguments arguments;

  bool has_one_buffer() const { return in_place == InPlace::of_result; }
  constexpr bool has_counts_by_rank() const { return contributed.count_per_rank || received.count_per_rank; }
  // Whether all ranks know how many bytes there are, so that a choice may depend on that: else rules are for any size.
  constexpr bool sizes_are_known() const {
    const bool is_same = reduces || !(contributed.block_per_rank || contributed.root_only || received.root_only);
    return has_data && !for_neighbours && (!has_counts_by_rank() || is_same);
  }
  bool contributes(bool is_root) const { return !contributed.root_only || is_root; }
  // With one buffer what a rank contributed is its result already.
  bool receives(bool is_root) const {
    return (!received.root_only || is_root) && !(has_one_buffer() && contributes(is_root));
  }
  // Of a reduction, where the rank has a result: one after the last rank whose contribution is in it.
  int reduced_until(int rank, int processes) const {
    return prefix == Prefix::everybody ? processes : prefix == Prefix::inclusive ? rank + 1 : rank;
  }
  bool has_result(bool is_root) const { return !received.root_only || is_root; }
  // Whether ranks exchange blocks, so that in place each of them is in the way of another: the caller then keeps a copy
  // of what it contributes, as the input.
  bool exchanges() const { return contributed.block_per_rank && received.block_per_rank; }
  // In blocks, of the buffers of `processes` ranks.
  int64_t blocks_contributed(int processes) const { return blocks(contributed, processes); }
  int64_t blocks_received(int processes) const { return blocks(received, processes); }

 private:
  int64_t blocks(const DataSide& side, int processes) const {
    return !has_data ? 0 : side.block_per_rank ? processes : 1;
  }
};

}  // namespace leadline::collectives
