// How many iterations each loop has within one of the loop around it, and how many variants these have.
#pragma once

#include <cstdint>
#include <vector>

#include "structure/loop_tree.hpp"
#include "structure/restarts.hpp"
#include "structure/timed_tree.hpp"

namespace leadline::structure {

// By site: whether its calls are libc's on files (others are MPI's), send or receive messages, or broadcast.
struct SiteKinds {
  std::vector<bool> files, messages, broadcasts;
};

struct LoopShape {
  uint64_t iterations = 0;  // total
  uint64_t variants = 0;    // distinct ones among its iterations
  // Iterations in one of the loop around it, or in the whole run if no loop is around it: the fewest, the usual
  // number and the most. An iteration that does not enter the loop counts as 0.
  uint64_t fewest = 0, usual = 0, most = 0;
  // Call sites within it whose parameters vary without end: iterations that differ in these alone are one variant. The
  // parameters are in the trace, in the order of calls.
  uint32_t varying = 0;
  float commonest = 0;  // the most frequent variant's share of the iterations
  // Iterations that its calls of MPI, or its time, are spread over: (sum of x)^2 / sum of x^2; the smaller of the two.
  double effective = 0;
  // Its usual iteration makes few calls, none of them a message, and takes little of the time, or nothing but
  // broadcasts: it reads a command, say, and a few other iterations carry out those that take long. With messages, it
  // is a step between two outputs.
  bool commands = false;
  // The thread's last call was made in it, and the program did not end by itself. `cut_within`: no iteration of the
  // loop around it was whole; otherwise the last one is not in `fewest` to `most`.
  bool cut = false, cut_within = false;
  bool broadcasts = false;  // its usual iteration makes nothing but broadcasts
  uint64_t revisited = 0;   // iterations that come to a call twice (revisits.hpp)
  // Iterations without a call of MPI, unlike all others, end its visits: what asks for a further step may write a file.
  bool ends_with_files = false;
  Restarts restarts;  // of its inner loop, if iterations of this one may have gone unseen
};

// Indexed by number of the stream's loops. The time of an iteration is taken to be that of its calls and of what comes
// before each, on average of all equal calls. `cut`: the thread's calls do not reach the program's end.
std::vector<LoopShape> loop_shapes(const TimedTree& timed, const trace::Stream& stream, const SiteKinds& kinds = {},
                                   bool cut = false);

}  // namespace leadline::structure
