// The blocks of a call of which only the two ranks that exchange one know its length, as the program has them. A block
// is one message of the program's own datatype.
#pragma once

#include <optional>
#include <vector>

#include "shim/call.hpp"
#include "shim/communicator.hpp"
#include "shim/layouts.hpp"
#include "shim/plan.hpp"
#include "shim/scratch.hpp"

namespace leadline::shim {

// One side's blocks, by number.
class ProgramBlocks {
 public:
  // Where blocks have no places of their own: one after the other, or all of them the same one.
  enum class Places : uint8_t { in_a_row, same };

  // number: of blocks. False: the library is to judge the arguments.
  bool look(const CallSide& side, bool large, int32_t number, Places places);
  // By block, the rank that it is for or from; -1: nobody, so that nothing is looked at.
  bool look(const CallSide& side, bool large, const std::vector<int32_t>& ranks, Places places) {
    ranks_ = ranks.data();
    return look(side, large, static_cast<int32_t>(ranks.size()), places);
  }

  int32_t number() const { return number_; }
  int64_t count(int64_t block) const { return counts_.array ? counts_[static_cast<int32_t>(block)] : count_; }
  int64_t bytes(int64_t block) const { return count(block) ? count(block) * size(block) : 0; }
  bool any(int64_t block) const { return bytes(block) > 0; }
  char* at(int64_t block) const;
  uint64_t type(int64_t block) const;

 private:
  friend class CopiedBlocks;

  int64_t size(int64_t block) const { return types_ ? size_of(memory, type(block)) : size_; }
  Layout layout(int64_t block) const { return types_ ? layout_of(type(block), size(block)) : layout_; }
  bool one_block(int64_t block) const { return layout(block).one_block; }
  friend int copy_block(const ProgramBlocks&, int64_t, const ProgramBlocks&, int64_t, int32_t, uint64_t);

  int32_t number_ = 0;
  Places in_ = Places::same;
  CountsByRank counts_, places_;
  int64_t count_ = 0;  // where all have the same
  char* base_ = nullptr;
  Word types_ = 0;  // the program's datatypes, where each block has its own; places are then bytes
  uint64_t type_ = 0;
  int64_t size_ = 0;
  Layout layout_{};
  const int32_t* ranks_ = nullptr;
  char* const* copies_ = nullptr;  // where they are instead
};

// Starts MPI_Isend or MPI_Irecv of a block.
int start_block(Fn fn, const ProgramBlocks& blocks, int64_t block, int32_t peer, int32_t tag, uint64_t comm,
                void* request);

// A block that stays on this rank, of the communicator `comm`.
int copy_block(const ProgramBlocks& from, int64_t block, const ProgramBlocks& to, int64_t to_block, int32_t rank,
               uint64_t comm);

// Copies of blocks that are exchanged in place, as each of them is in the way of another. They have the datatypes of
// the blocks, and their gaps.
class CopiedBlocks {
 public:
  // All but the rank's own. Returns MPI's error code. `copies`: the blocks where they are now.
  int copy(const ProgramBlocks& blocks, int32_t rank, uint64_t comm, ProgramBlocks* copies);

 private:
  std::vector<char*> at_;
  std::optional<Scratch> memory_;
};

}  // namespace leadline::shim
