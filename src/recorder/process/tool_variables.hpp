// Facts that the MPI library reports: performance variables (MPI_T), and settings in the environment.
#pragma once

#include <atomic>
#include <cstdint>

#include "trace/sink.hpp"

namespace leadline::recorder {

// Whether the program has ended the tools interface: as many ends as beginnings. The library cannot be asked: after the
// end its MPI_T functions call the error handler (MPICH 3).
class ToolInterface {
 public:
  void begun() { uses_.fetch_add(1, std::memory_order_relaxed); }
  void finalized() {
    if (uses_.fetch_sub(1, std::memory_order_relaxed) <= 1) ended_.store(true, std::memory_order_relaxed);
  }
  bool ended() const { return ended_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int32_t> uses_{0};
  std::atomic<bool> ended_{false};
};
extern ToolInterface tool_interface;

// The values of the library's performance variables as the payload of a chunk; empty where it offers none, or looking
// would disturb the program. Called before MPI_Finalize is passed on.
void read_tool_variables(trace::ByteSink* out);

// The MPI library's settings in the environment, as the payload of a chunk.
void read_library_settings(trace::ByteSink* out);

}  // namespace leadline::recorder
