// The forms of collectives, by what they do with the data: each carries a call out by the rule's algorithm. False: the
// library is to do it, for `why`; else *error.
#pragma once

#include "shim/call.hpp"
#include "shim/communicator.hpp"

namespace leadline::shim {

// What an operation does with data, and so which function here carries it out.
enum class Form : uint8_t { meeting, reduction, moving, moving_of_known_lengths, exchange, neighbours };

constexpr Form form_of(const collectives::OperationFacts& facts) {
  if (!facts.has_data) return Form::meeting;
  if (facts.for_neighbours) return Form::neighbours;
  if (facts.reduces) return Form::reduction;
  if (!facts.sizes_are_known()) return Form::exchange;
  return facts.has_counts_by_rank() ? Form::moving_of_known_lengths : Form::moving;
}

constexpr int error_without_memory = 1;  // MPI_ERR_BUFFER in all families

// Blocks are reduced.
bool reduce_blocks(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error);
// Blocks of one length are moved as they are.
bool move_blocks(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error);
// Every rank's block, of a length of its own that all know, is moved to all.
bool move_all_blocks(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error);
// Every rank has a block for every other, or for the root, or the root for every rank, of lengths that only the two
// know.
bool exchange_blocks(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error);

// Every rank has a block for every neighbour, or one for all of them.
bool exchange_with_neighbours(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error);

}  // namespace leadline::shim
