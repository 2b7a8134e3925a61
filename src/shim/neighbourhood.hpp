// The neighbours of a rank in a communicator's process topology, as the library has them.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule.hpp"

namespace leadline::shim {

class Neighbourhood {
 public:
  // Of a communicator with a topology; otherwise, and where the library does not say, none is known.
  Neighbourhood(uint64_t comm, int32_t rank);

  bool known() const { return known_; }
  collectives::Neighbours of_schedule() const;
  // By the number of a block in the program's buffers: whom it goes to; -1: nobody.
  const std::vector<int32_t>& targets() const { return targets_; }
  const std::vector<int32_t>& source_of_block() const { return source_of_block_; }
  // By source, in the order in which messages are matched: the number of the block from there.
  const std::vector<int32_t>& block_of_source() const { return block_of_source_; }

 private:
  bool ask_grid(uint64_t comm);
  bool ask_graph(uint64_t comm, int32_t rank);
  bool ask_distributed_graph(uint64_t comm);

  bool known_ = false;
  std::vector<int32_t> targets_, sources_, source_of_block_, block_of_source_;
};

}  // namespace leadline::shim
