#include "shim/program_blocks.hpp"

#include <string.h>

#include <algorithm>

#include "shim/forms.hpp"

namespace leadline::shim {

using host::call_real;

namespace {

constexpr int32_t own_block_tag = 8;

// The bytes that a block's data lie in, from its address on: first may be negative.
struct Span {
  int64_t first, end;
};

Span span_of(const Layout& layout, int64_t count) {
  const int64_t last = (count - 1) * layout.extent;
  return {layout.true_lb + std::min<int64_t>(0, last),
          layout.true_lb + layout.true_extent + std::max<int64_t>(0, last)};
}

}  // namespace

bool ProgramBlocks::look(const CallSide& side, bool large, int32_t number, Places places) {
  number_ = number;
  in_ = places;
  counts_ = {reinterpret_cast<const void*>(side.counts), large};
  places_ = {reinterpret_cast<const void*>(side.places), large || side.places_are_addresses};
  count_ = side.count;
  base_ = reinterpret_cast<char*>(side.buffer);
  types_ = side.datatypes;
  type_ = types_ ? 0 : abi.datatype(side.datatype);
  size_ = types_ ? 0 : size_of(memory, type_);
  bool any = false;
  if (count_ < 0) return false;
  for (int32_t block = 0; block < number; ++block) {
    if (ranks_ && ranks_[block] < 0) continue;
    if (count(block) < 0) return false;
    if (types_ && count(block) > 0 && size(block) < 0) return false;
    any = any || count(block) > 0;
  }
  if (!any || types_) return true;  // then the datatype is not looked at, or a place may be an address
  if (size_ < 0) return false;
  layout_ = layout_of(type_, size_);
  return side.buffer || !layout_.named || !size_;
}

uint64_t ProgramBlocks::type(int64_t block) const {
  if (!types_) return type_;
  const uint8_t bytes = abi.family->handle_bytes.datatype;
  return Abi::stored(types_ + static_cast<Word>(block) * bytes, bytes);
}

char* ProgramBlocks::at(int64_t block) const {
  if (copies_) return copies_[block];
  if (places_.array) return base_ + places_[static_cast<int32_t>(block)] * (types_ ? 1 : layout_.extent);
  return in_ == Places::in_a_row ? base_ + block * count_ * layout_.extent : base_;
}

int start_block(Fn fn, const ProgramBlocks& blocks, int64_t block, int32_t peer, int32_t tag, uint64_t comm,
                void* request) {
  const int64_t count = blocks.count(block);
  char* const at = blocks.at(block);
  int error = 0;
  if (count <= INT32_MAX) {
    error = call_real(fn, at, static_cast<int32_t>(count), blocks.type(block), peer, tag, comm, request);
  } else {  // of a function with large counts, so the library has this one, too
    void* const real = host::real_functions[static_cast<int>(fn)][static_cast<int>(Name::pmpi_c)];
    using Large = int (*)(char*, int64_t, uint64_t, int32_t, int32_t, uint64_t, void*);
    error = reinterpret_cast<Large>(real)(at, count, blocks.type(block), peer, tag, comm, request);
  }
  return error ? error : noted_error;
}

int copy_block(const ProgramBlocks& from, int64_t block, const ProgramBlocks& to, int64_t to_block, int32_t rank,
               uint64_t comm) {
  if (from.one_block(block) && to.one_block(to_block) && from.bytes(block) == to.bytes(to_block)) {
    memcpy(to.at(to_block), from.at(block), static_cast<size_t>(to.bytes(to_block)));
    return 0;
  }
  alignas(8) char requests[2][sizeof(uint64_t)];
  int error = start_block(Fn::Irecv, to, to_block, rank, own_block_tag, comm, requests[0]);
  if (error) return error;
  error = start_block(Fn::Isend, from, block, rank, own_block_tag, comm, requests[1]);
  for (char* request : {requests[1], requests[0]}) {
    const int of_it = call_real(Fn::Wait, request, abi.status_ignore);
    if (!error) error = of_it ? of_it : noted_error;
  }
  return error;
}

int CopiedBlocks::copy(const ProgramBlocks& blocks, int32_t rank, uint64_t comm, ProgramBlocks* copies) {
  const auto is_copied = [&](int32_t block) { return block != rank && blocks.any(block); };
  constexpr int64_t alignment = 16;
  int64_t length = 0;
  at_.assign(static_cast<size_t>(blocks.number()), nullptr);
  for (int turn = 0; turn < 2; ++turn) {  // how much memory, and then where in it
    if (turn) {
      memory_.emplace(static_cast<size_t>(length));
      if (!memory_->get() && length) return error_without_memory;
      length = 0;
    }
    for (int32_t block = 0; block < blocks.number(); ++block) {
      if (!is_copied(block)) continue;
      const Span span = span_of(blocks.layout(block), blocks.count(block));
      // As far from a multiple of the alignment as the block is.
      length += reinterpret_cast<uintptr_t>(blocks.at(block) + span.first) % alignment;
      if (turn) at_[static_cast<size_t>(block)] = memory_->get() + length - span.first;
      length = (length + span.end - span.first + alignment - 1) / alignment * alignment;
    }
  }
  *copies = blocks;
  copies->copies_ = at_.data();
  noted_error = 0;
  for (int32_t block = 0; block < blocks.number(); ++block) {
    if (!is_copied(block)) continue;
    if (const int error = copy_block(blocks, block, *copies, block, rank, comm)) return error;
  }
  return 0;
}

}  // namespace leadline::shim
